import type { LogRecord } from '../segment.js'

export interface GroupCommitOptions {
  /** Commits some records together, and gives the sequence of the last row. */
  commit(records: readonly LogRecord[]): Promise<number>
}

interface Waiting {
  record: LogRecord
  resolve(last: number): void
  reject(error: unknown): void
}

/** What goes together at most, unless a single record is larger. */
const maxGroupBytes = 2 ** 22

/** Records that come while others are being committed are committed together, after them. */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  #waiting: Waiting[] = []
  #bytes = 0
  #running: Promise<void> | undefined

  constructor(options: GroupCommitOptions) {
    this.#options = options
  }

  /** Bytes of the bodies that are not committed. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves with the sequence of the record's last row. */
  add(record: LogRecord): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject })
      this.#bytes += record.body.length
      this.#running ??= this.#run()
    })
  }

  /** Resolves once nothing waits. */
  async end(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    // At the end of this turn of the event loop, which may bring more.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const group = this.#take()
      const records = group.map(({ record }) => record)
      try {
        let last = await this.#options.commit(records)
        for (const { record, resolve } of group.toReversed()) {
          resolve(last)
          last -= record.count
        }
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
      for (const { body } of records) this.#bytes -= body.length
    }
    this.#running = undefined
  }

  #take(): Waiting[] {
    let [count, bytes] = [0, 0]
    while (count < this.#waiting.length && (count === 0 || bytes < maxGroupBytes)) {
      bytes += this.#waiting[count++]!.record.body.length
    }
    return this.#waiting.splice(0, count)
  }
}
