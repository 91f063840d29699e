import type { DuckDBConnection } from '@duckdb/node-api'
import type { Logger } from '../Logger.js'
import type { Database } from './Database.js'

export interface Chore {
  /** What is logged when it fails. */
  failure: string
  /** Ends soon once it is stopped. */
  run(connection: DuckDBConnection, isStopped: () => boolean): Promise<void>
}

const everyMs = 3_600_000

/** Runs chores one after the other, at the start and once an hour. */
export class Hourly {
  readonly #chores: readonly Chore[]
  readonly #database: Database
  readonly #logger: Logger
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(chores: readonly Chore[], database: Database, logger: Logger) {
    this.#chores = chores
    this.#database = database
    this.#logger = logger
  }

  start(): void {
    this.#runOnce()
    this.#timer = setInterval(() => this.#runOnce(), everyMs)
    this.#timer.unref()
  }

  /** Waits for what is at hand. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#running
  }

  #runOnce(): void {
    this.#running ??= this.#runAll().finally(() => (this.#running = undefined))
  }

  async #runAll(): Promise<void> {
    for (const { failure, run } of this.#chores) {
      if (this.#isStopped) return
      await this.#database
        .use((connection) => run(connection, () => this.#isStopped))
        .catch((error: unknown) => {
          this.#logger.error(failure, { reason: error instanceof Error ? error.message : String(error) })
        })
    }
  }
}
