import type { DuckDBConnection } from '@duckdb/node-api'
import type { Logger } from '../Logger.js'
import type { InTurn } from '../store/createTurns.js'
import type { Database } from '../store/Database.js'
import { damaged } from '../store/StoreError.js'
import { inTransaction, isTransient } from '../store/transactions.js'
import { Applier, type Rest } from './Applier.js'
import { DeadLetters, type DeadLetter } from './DeadLetters.js'
import { insertRejected, readDeadLetters, rejectedRows } from './rejected.js'
import type { LogReader } from './LogReader.js'
import type { LogEntry } from './segment.js'

type OpenedReader = Pick<LogReader, 'read' | 'last' | 'close'>

export interface CatalogApplierOptions {
  catalog: string
  /** The schema with the tables `position` and `rejected`, as SQL writes it. */
  schema: string
  database: Database
  /** Whose turn it is to write to the catalog; others may want a moment between two batches. */
  inTurn: InTurn
  /** Its log, given how far it has been applied. */
  open(applied: number): OpenedReader | Promise<OpenedReader>
  /** With so many rows waiting, requests are refused. */
  maxBacklogRows: number
  /** How far the log has been pruned: at least so much must have been applied. */
  pruned: number
  /** Writes a run of entries; the transaction around it is held here. May give what to do after it. */
  applyEntries(
    connection: DuckDBConnection,
    entries: readonly LogEntry[],
    rest: Rest,
  ): Promise<(() => Promise<void>) | undefined>
  /** The id of the task whose last row has this sequence. */
  taskIdOf(last: number): string
  /** The place of a task's last row; the other way round. */
  lastOfTask(taskId: string): number | undefined
  logger: Logger
  onStarved(failures: number): void
  onApplied(through: number): void
  onSetAside(letter: DeadLetter): void
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
  readonly deadLetters: DeadLetters
  readonly #log: OpenedReader
  readonly #connection: DuckDBConnection

  private constructor(
    applier: Applier,
    deadLetters: DeadLetters,
    { log, connection }: { log: OpenedReader; connection: DuckDBConnection },
  ) {
    this.applier = applier
    this.deadLetters = deadLetters
    this.#log = log
    this.#connection = connection
  }

  static async open(options: CatalogApplierOptions): Promise<CatalogApplier> {
    const { catalog, schema, applyEntries, taskIdOf, database, inTurn, pruned, logger } = options
    const connection = await database.connect()
    const position = `${schema}.position`
    const applied = await readPosition(connection, position)
    if (applied < pruned) {
      connection.closeSync()
      const lost = `has lost ${pruned - applied} rows that were stored, perhaps with its .wal file`
      throw damaged(`the catalog ${catalog} ${lost}`)
    }
    const moveTo = (through: number) => connection.run(`UPDATE ${position} SET applied = ${through}`)
    const log = await options.open(applied)
    const deadLetters = new DeadLetters()
    deadLetters.replace(await readDeadLetters(connection, `${schema}.rejected`, options.lastOfTask))
    const applier = new Applier({
      ...options,
      log,
      applied,
      deadLetters,
      isTransient,
      async apply(entries, through, rest) {
        const finish = await inTurn(() =>
          inTransaction(connection, async () => {
            const after = await applyEntries(connection, entries, rest)
            await moveTo(through)
            return after
          }),
        )
        // The rows are stored, so a failure here must not store them again.
        await finish?.().catch((error: unknown) => {
          logger.warn('Remembering insert ids failed; they stay in memory.', { reason: String(error) })
        })
      },
      setAside: (entries, through, reason) =>
        inTurn(() =>
          inTransaction(connection, async () => {
            await insertRejected(connection, `${schema}.rejected`, rejectedRows(entries, reason, taskIdOf))
            await moveTo(through)
          }),
        ),
    })
    return new CatalogApplier(applier, deadLetters, { log, connection })
  }

  async close(): Promise<void> {
    await this.applier.stop()
    await this.#log.close()
    this.#connection.closeSync()
  }
}
