import { range, type Database } from '../browser/openDatabase'
import type { Row, RowKey, StoredRow } from './row'

export type Records = ReturnType<typeof createRecords>

/** The records of all lanes in one database: the only code that knows how they are stored. */
export function createRecords(database: Database) {
  /** Everything that is a lane: arrays sort above the strings that name the settings. */
  const keys = (first: IDBValidKey = [], last: IDBValidKey = [[]]) =>
    database.read((store) => store.getAllKeys(range(first, last))) as Promise<RowKey[]>

  return {
    /** The keys of all records, or of those from the first to the last, both included. */
    keys,

    /** Stores rows and changed settings, and removes records, in one transaction. */
    save: (rows: Row[], gone: RowKey[], settings: object = {}) =>
      database.write((store) => {
        for (const key of gone) store.delete(key)
        for (const [name, value] of Object.entries(settings)) store.put([name, value], name)
        for (const row of rows) {
          // Delivered while the database was being opened.
          if (row.state === 'gone') continue
          store.put(
            [row.kind, ...row.payloads.map((payload) => payload.body)].join('\n') satisfies StoredRow,
            row.key,
          )
          row.isStored = true
        }
      }),

    /**
     * Moves the oldest records of `from` into `to`. The transaction is the mutual exclusion: of two pages that claim
     * the same lane, the second finds nothing.
     */
    async claim(from: string, to: string, most: number): Promise<[RowKey, StoredRow][]> {
      let moved: [RowKey, StoredRow][] = []
      await database.write((store, commit) => {
        const lane = range([from], [from, []])
        const found = store.getAllKeys(lane, most)
        const values = store.getAll(lane, most)
        values.onsuccess = () => {
          moved = (found.result as RowKey[]).map((key, index) => {
            store.delete(key)
            const next = [to, ...key.slice(1)] as RowKey
            store.put(values.result[index], next)
            return [next, values.result[index]]
          })
          commit()
        }
        return true
      })
      return moved
    },
  }
}
