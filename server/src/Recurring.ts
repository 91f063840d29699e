const againMs = 60_000

/** A repeated failure is logged when it is new, and then once a minute. */
export class Recurring {
  #known: string | undefined
  #loggedMs = 0
  #times = 0

  /**
   * Returns how often the failure came since it was last logged; undefined when it shall not be logged now.
   * Reasons that differ only in their numbers are one failure.
   */
  note(reason: string): number | undefined {
    const known = reason.replaceAll(/\d[\d.]*( [KMGT]?i?B| bytes)?/g, '')
    this.#times++
    if (known === this.#known && performance.now() < this.#loggedMs + againMs) return undefined
    const times = this.#times
    this.#known = known
    this.#loggedMs = performance.now()
    this.#times = 0
    return times
  }
}
