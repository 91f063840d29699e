import type { Logger } from '../Logger.js'
import type { Cleanups } from '../Cleanups.js'

/** What storing took until now: how many batches, and how long in all, without rests. */
export interface Spent {
  batches: number
  ms: number
}

interface LagOptions {
  /** The sequence of the newest row that was accepted. */
  last(): number
  /** The sequence of the newest row that is stored. */
  applied(): number
  /** What storing took until now; without it, all the time counts in which rows wait. */
  spent?(): Spent | undefined
  /** Is called with each mark. */
  onLook?(stored: Stored | undefined, lagMs: number): void
  now?: () => number
}

/** How long rows wait is known to this. */
const everyMs = 250
/** These marks make three and a half hours without an engine. Beyond this number every other mark is dropped. */
const maxMarks = 50_000

/** Measures how long the oldest row has waited that is not stored yet, by marks of what was accepted when. */
export class Lag {
  readonly #options: LagOptions
  readonly #now: () => number
  #marks: { last: number; ms: number }[] = []
  #applied: number
  #spent: Spent
  #markedMs: number
  /** For how long rows have waited, in all. */
  #waitingMs = 0

  constructor(options: LagOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#applied = options.applied()
    this.#spent = options.spent?.() ?? { batches: 0, ms: 0 }
    this.#markedMs = this.#now()
    this.mark()
  }

  /** Notes the newest row and the time: all rows up to it were accepted by now. */
  mark(): void {
    const { last, onLook } = this.#options
    if (this.#marks.length > 0) this.#waitingMs += this.#now() - this.#markedMs
    this.#markedMs = this.#now()
    const stored = this.#drop()
    if ((this.#marks.at(-1)?.last ?? this.#applied) < last()) {
      this.#marks.push({ last: last(), ms: this.#now() })
      if (this.#marks.length > maxMarks) this.#marks = this.#marks.filter((_, at) => at % 2 === 0)
    }
    onLook?.(stored, 1000 * this.seconds)
  }

  get seconds(): number {
    const applied = this.#options.applied()
    const oldest = this.#marks.find(({ last }) => last > applied)
    return oldest === undefined ? 0 : (this.#now() - oldest.ms) / 1000
  }

  /** Forgets the marks of rows that are stored. Gives how many these were since the last look; undefined for none. */
  #drop(): Stored | undefined {
    const { applied } = this.#options
    const through = applied()
    const rows = through - this.#applied
    this.#applied = through
    const waiting = this.#marks.findIndex(({ last }) => last > through)
    this.#marks.splice(0, waiting < 0 ? this.#marks.length : waiting)
    if (rows === 0) return undefined
    const before = this.#spent
    this.#spent = this.#options.spent?.() ?? { batches: before.batches + 1, ms: this.#waitingMs }
    return { rows, batches: this.#spent.batches - before.batches, tookMs: this.#spent.ms - before.ms }
  }
}

/** Marks again and again from now on. */
export const startLag = (options: LagOptions, cleanups: Cleanups): Lag => {
  const lag = new Lag(options)
  const timer = setInterval(() => lag.mark(), everyMs).unref()
  cleanups.add(() => clearInterval(timer))
  return lag
}

interface LagLimitOptions {
  /** How long an accepted row may wait to be stored. */
  maxLagMs: number
  /** What waits to be stored. */
  backlog(): { rows: number; bytes: number }
  /** Whether rows are being stored: without an engine, or on a full disk, they wait without this limit. */
  isStoring(): boolean
  logger: Logger
  now?: () => number
}

/** What `Lag` has seen since its last look: how many rows were stored in how many batches, and how long that took. */
interface Stored {
  rows: number
  batches: number
  tookMs: number
}

/** So few rows are never refused: without any, nobody would know when rows are stored in time again. */
const fewRows = 1000
/** A batch costs as much as so many rows: 50 ms of a processor, and 7 µs (an event) to 25 µs (an identity) for each. */
const batchRows = 5000
/** A row that is larger takes longer to store, and counts as several; one of the largest alone does not count. */
const bytesOfRow = 1024
const freeBytes = 16 * 1_048_576
/** What waits is stored within half of the time: two queries that begin meanwhile halve the rate on two processors. */
const aim = 1 / 2
/** What is fewer than a batch costs may take more of it. */
const aimOfFew = 3 / 4
/** Rows of those who have sent less than others may take half as much beyond that. */
const forOthers = 1 / 2
/** A few rows say little of what many of them take: so many times as many as the last batches had may wait. */
const mostGrowth = 8
/** While too many rows wait, so many are taken for each that is stored. */
const whileBehind = 3 / 4
/** So many times as old as it may be, a row is too old: within that time it is known that an engine hangs, which is another thing. */
const tooOld = 1.3
/** After such a time without a late row, lateness is over. */
const settledMs = 10_000

/**
 * Bounds how many rows may wait, so that each is stored `maxLagMs` after its answer: as many as would be stored within
 * that time at the rate of the last batches, where each batch costs as much as `batchRows` more; until a batch was
 * stored, `fewRows`. When a row has waited for longer nevertheless, no more than these are taken from those who send
 * most.
 *
 *   away (rows are not stored, and wait without a bound) → behind (more rows wait than the bound) → usual
 */
export class LagLimit {
  readonly #options: LagLimitOptions
  readonly #now: () => number
  /** How many rows may wait while they are more than the bound; Infinity while away. */
  #behind = 0
  /** What was stored, in how many batches and which time, where what is older counts less. */
  readonly #recent = { rows: 0, batches: 0, ms: 0 }
  /** For how many rows a row counts: that of those that waited last. */
  #weight = 1
  /** How long the oldest row waits. */
  #lagMs = 0
  /** How many rows each holder has sent lately: what was sent earlier counts half at each look. */
  #sent = new Map<string, number>()
  #sentByAll = 0
  /** Rows are late, or requests are refused so that none will be. */
  #late: { untilMs: number; longestMs: number; refused: number } | undefined

  constructor(options: LagLimitOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Whether the next row would wait too long. Whoever asks refuses a request then. It is so first for those who have
   * sent more than the mean: one client that floods the service takes nothing from all others.
   */
  isReached(holder: string): boolean {
    const waiting = this.#waiting
    const fits = this.#fits
    const bound = Math.max(fits, this.#behind)
    const isOld = this.#behind === 0 && this.#lagMs > tooOld * this.#options.maxLagMs
    const isReached =
      waiting > fewRows &&
      (waiting > bound || isOld) &&
      this.#options.isStoring() &&
      (waiting > bound + forOthers * fits || this.#hasSentMost(holder))
    if (isReached) this.#noteLate(0).refused++
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
    this.#lagMs = lagMs
    if (stored !== undefined && stored.tookMs > 0) this.#learn(stored)
    const waiting = this.#waiting
    const { rows: waitingRows } = this.#options.backlog()
    if (waitingRows > 0) this.#weight = waiting / waitingRows
    // Also when few rows wait: after the outage they are old, and more have come before the first is stored.
    if (!isStoring()) this.#behind = Infinity
    else if (this.#behind === Infinity) this.#behind = waiting + Math.max(2 * batchRows, this.#fits)
    else if (waiting <= fewRows && lagMs <= maxLagMs) this.#behind = 0
    else if (waiting <= this.#fits && lagMs <= maxLagMs * aim) this.#behind = 0
    else this.#behind = Math.max(0, this.#behind - (1 - whileBehind) * (stored?.rows ?? 0) * this.#weight)
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
    return Math.max(rows, (bytes - freeBytes) / bytesOfRow)
  }

  /** How many rows are stored in time: those of a batch that is under way, and of the next one. */
  get #fits(): number {
    const { rows, batches, ms } = this.#recent
    const perMs = (rows + batches * batchRows) / Math.max(1, ms)
    const inTime = perMs * this.#options.maxLagMs * aim - 2 * batchRows
    // Where batches take so long that the time is gone with them, fewer rows would be stored hardly sooner.
    const ofOneBatch = Math.min(batchRows, (rows / Math.max(1, ms)) * this.#options.maxLagMs * aimOfFew)
    return Math.max(fewRows, ofOneBatch, Math.min(inTime, mostGrowth * rows))
  }

  #learn({ rows, batches, tookMs }: Stored): void {
    const recent = this.#recent
    recent.rows = recent.rows / 2 + rows * this.#weight
    recent.batches = recent.batches / 2 + batches
    recent.ms = recent.ms / 2 + tookMs
  }

  #noteLate(lagMs: number) {
    const { logger, backlog, isStoring } = this.#options
    if (this.#late === undefined) {
      const about = { lag_seconds: seconds(lagMs), rows: backlog().rows, storing: isStoring() }
      logger.warn('Accepted rows are stored late, or some are refused so that none will be.', about)
    }
    this.#late ??= { untilMs: 0, longestMs: 0, refused: 0 }
    this.#late.untilMs = this.#now() + settledMs
    this.#late.longestMs = Math.max(this.#late.longestMs, lagMs)
    return this.#late
  }

  #endLate(): void {
    if (this.#late === undefined || this.#now() < this.#late.untilMs) return
    const { longestMs, refused } = this.#late
    this.#options.logger.warn('Accepted rows are stored in time again.', {
      longest_lag_seconds: seconds(longestMs),
      refused,
    })
    this.#late = undefined
  }
}

const seconds = (ms: number) => Math.round(ms / 100) / 10
