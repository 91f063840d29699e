const againMs = 60_000

/** A failure that comes again and again is worth a line in the log when it is new, and then once a minute. */
export class Recurring {
  #known: string | undefined
  #toldMs = 0
  #times = 0

  /** How often it came since it was told; undefined while it is not to be told again. Figures in it may differ. */
  note(reason: string): number | undefined {
    const known = reason.replaceAll(/\d[\d.]*( [KMGT]?i?B| bytes)?/g, '')
    this.#times++
    if (known === this.#known && performance.now() < this.#toldMs + againMs) return undefined
    const times = this.#times
    this.#known = known
    this.#toldMs = performance.now()
    this.#times = 0
    return times
  }
}
