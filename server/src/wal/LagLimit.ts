import type { Logger } from '../Logger.js'

export interface LagLimitOptions {
  /** How long an accepted row may wait to be stored. */
  maxLagMs: number
  /** What waits to be stored. */
  backlog(): { rows: number; bytes: number }
  /** Whether rows are being stored: without an engine, or on a full disk, they wait without this limit. */
  isStoring(): boolean
  logger: Logger
  now?: () => number
}

/** What `Lag` has seen: how long the oldest row waited that was stored since the last look, and how many were stored. */
export interface Stored {
  waitedMs: number
  rows: number
}

/**
 * So few rows are never refused. Where fewer wait the applier rests between its batches, and the cost of a batch itself
 * is most of its time: fewer rows would be stored hardly sooner, but far fewer in a second.
 */
const fewRows = 10_000
/** Until something was measured: a slow machine stores them in a second. */
const startRows = 15_000
/** A row that is larger takes longer to store, and counts as several. */
const bytesOfRow = 1024
/** What waits is stored within half of the time; the rest is for the batch that is under way, and for what changes. */
const aim = 1 / 2
/** Rows of those who have sent less than others may take nearly all of the time. */
const forOthers = 1.75
/** After such a time without a late row, lateness is over. */
const settledMs = 10_000

/**
 * Bounds how many rows may wait, so that each is stored `maxLagMs` after its answer. How many that are depends on the
 * machine, the rows and the queries, so it is learned from what was stored within the last seconds, once rows are late
 * or requests were refused.
 *
 * After a time without an engine more rows wait than that. Then for four rows that are stored three are taken, until
 * the bound is met.
 */
export class LagLimit {
  readonly #options: LagLimitOptions & { now: () => number }
  #rows = startRows
  #isCatchingUp = false
  /** What was stored, and in which time, where what is older counts less. */
  readonly #recent = { rows: 0, ms: 0, untilMs: 0 }
  /** How many rows each holder has sent lately: what was sent earlier counts half at each look. */
  #sent = new Map<string, number>()
  #sentByAll = 0
  /** Whether a request was refused since rows were stored last. */
  #wasReached = false
  /** Rows are late, or requests are refused so that none will be. */
  #late: { untilMs: number; longestMs: number; refused: number } | undefined

  constructor(options: LagLimitOptions) {
    this.#options = { now: () => performance.now(), ...options }
  }

  /**
   * Whether the next row would wait too long. Whoever asks refuses a request then. It is so first for those who have
   * sent more than the mean: one client that floods the service takes nothing from all others.
   */
  isReached(holder: string): boolean {
    const waiting = this.#waiting
    const isReached =
      waiting > this.#rows &&
      this.#options.isStoring() &&
      (waiting > forOthers * this.#rows || this.#hasSentMost(holder))
    if (isReached) {
      this.#wasReached = true
      this.#noteLate(0).refused++
    }
    return isReached
  }

  /** Notes that a request was accepted. */
  note(holder: string, rows: number): void {
    this.#sent.set(holder, (this.#sent.get(holder) ?? 0) + rows)
    this.#sentByAll += rows
  }

  /** Takes what was stored since the last look, and how long the oldest row waits now. `Lag` calls it again and again. */
  readonly look = (stored: Stored | undefined, lagMs: number): void => {
    const { maxLagMs, isStoring } = this.#options
    if (!isStoring()) {
      this.#isCatchingUp = true
      this.#rows = Math.max(this.#rows, this.#waiting + startRows)
    } else if (stored !== undefined) this.#learn(stored)
    if (lagMs > 2 * maxLagMs) this.#noteLate(lagMs)
    this.#endLate()
    const sent = this.#sent
    this.#sent = new Map()
    this.#sentByAll = 0
    for (const [holder, rows] of sent) if (rows > 1) this.note(holder, rows / 2)
  }

  #hasSentMost(holder: string): boolean {
    return (this.#sent.get(holder) ?? 0) * this.#sent.size >= this.#sentByAll
  }

  get #waiting(): number {
    const { rows, bytes } = this.#options.backlog()
    return Math.max(rows, bytes / bytesOfRow)
  }

  #learn({ waitedMs, rows }: Stored): void {
    const { backlog, maxLagMs, now } = this.#options
    const recent = this.#recent
    const weight = rows * Math.max(1, this.#waiting / Math.max(1, backlog().rows))
    recent.rows = recent.rows / 2 + weight
    recent.ms = recent.ms / 2 + Math.min(now() - recent.untilMs, waitedMs)
    recent.untilMs = now()
    // Few rows that waited for long say nothing: something else held them up.
    const isLate = waitedMs > maxLagMs / 2 && Math.max(weight, this.#waiting) > fewRows
    if (!isLate && !this.#wasReached) return
    const fits = Math.max(fewRows, (recent.rows / Math.max(1, recent.ms)) * maxLagMs * aim)
    this.#isCatchingUp &&= this.#rows - rows / 4 > fits
    this.#rows = this.#isCatchingUp ? this.#rows - rows / 4 : fits
    this.#wasReached = false
  }

  #noteLate(lagMs: number) {
    const { logger, now, backlog, isStoring } = this.#options
    if (this.#late === undefined) {
      const about = { lag_seconds: seconds(lagMs), rows: backlog().rows, storing: isStoring() }
      logger.warn('Accepted rows are stored late, or some are refused so that none will be.', about)
    }
    this.#late ??= { untilMs: 0, longestMs: 0, refused: 0 }
    this.#late.untilMs = now() + settledMs
    this.#late.longestMs = Math.max(this.#late.longestMs, lagMs)
    return this.#late
  }

  #endLate(): void {
    if (this.#late === undefined || this.#options.now() < this.#late.untilMs) return
    const { longestMs, refused } = this.#late
    this.#options.logger.warn('Accepted rows are stored in time again.', {
      longest_lag_seconds: seconds(longestMs),
      refused,
    })
    this.#late = undefined
  }
}

const seconds = (ms: number) => Math.round(ms / 100) / 10
