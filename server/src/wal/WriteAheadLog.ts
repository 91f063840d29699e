import type { Database } from 'lmdb'

export interface LogRecord {
  kind: string
  /** How many rows the body holds. */
  count: number
  receivedAtMs: number
  /** A JSON array in UTF-8. */
  body: Buffer
  /** Where the rows go, for kinds that say so in the request. */
  target?: string
}

export interface LogEntry extends LogRecord {
  /** The sequence of the first row; the others follow without a gap. */
  first: number
}

export interface Appended {
  /** The sequence of the last row. */
  last: number
  /** Resolves when the record is on disk. */
  durable: Promise<void>
}

export const lastOf = (entry: LogEntry): number => entry.first + entry.count - 1

/** LMDB hands out the cause of a failed commit as a promise of its own, which somebody must take. */
const takeCause = (error: unknown): unknown => {
  const { commitError } = error as { commitError?: Promise<unknown> }
  commitError?.catch(() => undefined)
  return error
}

/** Records that reach the disk together. */
class Group {
  readonly records: [first: number, record: LogRecord][] = []
  readonly durable: Promise<void>
  settle!: { resolve(): void; reject(error: unknown): void }

  constructor() {
    this.durable = new Promise<void>((resolve, reject) => {
      this.settle = { resolve, reject }
    })
  }
}

/**
 * The write-ahead log of one catalog: what is in it was promised to a client and is not yet, or not
 * yet surely, in DuckDB. Keys are row sequences, so a key also says how many rows came before.
 */
export class WriteAheadLog {
  readonly #database: Database<LogRecord, number>
  #last: number
  #bytes = 0
  /** What came while the group before it was on its way to the disk. */
  #gathering: Group | undefined
  #writing = false

  constructor(database: Database<LogRecord, number>, applied: number) {
    this.#database = database
    const newest = [...database.getRange({ reverse: true, limit: 1 })][0]
    this.#last = Math.max(applied, newest === undefined ? 0 : newest.key + newest.value.count - 1)
    for (const { value } of database.getRange({ start: applied + 1 })) this.#bytes += value.body.length
  }

  /** The sequence of the newest row, 0 when there never was one. */
  get last(): number {
    return this.#last
  }

  /** Bytes of all bodies since the log was opened, those that it held then included. */
  get bytes(): number {
    return this.#bytes
  }

  append(record: LogRecord): Appended {
    const first = this.#last + 1
    this.#last += record.count
    this.#bytes += record.body.length
    this.#gathering ??= new Group()
    this.#gathering.records.push([first, record])
    if (!this.#writing) this.#start()
    return { last: this.#last, durable: this.#gathering.durable }
  }

  /** Entries after a sequence, oldest first, up to the limits but at least one. */
  read(after: number, maxRows: number, maxBytes: number): LogEntry[] {
    // A snapshot taken earlier in this turn would hide what was written since.
    this.#database.resetReadTxn()
    const entries: LogEntry[] = []
    let rows = 0
    let bytes = 0
    for (const { key, value } of this.#database.getRange({ start: after + 1 })) {
      const size = value.body.length
      if (entries.length > 0 && (rows + value.count > maxRows || bytes + size > maxBytes)) break
      entries.push({ ...value, first: key })
      rows += value.count
      bytes += size
    }
    return entries
  }

  /** Removes the entries up to a sequence, which must be the last of its entry. */
  async prune(through: number): Promise<void> {
    const keys = [...this.#database.getKeys({ end: through + 1 })]
    await Promise.all(keys.map((key) => this.#database.remove(key))).catch((error: unknown) => {
      throw takeCause(error)
    })
  }

  /** At the end of this turn of the event loop, which may bring more. */
  #start(): void {
    this.#writing = true
    setImmediate(() => void this.#writeGroups())
  }

  /** One group at a time: a transaction costs more than what is in it. */
  async #writeGroups(): Promise<void> {
    while (this.#gathering !== undefined) {
      const group = this.#gathering
      this.#gathering = undefined
      await this.#writeGroup(group)
    }
    this.#writing = false
  }

  async #writeGroup({ records, settle }: Group): Promise<void> {
    try {
      // One transaction, so each of these is the same promise; `flushed` covers every write before it.
      await Promise.all(records.map(([first, record]) => this.#database.put(first, record)))
      await this.#database.flushed
      settle.resolve()
    } catch (error) {
      settle.reject(takeCause(error))
    }
  }
}
