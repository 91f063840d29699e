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
/**
 * How long a commit waits for its company. At 16 connections to a server with two standbys on two cores it raises what
 * is accepted from 53 % of the log in files to 69 %, and lowers the time of an answer from 7.0 to 5.3 ms.
 */
const gatherMs = 2

/**
 * Records that come while others are being committed are committed together, after them. Clients that were just
 * answered are about to send again, so the next commit waits a moment for as many as that; one who sends alone never
 * waits.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  #waiting: Waiting[] = []
  #bytes = 0
  /** How many came with the last commit or while it ran. */
  #due = 0
  #gathered: (() => void) | undefined
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
      if (this.#waiting.length >= this.#due) this.#gathered?.()
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
      await this.#gather()
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
      this.#due = group.length + this.#waiting.length
      // The answers go out, and those who were waiting for them may be quick.
      await new Promise(setImmediate)
    }
    this.#running = undefined
  }

  async #gather(): Promise<void> {
    if (this.#waiting.length >= this.#due) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatherMs)
      this.#gathered = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#gathered = undefined
  }

  #take(): Waiting[] {
    let [count, bytes] = [0, 0]
    while (count < this.#waiting.length && (count === 0 || bytes < maxGroupBytes)) {
      bytes += this.#waiting[count++]!.record.body.length
    }
    return this.#waiting.splice(0, count)
  }
}
