import type { DuckDBConnection } from '@duckdb/node-api'
import type { Logger } from '../Logger.js'
import type { Database } from '../store/Database.js'
import { damaged } from '../store/StoreError.js'
import { inTransaction, isTransient } from '../store/transactions.js'
import { Applier } from './Applier.js'
import { Intake } from './Intake.js'
import type { LogStore } from './LogStore.js'
import type { TaskIds } from './TaskIds.js'
import type { LogEntry } from './WriteAheadLog.js'

export interface CatalogWriterOptions {
  catalog: string
  /** The schema with the tables `position` and `rejected`, as SQL writes it. */
  schema: string
  /** Writes a run of entries; the transaction around it is held here. May give what to do after it. */
  applyEntries(
    connection: DuckDBConnection,
    entries: readonly LogEntry[],
  ): Promise<(() => Promise<void>) | undefined>
  database: Database
  logs: LogStore
  taskIds: TaskIds
  maxBacklogRows: number
  maxBacklogBytes: number
  syncWaitMs: number
  logger: Logger
}

/** How far the write-ahead log has been applied, 0 in a new store. */
const readPosition = async (connection: DuckDBConnection, table: string): Promise<number> => {
  const reader = await connection.runAndReadAll(`SELECT applied FROM ${table}`)
  const [row] = reader.getRows()
  if (row !== undefined) return Number(row[0])
  await connection.run(`INSERT INTO ${table} VALUES (0)`)
  return 0
}

/** One catalog's way in: its write-ahead log, what takes requests into it, and what moves them into DuckDB. */
export class CatalogWriter {
  readonly intake: Intake
  readonly #applier: Applier
  readonly #connection: DuckDBConnection

  private constructor(intake: Intake, applier: Applier, connection: DuckDBConnection) {
    this.intake = intake
    this.#applier = applier
    this.#connection = connection
  }

  static async open(options: CatalogWriterOptions): Promise<CatalogWriter> {
    const { catalog, schema, applyEntries, database, logs, logger } = options
    const connection = await database.connect()
    const position = `${schema}.position`
    const applied = await readPosition(connection, position)
    const pruned = logs.prunedOf(catalog)
    if (applied < pruned) {
      connection.closeSync()
      const lost = `has lost ${pruned - applied} rows that were stored, perhaps with its .wal file`
      throw damaged(`the catalog ${catalog} ${lost}`)
    }
    const log = logs.log(catalog, applied)
    const moveTo = (through: number) => connection.run(`UPDATE ${position} SET applied = ${through}`)

    const applier = new Applier({
      log,
      applied,
      urgentRows: options.maxBacklogRows / 2,
      isTransient,
      logger,
      async apply(entries, through) {
        const finish = await inTransaction(connection, async () => {
          const after = await applyEntries(connection, entries)
          await moveTo(through)
          return after
        })
        // The rows are stored, so a failure here must not store them again.
        await finish?.().catch((error: unknown) => {
          logger.warn('Remembering insert ids failed; they stay in memory.', { reason: String(error) })
        })
        // The rows are stored, so a failure here must not store them again; the next flush prunes for both.
        await Promise.all([log.prune(through), logs.setPruned(catalog, through)]).catch((error: unknown) => {
          logger.warn('Pruning the write-ahead log failed.', { reason: String(error) })
        })
      },
      setAside: (entry, through, reason) =>
        inTransaction(connection, async () => {
          const values = [
            BigInt(entry.first),
            BigInt(entry.receivedAtMs),
            entry.kind,
            entry.body.toString(),
            reason,
          ]
          await connection.run(
            `INSERT INTO ${schema}.rejected VALUES ($1, epoch_ms($2::BIGINT), $3, $4, $5)`,
            values,
          )
          await moveTo(through)
        }),
    })
    applier.wake()
    const intake = new Intake({ ...options, number: await logs.numberOf(catalog), log, applier })
    return new CatalogWriter(intake, applier, connection)
  }

  async close(): Promise<void> {
    await this.#applier.stop()
    this.#connection.closeSync()
  }
}
