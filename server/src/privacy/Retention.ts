import { mkdirSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Logger } from '../Logger.js'
import type { InTurn } from '../store/createTurns.js'
import type { Database } from '../store/Database.js'
import { StoreError } from '../store/StoreError.js'
import { archiveDay, type Archive } from './archiveDay.js'
import { deleteRejected, deleteSlice, type Day } from './deleteDay.js'

export interface RetentionOptions {
  database: Database
  /** Whose turn it is to write to analytics. */
  inTurn: InTurn
  /** How many days events are kept, by environment. */
  days: Readonly<Record<string, number>>
  archive: Archive | undefined
  logger: Logger
}

const everyMs = 3_600_000
const dayMs = 86_400_000

/** Refuses an archive that an erase would have to look into. */
export const openArchive = (folder: string, data: { path: string; temp: string }): Archive => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StoreError(
      `The archive ${folder} cannot be used: ${error instanceof Error ? error.message : ''}.`,
    )
  }
  const path = realpathSync(folder)
  if (`${path}${sep}`.startsWith(`${data.path}${sep}`)) {
    throw new StoreError(
      `The archive ${folder} lies in the data folder, where no person that was erased may be found; choose another folder.`,
    )
  }
  return { folder: path, tempFolder: data.temp }
}

/** The days of an environment that are older than it keeps events. A day counts as a whole, in UTC. */
const findDays = async (
  connection: DuckDBConnection,
  environment: string,
  keptDays: number,
): Promise<Day[]> => {
  const before = new Date(Math.floor(Date.now() / dayMs - keptDays) * dayMs).toISOString()
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT strftime(timezone('UTC', received_at), '%Y-%m-%d') AS day FROM analytics.raw.events
     WHERE environment = $1 AND received_at < TIMESTAMPTZ '${before}'
     UNION SELECT DISTINCT strftime(received_at, '%Y-%m-%d') FROM analytics.raw.rejected
     WHERE json_extract_string(TRY_CAST(body AS JSON), '/environment') = $1
       AND received_at < timezone('UTC', TIMESTAMPTZ '${before}')
     ORDER BY day`,
    [environment],
  )
  return reader.getRows().map(([day]) => ({ environment, day: day as string }))
}

/** Deletes events that are older than they may get, while others are stored. */
export class Retention {
  readonly #options: RetentionOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  start(): void {
    this.#runOnce()
    this.#timer = setInterval(() => this.#runOnce(), everyMs)
    this.#timer.unref()
  }

  /** Waits for the slice at hand. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#running
  }

  #runOnce(): void {
    const { database, logger } = this.#options
    this.#running ??= database
      .use((connection) => this.#run(connection))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        logger.error('Events that are too old could not be deleted; it is tried again in an hour.', {
          reason,
        })
      })
      .finally(() => (this.#running = undefined))
  }

  async #run(connection: DuckDBConnection): Promise<void> {
    for (const [environment, keptDays] of Object.entries(this.#options.days)) {
      for (const day of await findDays(connection, environment, keptDays)) {
        if (this.#isStopped) return
        await this.#delete(connection, day)
      }
    }
  }

  async #delete(connection: DuckDBConnection, day: Day): Promise<void> {
    const { inTurn, archive, logger } = this.#options
    const through =
      archive === undefined ? Number.MAX_SAFE_INTEGER : await archiveDay(connection, day, archive)
    let events = 0
    for (let slice = -1; slice !== 0 && !this.#isStopped; events += slice) {
      slice = await inTurn(() => deleteSlice(connection, day, through))
    }
    await inTurn(() => deleteRejected(connection, day))
    logger.info('Events that were too old were deleted.', { ...day, events })
  }
}
