import type { UseStore } from 'idb-keyval'
import { maybe } from './maybe'

export interface Database {
  /**
   * Runs `work` in one transaction, in this very task when the connection is known, and resolves when it is done.
   * One that writes and does not read commits at once: without that a kill or an unload loses it, and in WebKit an
   * open one hangs the database for the next page. One that reads calls `commit` at its end, and is noted meanwhile.
   */
  transact<T>(mode: Mode, work: (store: IDBObjectStore, commit: () => void) => T): Promise<T>
  /**
   * Ends every transaction that reads, for a page that is leaving: an open one makes the deletes behind it wait, and
   * they are lost with the page.
   */
  abortReads(): void
  close(): void
}

/** `put` is a readwrite transaction that does not read. */
type Mode = 'readonly' | 'readwrite' | 'put'

/** One database with one store. idb-keyval opens the connection; a dead one is replaced at the next use. */
export function openDatabase(createStore: () => UseStore): Database {
  let store = createStore()
  let connection: IDBDatabase | undefined
  let reading: IDBTransaction[] = []

  const close = () => {
    connection?.close()
    connection = undefined
    store = createStore()
  }

  return {
    async transact(mode, work) {
      const use = async (objects: IDBObjectStore) => {
        const { transaction } = objects
        if (connection !== transaction.db) {
          connection = transaction.db
          // Someone deletes or upgrades the database: give way, and open a new one at the next use.
          connection.onversionchange = close
        }
        const commit = () => transaction.commit?.()
        if (mode !== 'put') reading.push(transaction)
        const done = new Promise((resolve, reject) => {
          transaction.oncomplete = resolve
          // The request has the error: Firefox tells the transaction of a full disk only that it was ended.
          transaction.onabort = transaction.onerror = ({ target }) => reject((target as IDBRequest).error)
        })
        const result = work(objects, commit)
        if (mode === 'put') commit()
        try {
          await done
        } finally {
          reading = reading.filter((other) => other !== transaction)
        }
        return result
      }
      const access = mode === 'put' ? 'readwrite' : mode
      let objects: IDBObjectStore | undefined
      try {
        objects = connection?.transaction('waymark', access).objectStore('waymark')
      } catch {
        // The connection died without a word.
        close()
      }
      return objects ? use(objects) : store(access, use)
    },
    abortReads() {
      // It may have ended just now.
      for (const transaction of reading) maybe(() => transaction.abort())
    },
    close,
  }
}
