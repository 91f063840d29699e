import type { DuckDBConnection } from '@duckdb/node-api'
import { beginBehind } from '../link/ownLimits.js'

/** Queries that follow each other within this time do not change the number of threads. */
const lingerMs = 5000

/**
 * The threads that are there for queries alone have the lowest priority: for storing those are enough that were there
 * before, and each query also computes in the thread of its own call. Beside two joins without end and 700 events a
 * second, on two processors at loads of 10 to 19, rows were there after 1.3 to 3.6 s instead of 1.5 to 5.0, and 76
 * requests instead of 355 were refused; other questions waited no longer.
 */
const queryNice = 19

/**
 * Sets how many threads DuckDB computes with: all that it may use while a query runs, and only as many as
 * storing needs while no query runs. Beside a query that runs they are never fewer: DuckDB then waits for the thread's call
 * to end, and lets no other statement begin, which `levenshtein` of long texts made hours
 * (`scheduler_process_partial` does not interrupt a call).
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
    this.#now = threads
    this.#change = this.#change.then(async () => {
      await beginBehind(queryNice, async () => {
        // When this fails a query only takes longer.
        await this.#connection.run(`SET GLOBAL threads = ${threads}`).catch(() => undefined)
      })
    })
    return this.#change
  }
}
