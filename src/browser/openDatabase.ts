import { createStore, promisifyRequest, type UseStore } from 'idb-keyval'
import type { Stop } from '../types'

export interface Database {
  read<T>(ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T>
  /**
   * Runs `change` in one readwrite transaction and resolves when it is on disk. The transaction is issued in this
   * very task when the connection is known, and always committed explicitly: without that a kill or an unload
   * loses it, and in WebKit an open one hangs the database for the next page.
   * A `change` that has to read first returns true and commits by itself, with the function that it is given.
   */
  write(change: (store: IDBObjectStore, commit: () => void) => boolean | void): Promise<void>
  /**
   * Ends every transaction that reads, for a page that is leaving: an open one makes the deletes behind it wait, and
   * they are lost with the page.
   */
  abortReads(): void
  close: Stop
}

/** All keys from `lower` to `upper`, both included. */
export const range = (lower: IDBValidKey, upper: IDBValidKey) => IDBKeyRange.bound(lower, upper)

/** One database with one store. idb-keyval opens the connection; a dead one is replaced at the next use. */
export function openDatabase(name: string): Database {
  let store: UseStore
  let connection: IDBDatabase | undefined
  const reading = new Set<IDBTransaction>()

  const renew = () => {
    connection?.close()
    connection = undefined
    store = createStore(name, 'waymark')
  }

  const within = <T>(mode: IDBTransactionMode, use: (objects: IDBObjectStore) => Promise<T>): Promise<T> => {
    try {
      if (connection) return use(connection.transaction('waymark', mode).objectStore('waymark'))
    } catch {
      // InvalidStateError: the connection died without a word.
      renew()
    }
    // In a promise: there may be no IndexedDB at all.
    return Promise.resolve().then(() =>
      store(mode, (objects) => {
        connection = objects.transaction.db
        // Someone deletes or upgrades the database: give way, and open a new one at the next use.
        connection.onversionchange = renew
        return use(objects)
      }),
    )
  }

  /** Notes a transaction that reads, until `work` is done. */
  const noted = <T>(transaction: IDBTransaction, work: Promise<T>) => {
    reading.add(transaction)
    return work.finally(() => reading.delete(transaction))
  }

  renew()
  return {
    read: (ask) =>
      within('readonly', (objects) => noted(objects.transaction, promisifyRequest(ask(objects)))),
    write: (change) =>
      within('readwrite', (objects) => {
        const { transaction } = objects
        const done = promisifyRequest(transaction)
        const reads = change(objects, () => transaction.commit())
        if (!reads) transaction.commit()
        return reads ? noted(transaction, done) : done
      }),
    abortReads() {
      for (const transaction of reading) {
        try {
          transaction.abort()
        } catch {
          // It has just ended.
        }
      }
    },
    close: () => connection?.close(),
  }
}
