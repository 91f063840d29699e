export interface TryLimitOptions {
  /** How many wrong tries in a row need no wait. */
  atOnce: number
  /** The wait for each further try. */
  everyMs: number
  now?: () => number
}

const maxKeys = 10_000

/**
 * Limits wrong tries. A try counts under one or more keys. For each key there is one number: the time at
 * which all its tries are paid for (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm).
 */
export class TryLimit {
  readonly #options: Required<TryLimitOptions>
  readonly #paidAt = new Map<string, number>()

  constructor(options: TryLimitOptions) {
    this.#options = { now: () => performance.now(), ...options }
  }

  /** Returns how long to wait before a try under these keys. When it may be made now it counts, and the result is 0. */
  take(keys: readonly string[]): number {
    const { atOnce, everyMs, now } = this.#options
    const latest = Math.max(...keys.map((key) => this.#paidAt.get(key) ?? 0))
    const waitMs = latest - now() - (atOnce - 1) * everyMs
    if (waitMs > 0) return waitMs
    for (const key of keys) this.#set(key, Math.max(this.#paidAt.get(key) ?? 0, now()) + everyMs)
    return 0
  }

  /** Takes a try back that was right, because only wrong ones count. */
  giveBack(keys: readonly string[]): void {
    for (const key of keys) this.#set(key, (this.#paidAt.get(key) ?? 0) - this.#options.everyMs)
  }

  #set(key: string, paidAt: number): void {
    // The key moves to the end of the map, so that the key at the front, the oldest, is deleted first.
    this.#paidAt.delete(key)
    if (paidAt > this.#options.now()) this.#paidAt.set(key, paidAt)
    if (this.#paidAt.size > maxKeys) this.#paidAt.delete(this.#paidAt.keys().next().value!)
  }
}
