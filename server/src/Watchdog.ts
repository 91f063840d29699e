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
