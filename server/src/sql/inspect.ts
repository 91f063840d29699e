import type { DuckDBConnection } from '@duckdb/node-api'
import type { ConcurrencyLimit } from '../store/ConcurrencyLimit.js'
import { inReadOnly } from '../store/readOnly.js'
import { isFatal } from '../store/transactions.js'
import type { Cancellation } from './Cancellation.js'
import { givenUp, type OnGivenUp } from './givenUp.js'
import type { Guard } from './guard/Guard.js'
import type { HeldConnection } from './HeldConnections.js'
import { enterConnection, type SearchPath } from './searchPath.js'

export interface InspectOptions {
  limit: ConcurrencyLimit
  guard: Guard
  /** Catalogs that may be read. */
  readable: readonly string[]
  home: SearchPath
  timeoutMs: number
  onGivenUp: OnGivenUp
}

/** Runs `work`, which only reads, on a connection that it takes as a query would. */
export type Inspect = <T>(
  held: HeldConnection,
  cancellation: Cancellation,
  work: (connection: DuckDBConnection, guard: Guard) => Promise<T>,
) => Promise<T>

/** Longer than this no client waits to learn about a statement that it has not run. */
const longestMs = 30_000

export const inspector =
  ({ limit, guard, readable, home, timeoutMs, onGivenUp }: InspectOptions): Inspect =>
  async (held, cancellation, work) => {
    const cleanups: (() => void)[] = []
    try {
      cleanups.push(await held.enter(cancellation.signal))
      const permit = await limit.acquire({ user: held.user, signal: cancellation.signal })
      cleanups.push(() => permit.release())
      const timer = setTimeout(() => cancellation.cancel('timeout'), Math.min(timeoutMs, longestMs))
      cleanups.push(() => clearTimeout(timer))
      cleanups.push(cancellation.guard(held.connection))
      await enterConnection(held, {}, readable, home)
      return await inReadOnly(held.connection, () => work(held.connection, guard))
    } catch (error) {
      throw cancellation.error ?? (isFatal(error) ? givenUp(error, onGivenUp, cancellation.asked) : error)
    } finally {
      for (const cleanup of cleanups.toReversed()) cleanup()
    }
  }
