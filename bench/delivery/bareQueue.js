/* The control: the least that keeps events in IndexedDB, sends them in batches and removes what was accepted. */
window.bareQueue = (url, database, { ids, always }) => {
  const waiting = []
  let [fresh, key, isSending] = [[], 0, false]
  const write = (change) => {
    const objects = database.transaction('events', 'readwrite').objectStore('events')
    change(objects)
    objects.transaction.commit()
  }
  const store = () => {
    waiting.push([++key, fresh])
    write((objects) => objects.put(fresh, key))
    fresh = []
    if (waiting.length >= 20 && !isSending) void send()
  }
  const send = async () => {
    for (isSending = true; waiting.length >= 20;) {
      const batch = waiting.splice(0, 20)
      const body = `[${batch.flatMap(([, bodies]) => bodies).join()}]`
      const headers = { 'Content-Type': 'application/json' }
      await (await fetch(url, { method: 'POST', body, headers, keepalive: true })).json()
      write((objects) => objects.delete(IDBKeyRange.bound(batch[0][0], batch[19][0])))
    }
    isSending = false
  }
  return (event, properties) => {
    const all = { ...always, ...properties, insert_id: crypto.randomUUID() }
    if (!fresh.length) queueMicrotask(store)
    fresh.push(JSON.stringify({ event, timestamp: new Date().toISOString(), ...ids, properties: all }))
  }
}
