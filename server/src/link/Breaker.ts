interface Ends {
  times: number
  reason: string
  /** By `performance.now()`: a clock that is ahead for a moment would refuse the statement until that time comes. */
  untilMs: number
}

/** A statement that has ended the engine so often is refused. */
const mostEnds = 2
const refusedMs = 24 * 3_600_000
/** How many statements are kept in mind; beyond that the oldest are forgotten. */
const maxKept = 1000

/** Remembers which statements have ended the engine, for a day after the last time. */
export class Breaker {
  readonly #ends = new Map<string, Ends>()

  /** Notes that the engine ended at the statement of this key. */
  note(key: string, reason: string): void {
    this.#drop()
    const times = (this.#ends.get(key)?.times ?? 0) + 1
    this.#ends.delete(key)
    this.#ends.set(key, { times, reason, untilMs: performance.now() + refusedMs })
    if (this.#ends.size > maxKept) this.#ends.delete(this.#ends.keys().next().value!)
  }

  /** The statements that are refused now, each with what its client is told. */
  refused(): (readonly [key: string, reason: string])[] {
    this.#drop()
    const zeroMs = Date.now() - performance.now()
    return [...this.#ends]
      .filter(([, { times }]) => times >= mostEnds)
      .map(([key, { times, reason, untilMs }]) => [
        key,
        `This statement has ended the query engine ${times} times (${reason}), and is refused until ${new Date(Math.round(zeroMs + untilMs)).toISOString()}. Write it in another way.`,
      ])
  }

  #drop(): void {
    for (const [key, { untilMs }] of this.#ends) if (untilMs < performance.now()) this.#ends.delete(key)
  }
}
