// Another tab that keeps the library's database busy: nobody else reads or writes it until this ends, which is some
// time after it is told to.
let until = Infinity
window.letGo = (afterMs) => {
  until = performance.now() + afterMs
}
window.hold = async (name) => {
  until = Infinity
  const opening = indexedDB.open(name)
  await new Promise((resolve) => (opening.onsuccess = resolve))
  const transaction = opening.result.transaction(opening.result.objectStoreNames, 'readwrite')
  const store = transaction.objectStore(transaction.objectStoreNames[0])
  window.isHeld = true
  transaction.oncomplete = () => {
    window.isHeld = false
    opening.result.close()
  }
  return new Promise((resolve) => {
    const ask = () => {
      store.count().onsuccess = () => {
        resolve(true)
        if (performance.now() < until) ask()
      }
    }
    ask()
  })
}
