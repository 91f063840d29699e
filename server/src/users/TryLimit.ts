export interface TryLimitOptions {
  /** Wrong tries in a row before there is a wait. */
  atOnce: number
  /** The wait for each further one. */
  everyMs: number
  now?: () => number
}

const maxKeys = 10_000

/**
 * Bounds wrong tries, each by one of several keys. For each key it keeps one number: the time at
 * which all tries that were made are paid for (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm).
 */
export class TryLimit {
  readonly #options: Required<TryLimitOptions>
  readonly #paidAt = new Map<string, number>()

  constructor(options: TryLimitOptions) {
    this.#options = { now: () => performance.now(), ...options }
  }

  /** How long to wait before a try by these keys; 0 when it may be made now, and then it counts. */
  take(keys: readonly string[]): number {
    const { atOnce, everyMs, now } = this.#options
    const latest = Math.max(...keys.map((key) => this.#paidAt.get(key) ?? 0))
    const waitMs = latest - now() - (atOnce - 1) * everyMs
    if (waitMs > 0) return waitMs
    for (const key of keys) this.#set(key, Math.max(this.#paidAt.get(key) ?? 0, now()) + everyMs)
    return 0
  }

  /** The try was right, and does not count. */
  giveBack(keys: readonly string[]): void {
    for (const key of keys) this.#set(key, (this.#paidAt.get(key) ?? 0) - this.#options.everyMs)
  }

  #set(key: string, paidAt: number): void {
    // Moves it to the end: the key that was not seen for the longest time goes first.
    this.#paidAt.delete(key)
    if (paidAt > this.#options.now()) this.#paidAt.set(key, paidAt)
    if (this.#paidAt.size > maxKeys) this.#paidAt.delete(this.#paidAt.keys().next().value!)
  }
}
