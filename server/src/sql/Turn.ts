import type { ConcurrencyLimit, Pausable, Permit } from '../duckdb/ConcurrencyLimit.js'
import { quoteText } from '../duckdb/quote.js'
import { beginReadOnly, definitionChanges, isFatal } from '../duckdb/transactions.js'
import type { Cancellation } from './Cancellation.js'
import { type ComputeSize, shareOf } from './computeSize.js'
import type { HeldConnection } from './HeldConnections.js'
import { givenUp, messageOf, type OnGivenUp, refuseField } from './refuse.js'
import type { ParquetFile } from './rows/exportParquet.js'
import type { Rows } from './rows/streamRows.js'
import { enterConnection, type PathFields, type SearchPath } from './searchPath.js'

export interface TurnOptions {
  limit: ConcurrencyLimit
  /** How many permits the limit has for all. */
  permits: number
  /** How long a statement may run. */
  timeoutMs: number
  /** Catalogs that may be read. */
  readable: readonly string[]
  /** The search path of a new connection, and of one whose schema was dropped. */
  home: SearchPath
  onGivenUp: OnGivenUp
}

/** Where a turn's statement looks for names, and which time it takes for local. */
export interface Place extends PathFields {
  timezone?: string | null
}

/**
 * The turn of a statement of a client's, whichever door it came by and whether it is run or only looked at:
 *
 *   `open`: the connection → `take`: permits, then the time limit → `enter`: it can be interrupted, its search path,
 *   it only reads → `close`: all of it undone in reverse
 */
export class Turn {
  readonly #options: TurnOptions
  readonly #held: HeldConnection
  readonly #cancellation: Cancellation
  readonly #undo: (() => void)[] = []
  #permit: Permit | undefined
  #timer: NodeJS.Timeout | undefined
  #rows: Rows | ParquetFile | undefined
  #release: (() => void) | undefined
  #endReading: (() => Promise<void>) | undefined

  constructor(options: TurnOptions, held: HeldConnection, cancellation: Cancellation) {
    this.#options = options
    this.#held = held
    this.#cancellation = cancellation
  }

  /**
   * The connection is taken before the permits. The other way round, statements that wait for one connection could hold
   * all the permits that the statement on that connection waits for.
   */
  async open(): Promise<void> {
    this.undo(await this.#held.enter(this.#cancellation.signal))
  }

  /** Waits for as many permits as the size needs. What it has already it gives back first, so that no two wait for each other. */
  async take(size?: ComputeSize | null): Promise<void> {
    if (this.#timer === undefined) this.undo(() => this.#leave())
    this.#leave()
    const { limit, permits: all, timeoutMs } = this.#options
    const cancellation = this.#cancellation
    const { permits, isSmall, maxMs } = shareOf(size, all)
    this.#permit = await limit.acquire({
      user: this.#held.user,
      permits,
      isSmall,
      signal: cancellation.signal,
      end: () => cancellation.cancel('unread'),
    })
    const end = () => cancellation.cancel(maxMs < timeoutMs ? 'size' : 'timeout')
    this.#timer = setTimeout(end, Math.min(maxMs, timeoutMs))
  }

  /** Returns the message for a change when the connection's own schema was dropped. */
  async enter(place: Place, readsOnly: boolean): Promise<string | undefined> {
    const { readable, home } = this.#options
    const held = this.#held
    const { connection } = held
    this.#release = this.#cancellation.guard(connection)
    if (this.#cancellation.error !== undefined) throw this.#cancellation.error
    const timezone = place.timezone ?? held.timezone
    const changes = definitionChanges.count
    const wanted = JSON.stringify([held.path, place.catalog, place.schema, timezone, changes])
    let lost: string | undefined
    // What the statement before has entered lasts, until a schema may have been dropped.
    if (changes === undefined || wanted !== held.entered) {
      held.entered = undefined
      lost = await enterConnection(held, place, readable, home)
      await connection.run(`SET TimeZone = ${quoteText(timezone)}`).catch((error: unknown) => {
        if (isFatal(error)) throw error
        throw refuseField(`timezone: ${messageOf(error).split('\n', 1)[0]}`)
      })
      if (lost === undefined) held.entered = wanted
    }
    if (readsOnly) this.#endReading = await beginReadOnly(connection)
    return lost
  }

  /** Called before what came before it is undone. */
  undo(step: () => void): void {
    this.#undo.push(step)
  }

  /**
   * The permit of an answer whose rows are read now. It is paused only once nothing is being fetched: a fetch keeps a
   * thread of DuckDB's busy. A query that was cancelled in its pause does not go on.
   */
  whileReading(rows: Rows | ParquetFile): Pausable {
    this.#rows = rows
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

  /** The error for the client. */
  errorOf(error: unknown): unknown {
    const { onGivenUp } = this.#options
    const ended = isFatal(error) ? givenUp(error, onGivenUp, this.#cancellation.asked) : undefined
    return this.#cancellation.error ?? ended ?? error
  }

  /**
   * From here on the connection is used by the turn alone: nothing is read or interrupted. DuckDB crashes when a
   * connection takes its next statement, or is closed, during a fetch.
   */
  async settle(): Promise<void> {
    const rows = this.#rows
    this.#rows = undefined
    if (rows !== undefined && 'close' in rows) await rows.close?.()
    this.#release?.()
    await this.#endReading?.()
  }

  async close(): Promise<void> {
    await this.settle()
    for (const step of this.#undo.splice(0).toReversed()) step()
  }

  #leave(): void {
    clearTimeout(this.#timer)
    this.#permit?.release()
    this.#permit = undefined
  }
}
