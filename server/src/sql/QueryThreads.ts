import type { DuckDBConnection } from '@duckdb/node-api'
import { beginBehind } from '../link/ownLimits.js'

/** Queries that follow each other within this time do not change the number of threads. */
const lingerMs = 5000

/**
 * The threads that are there for queries alone have the lowest priority: for storing those are enough that were there
 * before, and each query also computes in the thread of its own call. On two processors at loads of 10 to 20 the latest
 * row of 3,000 events a second beside a large question took 1.9 to 3.1 s instead of 3.9 to 4.5. Beside two joins without
 * end, 700 events a second, it took 1.3 to 6.9 s instead of 1.5 to 9.5 (five of seven runs less, one more), and 528
 * requests instead of 844 were refused. A question took up to half a second longer.
 */
const queryNice = 19

/**
 * Sets how many threads DuckDB computes with: all that it may use while a query runs, and only as many as storing needs
 * while no query runs. Beside a query that runs they are never fewer: DuckDB would wait for the end of the thread's
 * call, with `levenshtein` of long texts for hours, and begin no other statement. `scheduler_process_partial` does not
 * interrupt a call.
 */
export class QueryThreads {
  readonly #connection: DuckDBConnection
  readonly #asking: number
  readonly #storing: number
  #queries = 0
  #isClosed = false
  #now: number
  #lowering: NodeJS.Timeout | undefined
  #change: Promise<void> = Promise.resolve()

  /** The connection belongs to this object from now on: `close` closes it. */
  constructor(connection: DuckDBConnection, asking: number, storing: number) {
    this.#connection = connection
    this.#asking = asking
    this.#storing = storing
    this.#now = storing
  }

  /** Call it before a query runs, and the returned function when the query has ended. */
  async enter(): Promise<() => void> {
    this.#queries++
    clearTimeout(this.#lowering)
    await this.#set(this.#asking)
    return () => {
      this.#queries--
      if (this.#queries > 0 || this.#isClosed) return
      this.#lowering = setTimeout(() => void this.#set(this.#storing), lingerMs).unref()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#lowering)
    await this.#change
    this.#connection.closeSync()
  }

  #set(threads: number): Promise<void> {
    if (threads === this.#now) return this.#change
    // For fewer threads DuckDB ends them all and begins those that stay anew: these are for storing.
    const areForQueries = threads > this.#now
    this.#now = threads
    const set = async () => {
      // When this fails a query only takes longer.
      await this.#connection.run(`SET GLOBAL threads = ${threads}`).catch(() => undefined)
    }
    this.#change = this.#change.then(() => (areForQueries ? beginBehind(queryNice, set) : set()))
    return this.#change
  }
}
