import type { Cleanups } from '../Cleanups.js'
import type { Logger } from '../Logger.js'
import type { CompleteOptions } from '../options/flags.js'
import { createMutex } from '../duckdb/transactions.js'
import { internalSchema } from '../duckdb/quote.js'
import type { CatalogApplier, CatalogApplierOptions, LogSource } from '../wal/CatalogApplier.js'
import { Intake } from '../wal/Intake.js'
import { LagLimit, startLag } from '../wal/LagLimit.js'
import type { LogStore } from '../wal/LogStore.js'
import type { Applier } from '../wal/Applier.js'
import type { WriteAheadLog } from '../wal/WriteAheadLog.js'
import type { TaskIds } from '../wal/TaskIds.js'
import { applyAppends } from './applyAppends.js'

/** What an applier needs to know about its catalog. */
export type OfCatalog = Pick<
  CatalogApplierOptions,
  'open' | 'pruned' | 'applyEntries' | 'taskIdOf' | 'lastOfTask' | 'catalog' | 'schema' | 'oneAtATime'
>

/** Opens the applier of the log with this number, which reports to `tell`. */
export type OpenApplier = (
  number: number,
  catalog: OfCatalog,
  tell: Pick<LogSource, 'onApplied' | 'onSetAside'>,
) => Promise<CatalogApplier>

export interface OpenIntakesOptions extends Pick<
  CompleteOptions,
  'catalogs' | 'maxBacklogRows' | 'maxBacklogBytes' | 'maxLagMs' | 'syncWaitMs'
> {
  /** Numbers the logs of all catalogs. */
  acceptLog: LogStore
  appendLog: LogStore
  taskIds: TaskIds
  logger: Logger
  cleanups: Cleanups
  openApplier: OpenApplier
  /** Whether the logs' files must hold nothing of their former rows, as after an erasure. */
  mustEmpty: boolean
}

/** How long rows of lakehouse catalogs may take to be stored before an erasure goes on without them. */
const emptyWaitMs = 60_000

/** Removes the files of a log once their rows are stored, because they may hold rows of an erased person. */
const emptyLog = async (log: WriteAheadLog, applier: Applier): Promise<void> => {
  const through = await log.seal()
  if (await applier.reached(through, emptyWaitMs)) await log.remove(through)
}

/** Opens the log, the applier and the intake of each catalog of the lakehouse, for rows by `/append`. */
export const openIntakes = async ({
  catalogs,
  maxBacklogRows,
  maxBacklogBytes,
  maxLagMs,
  syncWaitMs,
  acceptLog,
  appendLog,
  taskIds,
  logger,
  cleanups,
  openApplier,
  mustEmpty,
}: OpenIntakesOptions): Promise<Map<string, Intake>> => {
  const intakes = new Map<string, Intake>()
  for (const catalog of catalogs) {
    const number = acceptLog.numberOf(catalog)
    const log = await appendLog.writer(catalog)
    cleanups.add(() => log.close())
    let spent = { batches: 0, ms: 0 }
    const { applier } = await openApplier(
      number,
      {
        catalog,
        schema: internalSchema,
        oneAtATime: createMutex(),
        open(through) {
          log.skipTo(through)
          return appendLog.reader(catalog, () => log.durable)
        },
        pruned: log.before,
        applyEntries: applyAppends(catalog),
        taskIdOf: (last) => taskIds.issue({ log: number, last }),
        lastOfTask: (taskId) => taskIds.read(taskId)?.last,
      },
      {
        onApplied(through, tookMs) {
          spent = { batches: spent.batches + 1, ms: spent.ms + tookMs }
          log.trim(through).catch((error: unknown) => {
            logger.warn('Trimming the write-ahead log failed.', { reason: String(error) })
          })
        },
        onSetAside: () => undefined,
      },
    )
    applier.wake()
    if (mustEmpty) await emptyLog(log, applier)
    const lagLimit = new LagLimit({
      maxLagMs,
      backlog: () => ({ rows: log.last - applier.applied, bytes: log.bytes }),
      isStoring: () => !applier.isFailing,
      logger,
    })
    startLag(
      {
        last: () => log.last,
        applied: () => applier.applied,
        spent: () => spent,
        onLook: lagLimit.look,
      },
      cleanups,
    )
    const limits = { maxBacklogRows, maxBacklogBytes, lagLimit, syncWaitMs }
    intakes.set(catalog, new Intake({ ...limits, number, log, applier, taskIds, logger }))
  }
  return intakes
}
