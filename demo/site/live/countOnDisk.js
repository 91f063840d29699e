/** @type {IDBDatabase | undefined} */
let connection

/** Opens waymark's own database, once it is there: opening one that is not would make an empty one in its place. */
async function open() {
  const found = (await indexedDB.databases()).find(({ name }) => name?.startsWith('waymark'))
  if (!found?.name) return undefined
  const request = indexedDB.open(found.name)
  /** @type {IDBDatabase} */
  const database = await new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
  database.addEventListener('versionchange', () => database.close())
  database.addEventListener('close', () => (connection = undefined))
  return database
}

/**
 * Counts the payloads that wait on disk, those of other tabs and of pages that are gone included. A look from
 * outside, for this demo: records have keys like `[lane, sequence, payloads, bytes]`.
 * @returns {Promise<number | undefined>} undefined when there is nothing to look at
 */
export async function countOnDisk() {
  try {
    connection ??= await open()
    const store = connection?.transaction('waymark').objectStore('waymark')
    if (!store) return undefined
    const request = store.getAllKeys()
    await new Promise((resolve, reject) => {
      request.addEventListener('success', resolve)
      request.addEventListener('error', reject)
    })
    return request.result.reduce((sum, key) => sum + (Array.isArray(key) ? Number(key[2]) || 0 : 0), 0)
  } catch {
    connection = undefined
    return undefined
  }
}
