import { availableParallelism, cpus } from 'node:os'

/**
 * The part of all processors that storing may use while requests need them. With two processors that is a third of one:
 * 15,000 to 34,000 rows a second were stored beside a full burst, which took two thirds of what a server that stores nothing takes.
 */
const share = 0.18
/** A slow piece is made up for by the next ones, up to about a batch. */
const maxDebtMs = 3000

export interface PaceOptions {
  /** The newest row that has been accepted. */
  newest(): number
  /** How many rows wait to be stored. */
  waiting(): number
  /** With as many waiting, requests are refused. */
  maxBacklogRows: number
  /** Milliseconds that all processors together have been idle until now. */
  idleMs?(): number
  /** Milliseconds of processor time that this process has used until now. */
  usedMs?(): number
  processors?: number
}

const idleOfAll = () => cpus().reduce((sum, { times }) => sum + times.idle, 0)
const usedHere = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

interface Moment {
  atMs: number
  newest: number
  idleMs: number
  usedMs: number
}

/**
 * Storing can wait, and answers cannot. While many requests come and no processor is idle, whoever stores rows pauses
 * between pieces of its work, so that it uses its share of the processors and no more. It does not pause where
 * requests would be refused for it.
 */
export class Pace {
  readonly #options: Required<PaceOptions>
  /** The end of the piece before. */
  #before: Moment
  /** When the share allows for all the processor time that was used until now. */
  #dueMs = 0

  constructor(options: PaceOptions) {
    this.#options = { idleMs: idleOfAll, usedMs: usedHere, processors: availableParallelism(), ...options }
    this.#before = this.#now()
  }

  /** How long to pause after a piece of so many rows, in milliseconds. */
  pauseMs(rows: number): number {
    const before = this.#before
    const now = (this.#before = this.#now())
    const { waiting, maxBacklogRows, processors } = this.#options
    // Where few rows come, a backlog is stored at full speed.
    const isPressing = now.newest - before.newest > rows / 4
    const idleProcessors = (now.idleMs - before.idleMs) / Math.max(1, now.atMs - before.atMs)
    if (!isPressing || idleProcessors > 0.5 || waiting() > maxBacklogRows / 2) {
      this.#dueMs = now.atMs
      return 0
    }
    const allowedMs = (now.usedMs - before.usedMs) / (share * processors)
    this.#dueMs = Math.max(this.#dueMs, now.atMs - maxDebtMs) + allowedMs
    return Math.max(0, this.#dueMs - now.atMs)
  }

  #now(): Moment {
    const { newest, idleMs, usedMs } = this.#options
    return { atMs: performance.now(), newest: newest(), idleMs: idleMs(), usedMs: usedMs() }
  }
}
