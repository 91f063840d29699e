import type { DuckDBConnection } from '@duckdb/node-api'

/** Queries that follow each other within this time do not change the number of threads. */
const lingerMs = 5000

/**
 * Sets how many threads DuckDB computes with: all that it may use while a query runs, and only as many as
 * storing needs while no query runs.
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
      // When this fails a query only takes longer.
      await this.#connection.run(`SET GLOBAL threads = ${threads}`).catch(() => undefined)
    })
    return this.#change
  }
}
