const done = (/** @type {IDBRequest} */ request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** @type {IDBTransaction | undefined} */
let reading
// A transaction that is still open would make waymark's last deletes wait, and they would be lost with the page.
addEventListener('pagehide', () => reading?.abort())

/**
 * What waits in waymark's database: of all tabs, and of pages that are gone. `docs/architecture.md` describes its
 * records: a key `[queue, sequence, payloads, origin]`, and the kind and the payloads, a line each.
 * @returns {Promise<{ count: number, bytes: number } | undefined>} undefined where it cannot be read
 */
export async function readQueue() {
  try {
    const databases = await indexedDB.databases()
    const name = databases.map((each) => each.name ?? '').find((each) => each.startsWith('waymark'))
    if (!name) return undefined
    const database = await done(indexedDB.open(name))
    try {
      reading = database.transaction('waymark', 'readonly')
      const store = reading.objectStore('waymark')
      const records = IDBKeyRange.lowerBound([])
      const [keys, values] = await Promise.all([done(store.getAllKeys(records)), done(store.getAll(records))])
      const payloads = values.map((value) => value.slice(value.indexOf('\n') + 1))
      return {
        count: keys.reduce((sum, [, , count]) => sum + count, 0),
        bytes: new Blob(payloads).size,
      }
    } finally {
      reading = undefined
      database.close()
    }
  } catch {
    // Private windows of some browsers have no database, and a page that goes ends the reading.
    return undefined
  }
}
