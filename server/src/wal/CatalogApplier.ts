import { type DuckDBConnection, DuckDBTimestampValue } from '@duckdb/node-api'
import { splitArray } from '../http/json/sliceItems.js'
import type { Logger } from '../Logger.js'
import type { Database } from '../duckdb/Database.js'
import { quoteIdentifier } from '../duckdb/quote.js'
import { damaged } from '../OperatorError.js'
import { inTransaction, isTransient, type OneAtATime } from '../duckdb/transactions.js'
import { Applier } from './Applier.js'
import { Attempt, type AloneOutcome } from './Attempt.js'
import { maxDeadLetters, RecentDeadLetters, type DeadLetter } from './rejected.js'
import type { LogReader } from './LogReader.js'
import { type LogEntry, requestOf } from './segment.js'

type OpenedReader = Pick<LogReader, 'read' | 'last' | 'close'>

/** A row of the table `rejected`, which each catalog has. */
interface RejectedRow {
  seq: number
  received_at_ms: number
  kind: string
  target: string | undefined
  task_id: string
  /** The index of the row in its request, from 0. */
  position: number
  body: string
  reason: string
}

/** The rows of the table `rejected` for entries that are set aside for one reason. */
const rejectedRows = (
  entries: readonly LogEntry[],
  reason: string,
  taskIdOf: (last: number) => string,
): RejectedRow[] =>
  entries.flatMap((entry) => {
    const { first, last } = requestOf(entry)
    const shared = {
      received_at_ms: entry.receivedAtMs,
      kind: entry.kind,
      target: entry.target,
      task_id: taskIdOf(last),
      reason,
    }
    return splitArray(entry.body).map((row, at) => {
      const seq = entry.first + at
      return { ...shared, seq, position: seq - first, body: row.toString() }
    })
  })

/** Names a table `rejected`; the names are not quoted. */
interface RejectedTable {
  catalog: string
  schema: string
}

/**
 * Writes rows by an appender, column by column in the table's order. One JSON text of all columns would fail for a row
 * of 64 MB: such a row was already too large for its own table.
 */
const insertRejected = async (
  connection: DuckDBConnection,
  { catalog, schema }: RejectedTable,
  rows: readonly RejectedRow[],
): Promise<void> => {
  const appender = await connection.createAppender('rejected', schema, catalog)
  try {
    for (const { seq, received_at_ms, kind, body, reason, target, task_id, position } of rows) {
      appender.appendBigInt(BigInt(seq))
      appender.appendTimestamp(new DuckDBTimestampValue(BigInt(Math.round(1000 * received_at_ms))))
      appender.appendVarchar(kind)
      appender.appendVarchar(body)
      appender.appendVarchar(reason)
      if (target === undefined) appender.appendNull()
      else appender.appendVarchar(target)
      appender.appendVarchar(task_id)
      appender.appendBigInt(BigInt(position))
      appender.endRow()
    }
    // Only `flushSync` throws when DuckDB does not take the rows.
    appender.flushSync()
  } finally {
    appender.closeSync()
  }
}

/** Reads the dead letters of the newest requests. */
const readDeadLetters = async (
  connection: DuckDBConnection,
  table: string,
  lastOfTask: (taskId: string) => number | undefined,
): Promise<DeadLetter[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT task_id, count(*)::INT, arg_min(reason, seq) FROM ${table}
     GROUP BY task_id ORDER BY max(seq) DESC LIMIT ${maxDeadLetters}`,
  )
  return (reader.getRows() as [string, number, string][]).toReversed().flatMap(([taskId, rows, reason]) => {
    const request = lastOfTask(taskId)
    return request === undefined ? [] : [{ request, rows, reason }]
  })
}

export interface CatalogApplierOptions {
  catalog: string
  /** The schema with the tables `position` and `rejected`. */
  schema: string
  database: Database
  /** Runs one writer of the catalog at a time, so that others get a turn between two batches. */
  oneAtATime: OneAtATime
  /** Opens the catalog's log, given the position up to which it has been applied. */
  open(applied: number): OpenedReader | Promise<OpenedReader>
  /** How much memory DuckDB may hold. */
  memoryBytes: number
  /** The file in which `Attempt` notes what is being stored. */
  attemptFile: string
  /** The sequence up to which the log has been given up: all rows up to it must have been applied. */
  pruned: number
  /** Writes a batch inside the caller's transaction. May give a function that is called after the commit. */
  applyEntries(
    connection: DuckDBConnection,
    entries: readonly LogEntry[],
  ): Promise<(() => Promise<void>) | undefined>
  /** The id of the task whose last row has this sequence. */
  taskIdOf(last: number): string
  /** The sequence of a task's last row; undefined for a task of another log. */
  lastOfTask(taskId: string): number | undefined
  logger: Logger
  alone(work: (isFree: boolean) => Promise<void>): Promise<AloneOutcome>
  among<T>(work: () => Promise<T>): Promise<T>
  onStarved(failures: number): void
  onStoring(failing: string | undefined): void
  onApplied(through: number, tookMs: number): void
  onSetAside(letter: DeadLetter): void
}

/** The position up to which the write-ahead log has been applied, 0 in a new store. */
const readPosition = async (connection: DuckDBConnection, table: string): Promise<number> => {
  const reader = await connection.runAndReadAll(`SELECT applied FROM ${table}`)
  const [row] = reader.getRows()
  if (row !== undefined) return Number(row[0])
  await connection.run(`INSERT INTO ${table} VALUES (0)`)
  return 0
}

/** Moves the write-ahead log of one catalog into its file: rows and position change in one transaction. */
export class CatalogApplier {
  readonly applier: Applier
  readonly deadLetters: RecentDeadLetters
  readonly #log: OpenedReader
  readonly #connection: DuckDBConnection
  readonly #attempt: Attempt

  private constructor(
    applier: Applier,
    deadLetters: RecentDeadLetters,
    { log, connection, attempt }: { log: OpenedReader; connection: DuckDBConnection; attempt: Attempt },
  ) {
    this.applier = applier
    this.deadLetters = deadLetters
    this.#log = log
    this.#connection = connection
    this.#attempt = attempt
  }

  static async open(options: CatalogApplierOptions): Promise<CatalogApplier> {
    const { catalog, schema, applyEntries, taskIdOf, database, oneAtATime, pruned, logger } = options
    const connection = await database.connect()
    const internal = `${quoteIdentifier(catalog)}.${schema}`
    const position = `${internal}.position`
    const applied = await readPosition(connection, position)
    if (applied < pruned) {
      connection.closeSync()
      const lost = `has lost ${pruned - applied} rows that were stored, perhaps with its .wal file`
      throw damaged(`the catalog ${catalog} ${lost}`)
    }
    const moveTo = (through: number) => connection.run(`UPDATE ${position} SET applied = ${through}`)
    const log = await options.open(applied)
    const attempt = new Attempt(options.attemptFile)
    const deadLetters = new RecentDeadLetters()
    deadLetters.replace(await readDeadLetters(connection, `${internal}.rejected`, options.lastOfTask))
    const applier = new Applier({
      log,
      applied,
      attempt,
      deadLetters,
      memoryBytes: options.memoryBytes,
      logger,
      alone: options.alone,
      among: options.among,
      onStarved: options.onStarved,
      onStoring: options.onStoring,
      onApplied: options.onApplied,
      onSetAside: options.onSetAside,
      isTransient,
      async apply(entries, through) {
        const finish = await oneAtATime(() =>
          inTransaction(connection, async () => {
            const after = await applyEntries(connection, entries)
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
        oneAtATime(() =>
          inTransaction(connection, async () => {
            await insertRejected(connection, { catalog, schema }, rejectedRows(entries, reason, taskIdOf))
            await moveTo(through)
          }),
        ),
    })
    return new CatalogApplier(applier, deadLetters, { log, connection, attempt })
  }

  async close(): Promise<void> {
    await this.applier.stop()
    await this.#log.close()
    this.#connection.closeSync()
    this.#attempt.close()
  }
}

/** The log from which the engine reads the accepted records of analytics, and to which it reports what became of them. */
export interface LogSource extends Pick<
  CatalogApplierOptions,
  'open' | 'pruned' | 'taskIdOf' | 'lastOfTask'
> {
  /** Wakes the applier from now on. `setAside` are the dead letters from before the start. */
  begin(applier: Applier, setAside: readonly DeadLetter[]): void
  onApplied(through: number, tookMs: number): void
  /** Keeps the log after a position, during a copy of this store and after it, for the store that is made of the copy. */
  keepLog(position: number, isCopied: boolean): Promise<void>
  /** `letter` counts all rows of its request that have been set aside by now. */
  onSetAside(letter: DeadLetter): void
}
