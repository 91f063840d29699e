import type { Database } from 'lmdb'
import type { LogEntry, LogRecord } from './WriteAheadLog.js'

/** A write-ahead log for the process that applies it. It reads no further than it was told is on disk. */
export class LogReader {
  readonly #database: Database<LogRecord, number>
  readonly #durable: () => number

  constructor(database: Database<LogRecord, number>, durable: () => number) {
    this.#database = database
    this.#durable = durable
  }

  /** The sequence of the newest row that may be applied. */
  get last(): number {
    return this.#durable()
  }

  /** Entries after a sequence, oldest first, up to the limits but at least one. */
  read(after: number, maxRows: number, maxBytes: number): LogEntry[] {
    // A snapshot taken earlier in this turn would hide what was written since.
    this.#database.resetReadTxn()
    const entries: LogEntry[] = []
    let rows = 0
    let bytes = 0
    for (const { key, value } of this.#database.getRange({ start: after + 1 })) {
      if (key + value.count - 1 > this.last) break
      const size = value.body.length
      if (entries.length > 0 && (rows + value.count > maxRows || bytes + size > maxBytes)) break
      entries.push({ ...value, first: key })
      rows += value.count
      bytes += size
    }
    return entries
  }
}
