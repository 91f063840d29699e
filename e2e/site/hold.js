// Another tab that keeps the library's database busy: nobody else reads or writes it until this ends.
window.hold = async (name, forMs) => {
  const opening = indexedDB.open(name)
  await new Promise((resolve) => (opening.onsuccess = resolve))
  const transaction = opening.result.transaction(opening.result.objectStoreNames, 'readwrite')
  const store = transaction.objectStore(transaction.objectStoreNames[0])
  const until = performance.now() + forMs
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
