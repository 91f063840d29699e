import type { Log } from '../log/createLog.js'
import { analyticsCatalog, analyticsSchema } from '../store/analyticsSchema.js'
import { inTransaction } from '../store/inTransaction.js'
import type { Database } from '../store/openDatabase.js'
import type { Logs } from '../store/openLogs.js'
import { readPosition } from '../store/readPosition.js'
import { createAcceptLog, type LogEntry } from './createAcceptLog.js'
import { createAnalyticsApply } from './createAnalyticsApply.js'
import { createDrain } from './createDrain.js'
import { createLedger, type Ledger } from './createLedger.js'
import type { TaskIds } from './createTaskIds.js'
import { mayPass } from './mayPass.js'

export interface AnalyticsOptions {
  number: number
  database: Database
  logs: Logs
  taskIds: TaskIds
  environments: readonly string[]
  insertIdWindow: number
  maxBacklogRows: number
  syncWaitMs: number
  report: Log
}

export interface Analytics {
  ledger: Ledger
  close(): Promise<void>
}

const position = 'analytics.raw.position'

/** The analytics catalog with its accept log and its one writer. */
export const openAnalytics = async (options: AnalyticsOptions): Promise<Analytics> => {
  const { database, logs, environments, insertIdWindow, report } = options
  const connection = await database.connect()
  await connection.run(analyticsSchema)
  const applied = await readPosition(connection, position)
  const log = createAcceptLog(logs.records(analyticsCatalog), applied)
  const applyEntries = createAnalyticsApply({ environments, insertIdWindow })

  const moveTo = (through: number) => connection.run(`UPDATE ${position} SET applied = ${through}`)

  const drain = createDrain({
    log,
    applied,
    mayPass,
    report,
    async apply(entries, through) {
      await inTransaction(connection, async () => {
        await applyEntries(connection, entries)
        await moveTo(through)
      })
      await log.prune(through)
    },
    reject: (entry: LogEntry, through, reason) =>
      inTransaction(connection, async () => {
        await connection.run('INSERT INTO analytics.raw.rejected VALUES ($1, epoch_ms($2), $3, $4, $5)', [
          BigInt(entry.first),
          BigInt(entry.receivedAtMs),
          entry.kind,
          entry.body,
          reason,
        ])
        await moveTo(through)
      }),
  })
  drain.wake()

  const ledger = createLedger({ ...options, log, drain })
  return {
    ledger,
    async close() {
      await drain.stop()
      connection.closeSync()
    },
  }
}
