import type { DuckDBConnection } from '@duckdb/node-api'
import type { Logger } from '../Logger.js'
import type { Database } from './Database.js'
import { reasonOf } from '../OperatorError.js'

/** Work that needs memory, all of which can be held back for a while. `ConcurrencyLimit` is the same for queries. */
export class Stillness {
  #working = 0
  #holds = 0
  #held: (() => void)[] = []

  /** Whether none of the work is under way. */
  get isIdle(): boolean {
    return this.#working === 0
  }

  /** Starts nothing until the result is called. */
  hold(): () => void {
    this.#holds++
    return () => {
      this.#holds--
      if (this.#holds === 0) for (const start of this.#held.splice(0)) start()
    }
  }

  /** Does work, once nobody holds it back. */
  readonly during = async <T>(work: () => Promise<T>): Promise<T> => {
    while (this.#holds > 0) await new Promise<void>((resolve) => this.#held.push(resolve))
    this.#working++
    try {
      return await work()
    } finally {
      this.#working--
    }
  }
}

export interface Chore {
  /** The message that is logged when the chore fails. */
  failure: string
  /** Must end soon once `isStopped` returns true. */
  run(connection: DuckDBConnection, isStopped: () => boolean): Promise<void>
}

interface UpkeepOptions {
  chores: readonly Chore[]
  everyMs: number
  database: Database
  logger: Logger
}

/** Runs chores one after the other, at the start and then every `everyMs`. */
export class Upkeep {
  readonly #options: UpkeepOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(options: UpkeepOptions) {
    this.#options = options
  }

  start(): void {
    this.#runOnce()
    this.#timer = setInterval(() => this.#runOnce(), this.#options.everyMs)
    this.#timer.unref()
  }

  /** Waits for the chore that runs. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#running
  }

  #runOnce(): void {
    this.#running ??= this.#runAll().finally(() => (this.#running = undefined))
  }

  async #runAll(): Promise<void> {
    const { chores, database, logger } = this.#options
    for (const { failure, run } of chores) {
      if (this.#isStopped) return
      await database
        .use((connection) => run(connection, () => this.#isStopped))
        .catch((error: unknown) => {
          logger.error(failure, { reason: reasonOf(error) })
        })
    }
  }
}
