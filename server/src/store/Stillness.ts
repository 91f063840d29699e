/** Work that needs memory, all of which can be held back for a while. `ConcurrencyLimit` is the same for queries. */
export class Stillness {
  #working = 0
  #holds = 0
  #held: (() => void)[] = []

  /** Whether none of the work is under way. */
  get isIdle(): boolean {
    return this.#working === 0
  }

  /** Starts nothing until the result is called. */
  hold(): () => void {
    this.#holds++
    return () => {
      this.#holds--
      if (this.#holds === 0) for (const start of this.#held.splice(0)) start()
    }
  }

  /** Does work, once nobody holds it back. */
  readonly during = async <T>(work: () => Promise<T>): Promise<T> => {
    while (this.#holds > 0) await new Promise<void>((resolve) => this.#held.push(resolve))
    this.#working++
    try {
      return await work()
    } finally {
      this.#working--
    }
  }
}
