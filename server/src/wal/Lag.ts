import type { Cleanups } from '../Cleanups.js'
import type { Stored } from './LagLimit.js'

/** What storing took until now: how many batches, and how long in all, without rests. */
export interface Spent {
  batches: number
  ms: number
}

export interface LagOptions {
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
