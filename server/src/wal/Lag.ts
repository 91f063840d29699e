export interface LagOptions {
  /** The sequence of the newest row that was accepted. */
  last(): number
  /** The sequence of the newest row that is stored. */
  applied(): number
  now?: () => number
}

const everyMs = 1000
/** A mark each second makes 43,200 in half a day without an engine. Beyond this number every other mark is dropped. */
const maxMarks = 50_000

/** Measures how long the oldest row has waited that is not stored yet, by a mark each second. */
export class Lag {
  readonly #options: Required<LagOptions>
  #marks: { last: number; ms: number }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: LagOptions) {
    this.#options = { now: () => performance.now(), ...options }
    this.mark()
  }

  start(): void {
    this.#timer = setInterval(() => this.mark(), everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Notes the newest row and the time: all rows up to it were accepted by now. */
  mark(): void {
    const { last, now } = this.#options
    this.#drop()
    if ((this.#marks.at(-1)?.last ?? this.#options.applied()) >= last()) return
    this.#marks.push({ last: last(), ms: now() })
    if (this.#marks.length > maxMarks) this.#marks = this.#marks.filter((_, at) => at % 2 === 0)
  }

  get seconds(): number {
    this.#drop()
    const [oldest] = this.#marks
    return oldest === undefined ? 0 : (this.#options.now() - oldest.ms) / 1000
  }

  #drop(): void {
    const applied = this.#options.applied()
    const waiting = this.#marks.findIndex(({ last }) => last > applied)
    this.#marks.splice(0, waiting < 0 ? this.#marks.length : waiting)
  }
}
