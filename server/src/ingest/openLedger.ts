import type { DuckDBConnection } from '@duckdb/node-api'
import type { Log } from '../log/createLog.js'
import { inTransaction } from '../store/inTransaction.js'
import type { Database } from '../store/openDatabase.js'
import type { Logs } from '../store/openLogs.js'
import { StoreProblem } from '../store/StoreProblem.js'
import { readPosition } from '../store/readPosition.js'
import { createAcceptLog, type LogEntry } from './createAcceptLog.js'
import { createDrain } from './createDrain.js'
import { createLedger, type Ledger } from './createLedger.js'
import type { TaskIds } from './createTaskIds.js'
import { mayPass } from './mayPass.js'

export interface OpenLedgerOptions {
  catalog: string
  /** The schema with the tables `position` and `rejected`, as SQL writes it. */
  schema: string
  /** Writes a run of entries; the transaction around it is held here. */
  applyEntries(connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<void>
  database: Database
  logs: Logs
  taskIds: TaskIds
  maxBacklogRows: number
  maxBacklogBytes: number
  syncWaitMs: number
  report: Log
}

export interface OpenLedger {
  ledger: Ledger
  close(): Promise<void>
}

/** One catalog's accept log with its one writer. */
export const openLedger = async (options: OpenLedgerOptions): Promise<OpenLedger> => {
  const { catalog, schema, applyEntries, database, logs, report } = options
  const connection = await database.connect()
  const position = `${schema}.position`
  const applied = await readPosition(connection, position)
  const pruned = logs.prunedOf(catalog)
  if (applied < pruned) {
    connection.closeSync()
    throw new StoreProblem(
      `The store is damaged: the catalog ${catalog} has lost ${pruned - applied} rows that were stored, perhaps with its .wal file. Nothing was changed; restore the data folder from a backup.`,
    )
  }
  const log = createAcceptLog(logs.records(catalog), applied)

  const moveTo = (through: number) => connection.run(`UPDATE ${position} SET applied = ${through}`)

  const drain = createDrain({
    log,
    applied,
    urgentRows: options.maxBacklogRows / 2,
    mayPass,
    report,
    async apply(entries, through) {
      await inTransaction(connection, async () => {
        await applyEntries(connection, entries)
        await moveTo(through)
      })
      // The rows are stored, so a failure here must not store them again; the next flush prunes for both.
      await Promise.all([log.prune(through), logs.setPruned(catalog, through)]).catch((error: unknown) => {
        report.warn('Pruning the accept log failed.', { reason: String(error) })
      })
    },
    reject: (entry: LogEntry, through, reason) =>
      inTransaction(connection, async () => {
        await connection.run(`INSERT INTO ${schema}.rejected VALUES ($1, epoch_ms($2::BIGINT), $3, $4, $5)`, [
          BigInt(entry.first),
          BigInt(entry.receivedAtMs),
          entry.kind,
          entry.body.toString(),
          reason,
        ])
        await moveTo(through)
      }),
  })
  drain.wake()

  const ledger = createLedger({ ...options, number: await logs.numberOf(catalog), log, drain })
  return {
    ledger,
    async close() {
      await drain.stop()
      connection.closeSync()
    },
  }
}
