import { type LogRecord, type NewFrame, sizeOfFrame, writeFrame } from './segment.js'

/** The buffer grows up to this size and is used again; a larger frame gets memory of its own. */
const maxKeptBytes = 2 ** 22

/** Puts frames together in memory that is used again: a frame is valid until the next one is written. */
export class FrameBuffer {
  #kept = Buffer.alloc(0)

  write(frame: NewFrame): Buffer {
    const bytes = sizeOfFrame(frame.records)
    const room = this.#room(bytes)
    writeFrame(frame, room)
    return room.subarray(0, bytes)
  }

  #room(bytes: number): Buffer {
    if (bytes > maxKeptBytes) return Buffer.allocUnsafeSlow(bytes)
    if (bytes > this.#kept.length) this.#kept = Buffer.allocUnsafeSlow(Math.min(2 * bytes, maxKeptBytes))
    return this.#kept
  }
}

/** Commits some records together, and gives the sequence of the last row. */
type Commit = (records: readonly LogRecord[]) => Promise<number>

interface Waiting {
  record: LogRecord
  resolve(last: number): void
  reject(error: unknown): void
}

/** What goes together at most, unless a single record is larger. */
const maxGroupBytes = 2 ** 22
/**
 * Records that come in one turn of the event loop, or while others are being committed, are committed together.
 * Where a commit takes long, clients that were just answered are worth a wait, because they are about to send
 * again; one who sends alone never waits.
 */
export class GroupCommit {
  readonly #commit: Commit
  readonly #gatherMs: number
  #waiting: Waiting[] = []
  #between: (() => Promise<void>)[] = []
  #bytes = 0
  /** How many came with the last commit or while it ran. */
  #due = 0
  #gathered: (() => void) | undefined
  #running: Promise<void> | undefined

  /** `gatherMs`: how long a commit waits at most until as many requests are there as the last one answered. */
  constructor(commit: Commit, gatherMs = 0) {
    this.#commit = commit
    this.#gatherMs = gatherMs
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

  /** Does something else after the commit that is under way, before the next one. */
  between<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#between.push(() => task().then(resolve, reject))
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
    while (this.#waiting.length > 0 || this.#between.length > 0) {
      for (const task of this.#between.splice(0)) await task()
      if (this.#waiting.length === 0) continue
      await this.#gather()
      const group = this.#take()
      const records = group.map(({ record }) => record)
      try {
        let last = await this.#commit(records)
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
    if (this.#gatherMs === 0 || this.#waiting.length >= this.#due) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#gatherMs)
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
