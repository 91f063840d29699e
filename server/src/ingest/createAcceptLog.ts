import type { Database } from 'lmdb'

export interface LogRecord<Kind extends string = string> {
  kind: Kind
  /** How many rows the body holds. */
  count: number
  receivedAtMs: number
  /** A JSON array. */
  body: string
  /** Where the rows go, for kinds that say so in the request. */
  target?: string
}

export interface LogEntry<Kind extends string = string> extends LogRecord<Kind> {
  /** The sequence of the first row; the others follow without a gap. */
  first: number
}

export interface Appended {
  /** The sequence of the last row. */
  last: number
  /** Resolves when the record is on disk. */
  durable: Promise<void>
}

export interface AcceptLog<Kind extends string = string> {
  append(record: LogRecord<Kind>): Appended
  /** Entries after a sequence, oldest first, up to the limits but at least one. */
  read(after: number, maxRows: number, maxChars: number): LogEntry<Kind>[]
  /** Removes the entries that end at or before a sequence. */
  prune(through: number): Promise<void>
  /** The sequence of the newest row, 0 when there never was one. */
  last(): number
  /** The sequence of the oldest row held, or undefined when the log is empty. */
  oldest(): number | undefined
}

/** LMDB hands out the cause of a failed commit as a promise of its own, which somebody must take. */
const takeCause = (error: unknown): never => {
  const { commitError } = error as { commitError?: Promise<unknown> }
  commitError?.catch(() => undefined)
  throw error
}

/**
 * The accept log of one catalog: what is in it was promised to a client and is not yet, or not yet
 * surely, in DuckDB. Keys are row sequences, so a key also says how many rows came before.
 */
export const createAcceptLog = <Kind extends string>(
  database: Database<LogRecord<Kind>, number>,
  applied: number,
): AcceptLog<Kind> => {
  const newest = [...database.getRange({ reverse: true, limit: 1 })][0]
  let last = Math.max(applied, newest === undefined ? 0 : newest.key + newest.value.count - 1)

  return {
    append(record) {
      const first = last + 1
      last += record.count
      const put = database.put(first, record)
      // `flushed` covers every write before it; a put that fails must not be waited for twice.
      const durable = put.then(() => database.flushed).then(() => undefined, takeCause)
      return { last, durable }
    },
    read(after, maxRows, maxChars) {
      // A snapshot taken earlier in this turn would hide what was written since.
      database.resetReadTxn()
      const entries: LogEntry<Kind>[] = []
      let rows = 0
      let chars = 0
      for (const { key, value } of database.getRange({ start: after + 1 })) {
        if (entries.length > 0 && (rows + value.count > maxRows || chars + value.body.length > maxChars))
          break
        entries.push({ ...value, first: key })
        rows += value.count
        chars += value.body.length
      }
      return entries
    },
    async prune(through) {
      const keys: number[] = []
      for (const { key, value } of database.getRange({ end: through + 1 })) {
        if (key + value.count - 1 <= through) keys.push(key)
      }
      await Promise.all(keys.map((key) => database.remove(key))).catch(takeCause)
    },
    last: () => last,
    oldest: () => [...database.getKeys({ limit: 1 })][0],
  }
}
