import type { Database } from 'lmdb'

export interface LogRecord<Kind extends string = string> {
  kind: Kind
  /** How many rows the body holds. */
  count: number
  receivedAtMs: number
  /** A JSON array in UTF-8. */
  body: Buffer
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
  read(after: number, maxRows: number, maxBytes: number): LogEntry<Kind>[]
  /** Removes the entries up to a sequence, which must be the last of its entry. */
  prune(through: number): Promise<void>
  /** The sequence of the newest row, 0 when there never was one. */
  last(): number
  /** Bytes of all bodies since the log was opened, those that it held then included. */
  bytes(): number
}

/** LMDB hands out the cause of a failed commit as a promise of its own, which somebody must take. */
const takeCause = (error: unknown): unknown => {
  const { commitError } = error as { commitError?: Promise<unknown> }
  commitError?.catch(() => undefined)
  return error
}

/** Records that reach the disk together. */
interface Group<Kind extends string> {
  records: [first: number, record: LogRecord<Kind>][]
  durable: Promise<void>
  settle: { resolve(): void; reject(error: unknown): void }
}

const createGroup = <Kind extends string>(): Group<Kind> => {
  let settle: Group<Kind>['settle'] | undefined
  const durable = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { records: [], durable, settle: settle! }
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
  let bytes = 0
  for (const { value } of database.getRange({ start: applied + 1 })) bytes += value.body.length

  /** What came while the group before it was on its way to the disk. */
  let gathering: Group<Kind> | undefined
  let writing = false

  const writeGroup = async ({ records, settle }: Group<Kind>) => {
    try {
      // One transaction, so each of these is the same promise; `flushed` covers every write before it.
      await Promise.all(records.map(([first, record]) => database.put(first, record)))
      await database.flushed
      settle.resolve()
    } catch (error) {
      settle.reject(takeCause(error))
    }
  }

  /** One group at a time: a transaction costs more than what is in it. */
  const writeGroups = async () => {
    while (gathering !== undefined) {
      const group = gathering
      gathering = undefined
      await writeGroup(group)
    }
    writing = false
  }

  /** At the end of this turn of the event loop, which may bring more. */
  const start = () => {
    writing = true
    setImmediate(() => void writeGroups())
  }

  return {
    append(record) {
      const first = last + 1
      last += record.count
      bytes += record.body.length
      gathering ??= createGroup()
      gathering.records.push([first, record])
      if (!writing) start()
      return { last, durable: gathering.durable }
    },
    read(after, maxRows, maxBytes) {
      // A snapshot taken earlier in this turn would hide what was written since.
      database.resetReadTxn()
      const entries: LogEntry<Kind>[] = []
      let rows = 0
      let chosenBytes = 0
      for (const { key, value } of database.getRange({ start: after + 1 })) {
        const size = value.body.length
        if (entries.length > 0 && (rows + value.count > maxRows || chosenBytes + size > maxBytes)) break
        entries.push({ ...value, first: key })
        rows += value.count
        chosenBytes += size
      }
      return entries
    },
    async prune(through) {
      const keys = [...database.getKeys({ end: through + 1 })]
      await Promise.all(keys.map((key) => database.remove(key))).catch((error: unknown) => {
        throw takeCause(error)
      })
    },
    last: () => last,
    bytes: () => bytes,
  }
}
