import type { ConcurrencyLimit, Pausable, Permit } from '../duckdb/ConcurrencyLimit.js'
import type { Cancellation } from './Cancellation.js'
import { type ComputeSize, shareOf } from './computeSize.js'
import type { ParquetFile } from './rows/exportParquet.js'
import type { Rows } from './rows/streamRows.js'

export interface TurnOptions {
  limit: ConcurrencyLimit
  /** How many permits the limit has for all. */
  permits: number
  /** How long a statement may run. */
  timeoutMs: number
}

/** A query's turn: its permits, and the time that it may take. */
export class Turn {
  readonly #options: TurnOptions
  readonly #user: string
  readonly #cancellation: Cancellation
  #permit: Permit | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: TurnOptions, user: string, cancellation: Cancellation) {
    this.#options = options
    this.#user = user
    this.#cancellation = cancellation
  }

  /** Waits for as many permits as the size needs. What it has already it gives back first, so that no two wait for each other. */
  async take(size: ComputeSize | null | undefined): Promise<void> {
    this.leave()
    const { limit, permits: all, timeoutMs } = this.#options
    const cancellation = this.#cancellation
    const { permits, isSmall, maxMs } = shareOf(size, all)
    this.#permit = await limit.acquire({
      user: this.#user,
      permits,
      isSmall,
      signal: cancellation.signal,
      end: () => cancellation.cancel('unread'),
    })
    const end = () => cancellation.cancel(maxMs < timeoutMs ? 'size' : 'timeout')
    this.#timer = setTimeout(end, Math.min(maxMs, timeoutMs))
  }

  leave(): void {
    clearTimeout(this.#timer)
    this.#permit?.release()
    this.#permit = undefined
  }

  /**
   * Pauses the permit only once nothing is being fetched: a fetch keeps a thread of DuckDB's busy. A query that was
   * cancelled in its pause does not go on.
   */
  whileReading(rows: Rows | ParquetFile): Pausable {
    const permit = this.#permit!
    const cancellation = this.#cancellation
    let isPaused = false
    return {
      pause() {
        isPaused = true
        const settled = 'settled' in rows ? rows.settled?.() : undefined
        void Promise.resolve(settled).then(() => isPaused && permit.pause())
      },
      async resume() {
        isPaused = false
        await permit.resume()
        if (cancellation.error !== undefined) throw cancellation.error
      },
    }
  }
}
