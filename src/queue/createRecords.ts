import { range, type Database } from '../browser/openDatabase'
import type { Row, RowKey, StoredRow } from './payload'

/** Everything that is a lane of the queue: arrays sort above the strings that name the settings. */
const all = () => range([], [[]])
const wholeLane = (lane: string) => range([lane], [lane, []])

/** The records of all lanes in one database: the only code that knows how they are stored. */
export function createRecords(database: Database) {
  return {
    /** Stores rows that are new or have shrunk and settings that have changed, and removes keys, in one transaction. */
    save: (lane: string, rows: Row[], gone: RowKey[] = [], settings: object = {}) =>
      database.write((store) => {
        for (const key of gone) store.delete(key)
        for (const [name, value] of Object.entries(settings)) {
          if (value === undefined) store.delete(name)
          else store.put(value, name)
        }
        for (const row of rows) {
          // Delivered while the database was being opened.
          if (!row.payloads.length) continue
          row.key = [lane, row.sequence, row.payloads.length, row.bytes, row.origin]
          store.put(
            [row.kind, ...row.payloads.map(({ body }) => body)].join('\n') satisfies StoredRow,
            row.key,
          )
        }
      }),

    /** Removes all records from the first key to the last, both included. */
    removeRange: (first: RowKey, last: RowKey) =>
      database.write((store) => void store.delete(range(first, last))),

    keys: () => database.read((store) => store.getAllKeys(all())) as Promise<RowKey[]>,

    keysBetween: (first: RowKey, last: RowKey) =>
      database.read((store) => store.getAllKeys(range(first, last))) as Promise<RowKey[]>,

    /**
     * Moves the oldest records of `from` into `to`. The transaction is the mutual exclusion: of two pages that claim
     * the same lane, the second finds nothing.
     */
    async claim(from: string, to: string, most: number): Promise<[RowKey, StoredRow][]> {
      let moved: [RowKey, StoredRow][] = []
      await database.write((store, commit) => {
        const keys = store.getAllKeys(wholeLane(from), most)
        const values = store.getAll(wholeLane(from), most)
        values.onsuccess = () => {
          moved = (keys.result as RowKey[]).map(([, sequence, payloads, bytes, origin], index) => {
            store.delete(keys.result[index]!)
            const key: RowKey = [to, sequence, payloads, bytes, origin || from]
            store.put(values.result[index], key)
            return [key, values.result[index]]
          })
          commit()
        }
        return true
      })
      return moved
    },
  }
}

export type Records = ReturnType<typeof createRecords>
