export interface Failing {
  sinceMs: number
  reason: string
}

/** What fails: a log, by its number, or the engine when it cannot even be started. */
type Part = number | 'engine'

/** Remembers since when and why accepted rows are not being stored, as far as this process has heard. */
export class Storing {
  readonly #failing = new Map<Part, Failing>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  fail(part: Part, reason: string): void {
    this.#failing.set(part, { sinceMs: this.#failing.get(part)?.sinceMs ?? this.#now(), reason })
  }

  /** Rows of a log are stored, or no row waits. In both cases the engine is there. */
  succeed(log: number): void {
    this.#failing.delete(log)
    this.#failing.delete('engine')
  }

  /** The failure that has lasted longest; undefined when all is well. */
  get failing(): Failing | undefined {
    return [...this.#failing.values()].toSorted((a, b) => a.sinceMs - b.sinceMs)[0]
  }
}
