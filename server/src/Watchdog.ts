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

/** A process that stands still loses at most this part of the time. */
const ticks = 20

/**
 * Calls `onSilence` once when nothing was heard for so long. The time is counted in ticks: a process that stood still (a
 * stopped one, a frozen container) finds every timer due at once, and what it watches over may have stood still with it.
 */
export class Watchdog {
  readonly #tickMs: number
  readonly #onSilence: () => void
  #left = 0
  #timer: NodeJS.Timeout | undefined

  constructor(afterMs: number, onSilence: () => void) {
    this.#tickMs = afterMs / ticks
    this.#onSilence = onSilence
  }

  /** For how many twentieths of its time nothing was heard. */
  get missed(): number {
    return this.#timer === undefined ? 0 : ticks - this.#left
  }

  /** Something was heard, or is expected from now on. */
  heard(): void {
    this.#left = ticks
    this.#timer ??= setInterval(() => {
      if (--this.#left > 0) return
      this.stop()
      this.#onSilence()
    }, this.#tickMs)
  }

  /** Nothing is expected any more. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
