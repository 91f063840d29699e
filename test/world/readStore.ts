import { createStore } from 'idb-keyval'

/** All keys of the database: settings are strings, event records arrays. */
const readKeys = () =>
  createStore('waymark production pk_test', 'waymark')('readonly', async (store) => {
    const keys = store.getAllKeys()
    await new Promise((resolve) => (keys.onsuccess = resolve))
    return keys.result
  })
export const readSettings = async () => (await readKeys()).filter((key) => typeof key === 'string')
export const readRecords = async () => (await readKeys()).filter((key) => Array.isArray(key))
