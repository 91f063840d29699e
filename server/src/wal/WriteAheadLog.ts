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
export const takeCause = (error: unknown): unknown => {
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

interface Held {
  last: number
  bytes: number
}

/**
 * The write-ahead log of one catalog, for the process that takes requests into it: what is in it was
 * promised to a client and is not yet, or not yet surely, in DuckDB. Keys are row sequences, so a key
 * also says how many rows came before.
 */
export class WriteAheadLog {
  readonly #database: Database<LogRecord, number>
  #last: number
  /** The last row that is on disk: of what comes after it nobody may rely on anything. */
  #durable: number
  #bytes = 0
  #held: Held[] = []
  /** What came while the group before it was on its way to the disk. */
  #gathering: Group | undefined
  #writing = false

  /** `applied` is what needs no place in the log any more. */
  constructor(database: Database<LogRecord, number>, applied: number) {
    this.#database = database
    const newest = [...database.getRange({ reverse: true, limit: 1 })][0]
    this.#last = Math.max(applied, newest === undefined ? 0 : newest.key + newest.value.count - 1)
    this.#durable = this.#last
    for (const { key, value } of database.getRange({ start: applied + 1 })) {
      this.#hold(key + value.count - 1, value.body.length)
    }
  }

  /** The sequence of the newest row, 0 when there never was one. */
  get last(): number {
    return this.#last
  }

  get durable(): number {
    return this.#durable
  }

  /** Bytes of the bodies that it holds. */
  get bytes(): number {
    return this.#bytes
  }

  append(record: LogRecord): Appended {
    const first = this.#last + 1
    this.#last += record.count
    this.#hold(this.#last, record.body.length)
    this.#gathering ??= new Group()
    this.#gathering.records.push([first, record])
    if (!this.#writing) this.#start()
    return { last: this.#last, durable: this.#gathering.durable }
  }

  /** Goes on behind rows that DuckDB holds though this log never had them, as after a restored backup. */
  skipTo(applied: number): void {
    if (applied <= this.#last) return
    this.#last = applied
    this.#durable = applied
  }

  /** Removes the entries up to a sequence, which must be the last of its entry. */
  async prune(through: number): Promise<void> {
    let gone = 0
    for (; gone < this.#held.length && this.#held[gone]!.last <= through; gone++) {
      this.#bytes -= this.#held[gone]!.bytes
    }
    this.#held.splice(0, gone)
    const keys = [...this.#database.getKeys({ end: through + 1 })]
    await Promise.all(keys.map((key) => this.#database.remove(key))).catch((error: unknown) => {
      throw takeCause(error)
    })
  }

  #hold(last: number, bytes: number): void {
    this.#held.push({ last, bytes })
    this.#bytes += bytes
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
      const [first, { count }] = records.at(-1)!
      this.#durable = first + count - 1
      settle.resolve()
    } catch (error) {
      settle.reject(takeCause(error))
    }
  }
}
