export interface Failing {
  sinceMs: number
  reason: string
}

/** A log by its number, or the engine where it cannot even be started. */
type Part = number | 'engine'

/** Since when accepted rows are not being stored, and why, as far as this process has heard. */
export class Storing {
  readonly #failing = new Map<Part, Failing>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  fail(part: Part, reason: string): void {
    this.#failing.set(part, { sinceMs: this.#failing.get(part)?.sinceMs ?? this.#now(), reason })
  }

  /** Rows of a log are stored, or none wait; so the engine is there, too. */
  succeed(log: number): void {
    this.#failing.delete(log)
    this.#failing.delete('engine')
  }

  /** What has failed for the longest time; undefined when all is well. */
  get failing(): Failing | undefined {
    return [...this.#failing.values()].toSorted((a, b) => a.sinceMs - b.sinceMs)[0]
  }
}
