import { cpus } from 'node:os'

/**
 * What is stored a second while others need the processors: what two of them can do on a bad day beside as many
 * requests as they can take. A batch is in the store at its end, so that in ten seconds a fifth less may be there.
 */
const rowsPerSecond = 48_000
/** From so many accepted rows a second on, those who send them come first. */
const pressingRowsPerSecond = 12_000
/** A slow piece is made up for by the next ones, up to about a batch. */
const maxDebtMs = 3000

export interface PaceOptions {
  /** The newest row that has been accepted. */
  newest(): number
  /** How many rows wait to be stored. */
  waiting(): number
  /** With as many waiting, requests are refused. */
  maxBacklogRows: number
  /** Milliseconds that processors have been idle until now, all together. */
  idleMs?(): number
}

const idleOfAll = () => cpus().reduce((sum, { times }) => sum + times.idle, 0)

interface Moment {
  atMs: number
  newest: number
  idleMs: number
}

/**
 * Storing can wait, and answers cannot. While requests come and no processor is idle, whoever stores rows rests
 * between pieces of its work, so that those who send get the rest of the processors; not where requests would be
 * refused for it.
 */
export class Pace {
  readonly #options: PaceOptions
  readonly #idleMs: () => number
  /** The end of the piece before. */
  #before: Moment
  /** When all that was stored until now is due. */
  #dueMs = 0

  constructor(options: PaceOptions) {
    this.#options = options
    this.#idleMs = options.idleMs ?? idleOfAll
    this.#before = this.#now()
  }

  /** How long to rest after a piece of so many rows, in milliseconds. */
  restMs(rows: number): number {
    const before = this.#before
    const now = (this.#before = this.#now())
    const seconds = Math.max(1, now.atMs - before.atMs) / 1000
    const isPressing = (now.newest - before.newest) / seconds > pressingRowsPerSecond
    const idleProcessors = (now.idleMs - before.idleMs) / 1000 / seconds
    const { waiting, maxBacklogRows } = this.#options
    if (!isPressing || idleProcessors > 0.5 || waiting() > maxBacklogRows / 2) {
      this.#dueMs = now.atMs
      return 0
    }
    this.#dueMs = Math.max(this.#dueMs, now.atMs - maxDebtMs) + (1000 * rows) / rowsPerSecond
    return Math.max(0, this.#dueMs - now.atMs)
  }

  #now(): Moment {
    return { atMs: performance.now(), newest: this.#options.newest(), idleMs: this.#idleMs() }
  }
}
