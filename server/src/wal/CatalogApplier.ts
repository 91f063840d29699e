import type { DuckDBConnection } from '@duckdb/node-api'
import type { Logger } from '../Logger.js'
import type { Database } from '../store/Database.js'
import { damaged } from '../store/StoreError.js'
import { inTransaction, isTransient } from '../store/transactions.js'
import { Applier } from './Applier.js'
import type { LogReader } from './LogReader.js'
import type { LogEntry } from './segment.js'

export interface CatalogApplierOptions {
  catalog: string
  /** The schema with the tables `position` and `rejected`, as SQL writes it. */
  schema: string
  database: Database
  /** Its log, given how far it has been applied. */
  open(applied: number): LogReader
  /** How far the log has been pruned: at least so much must have been applied. */
  pruned: number
  /** Writes a run of entries; the transaction around it is held here. May give what to do after it. */
  applyEntries(
    connection: DuckDBConnection,
    entries: readonly LogEntry[],
  ): Promise<(() => Promise<void>) | undefined>
  logger: Logger
  onStarved(failures: number): void
  onApplied(through: number): void
  onSetAside(sequence: number, reason: string): void
}

/** How far the write-ahead log has been applied, 0 in a new store. */
const readPosition = async (connection: DuckDBConnection, table: string): Promise<number> => {
  const reader = await connection.runAndReadAll(`SELECT applied FROM ${table}`)
  const [row] = reader.getRows()
  if (row !== undefined) return Number(row[0])
  await connection.run(`INSERT INTO ${table} VALUES (0)`)
  return 0
}

/** What moves one catalog's write-ahead log into its file: the rows and the position are one transaction. */
export class CatalogApplier {
  readonly applier: Applier
  readonly #log: LogReader
  readonly #connection: DuckDBConnection

  private constructor(applier: Applier, log: LogReader, connection: DuckDBConnection) {
    this.applier = applier
    this.#log = log
    this.#connection = connection
  }

  static async open(options: CatalogApplierOptions): Promise<CatalogApplier> {
    const { catalog, schema, applyEntries, database, pruned, logger } = options
    const connection = await database.connect()
    const position = `${schema}.position`
    const applied = await readPosition(connection, position)
    if (applied < pruned) {
      connection.closeSync()
      const lost = `has lost ${pruned - applied} rows that were stored, perhaps with its .wal file`
      throw damaged(`the catalog ${catalog} ${lost}`)
    }
    const moveTo = (through: number) => connection.run(`UPDATE ${position} SET applied = ${through}`)
    const log = options.open(applied)
    const applier = new Applier({
      ...options,
      log,
      applied,
      isTransient,
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
    return new CatalogApplier(applier, log, connection)
  }

  async close(): Promise<void> {
    await this.applier.stop()
    await this.#log.close()
    this.#connection.closeSync()
  }
}
