import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { applyAnalytics } from './analytics/applyAnalytics.js'
import { fillWindow } from './analytics/insertIds.js'
import { InsertIdWindow } from './analytics/InsertIdWindow.js'
import { openDatabase } from './analytics/openDatabase.js'
import { archiveFolderOf } from './archive/bindArchive.js'
import { removeUncounted } from './archive/removeUncounted.js'
import { startUpkeep } from './startUpkeep.js'
import { appendRoute } from './append/appendRoute.js'
import { applyAppends } from './append/applyAppends.js'
import { careRoutes } from './care/careRoutes.js'
import { holdRoute, type HeldCatalog } from './care/holdFiles.js'
import { Cleanups } from './Cleanups.js'
import { Listener } from './http/Listener.js'
import { closeServer, listenAtSocket, takeUpgrades } from './link/engineSocket.js'
import { IngestLink } from './link/IngestLink.js'
import type { Hello } from './link/EngineLink.js'
import { linkProtocol } from './link/messages.js'
import { Logger } from './Logger.js'
import { type EngineVitals, noQueries, processVitals } from './metrics/EngineVitals.js'
import { type CompleteOptions, completeOptions, type ServerOptions } from './options/ServerOptions.js'
import { acceptPostgres } from './postgres/acceptPostgres.js'
import { createCatalog } from './postgres/catalog/catalogSchema.js'
import { postgresProtocol } from './postgres/upgrade.js'
import { openSql, type Sql } from './sql/openSql.js'
import { analyticsCatalog } from './store/analyticsSchema.js'
import { createTurns } from './store/createTurns.js'
import { DataFolder } from './store/DataFolder.js'
import { internalSchema } from './store/lakehouseSchema.js'
import { quoteIdentifier } from './store/quote.js'
import { asStoreError } from './store/StoreError.js'
import { carryOutErasures } from './privacy/carryOut.js'
import { ErasureList } from './privacy/ErasureList.js'
import { emptyLog, openErasures } from './privacy/openErasures.js'
import { exportRoute } from './privacy/exportRoute.js'
import { openRetentionArchive } from './privacy/retention.js'
import { uploadRoutes } from './upload/uploadRoutes.js'
import type { Applier } from './wal/Applier.js'
import { CatalogApplier, type CatalogApplierOptions } from './wal/CatalogApplier.js'
import type { DeadLetters } from './wal/DeadLetters.js'
import { Intake } from './wal/Intake.js'
import { localSource } from './wal/localSource.js'
import type { LogSource } from './wal/LogSource.js'
import { LogStore } from './wal/LogStore.js'
import { postgresSource } from './wal/postgres/postgresSource.js'
import { TaskIds } from './wal/TaskIds.js'

/** Where the engine runs. */
export interface EngineHost {
  /** The log that is open in this process already. */
  shared?: LogStore
  /** Ends the process, where that is the engine's own. */
  endMe?(): void
  /** Closes the engine and starts another one, before which nothing of this one is stored any more. */
  restart(): void
}

type OfCatalog = 'open' | 'pruned' | 'applyEntries' | 'taskIdOf' | 'lastOfTask'

export interface RunningEngine {
  /** Lets running requests end, or stops them, and closes the store. */
  close(): Promise<void>
}

const pollMs = 100
/** About two seconds of tries without memory; after four times as long the engine is started anew. */
const starvedTries = 6

/** The ingest process makes the log that this one reads, unless it is in PostgreSQL. */
const whenReadable = async (
  folder: DataFolder,
  { catalogs, log }: Pick<CompleteOptions, 'catalogs' | 'log'>,
): Promise<LogStore> => {
  for (;;) {
    const store = LogStore.openToRead(folder.acceptLog, [analyticsCatalog, ...catalogs])
    if (store !== undefined && (log !== undefined || store.isBegun(analyticsCatalog))) return store
    await delay(pollMs)
  }
}

/**
 * All that needs DuckDB: stores what the ingest process accepted, and answers the lakehouse group on
 * a socket that only that process knows. Rejects with one sentence that says what stands in the way.
 */
export const startEngine = async (
  given: ServerOptions,
  { shared, endMe, restart }: EngineHost,
): Promise<RunningEngine> => {
  const options = completeOptions(given)
  const { catalogs, log: url, maxBacklogRows, syncWaitMs } = options
  const logger = new Logger(options.logLevel, options.writeLog)
  const cleanups = new Cleanups()
  try {
    const folder = new DataFolder(options.dataFolder)
    folder.check()
    const exportTo = openRetentionArchive(options.retentionArchive, folder)
    const archive = archiveFolderOf(options.archiveFolder, folder)
    const acceptLog = shared ?? (await whenReadable(folder, options))
    const secret = acceptLog.taskSecret
    const erasureList = new ErasureList(folder.erasures)
    const { ended, erased } = await carryOutErasures({
      ...options,
      folder,
      archive,
      list: erasureList,
      secret,
      logger,
    })
    const database = await openDatabase(folder, options, archive)
    cleanups.add(() => database.close())
    const appendLog = await LogStore.open(folder.appendLog)
    folder.record([analyticsCatalog, ...catalogs])

    const taskIds = new TaskIds(secret)
    const applied = new Map<number, number>()
    const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 })
    const deadLetters = new Map<number, DeadLetters>()
    let sql: Sql | undefined
    const vitals = (): EngineVitals => ({
      ...processVitals(),
      queries: { ...(sql?.runner.counts ?? noQueries) },
    })
    const hello = (): Hello => ({
      kind: 'hello',
      pid: process.pid,
      applied: [...applied],
      setAside: [...deadLetters].map(([log, letters]) => [log, letters.all()]),
      erasures: erasures.states(),
      vitals: vitals(),
    })
    const link = new IngestLink(hello, vitals)
    cleanups.add(() => link.close())

    const held: HeldCatalog[] = []
    /** Storing what was accepted comes before any query, and before all sessions. */
    const onStarved = (failures: number) => {
      if (failures === starvedTries) sql?.cancelAll('memory')
      if (failures < 3 * starvedTries) return
      logger.error('There is no memory left to store accepted requests.', { failures })
      endMe?.()
    }
    const openApplier = async (
      number: number,
      more: Pick<CatalogApplierOptions, OfCatalog> & HeldCatalog,
      tell: Pick<LogSource, 'onApplied' | 'onSetAside'>,
    ) => {
      const opened: CatalogApplier = await CatalogApplier.open({
        ...more,
        database,
        logger,
        maxBacklogRows,
        onStarved,
        onApplied(through) {
          applied.set(number, through)
          tell.onApplied(through)
          link.tell({ kind: 'applied', log: number, through })
        },
        onSetAside(letter) {
          tell.onSetAside(opened.deadLetters.get(letter.request)!)
          link.tell({ kind: 'setAside', log: number, letter })
        },
      })
      cleanups.add(() => opened.close())
      applied.set(number, opened.applier.applied)
      deadLetters.set(number, opened.deadLetters)
      held.push(more)
      return opened.applier
    }

    const window = new InsertIdWindow({ folder: folder.insertIds, windowMs: options.insertIdWindowMs })
    cleanups.add(() => window.close())
    const reader = await database.connect()
    // Before anybody is told that a person is erased.
    if (archive !== undefined) await removeUncounted(reader, archive)
    await fillWindow(reader, window)
    reader.closeSync()
    const erasures = await openErasures({
      ...{ list: erasureList, ended, folder, database, link, window, restart },
      applier: () => analytics,
    })
    const inTurn = createTurns()
    const ofAnalytics = acceptLog.numberOf(analyticsCatalog)
    const source =
      url === undefined
        ? localSource({ store: acceptLog, link, taskIds, syncWaitMs, limit: () => erasures.limit })
        : postgresSource({ ...options, url, store: acceptLog, logger, onLost: () => endMe?.() })
    const analytics: Applier = await openApplier(
      ofAnalytics,
      {
        ...source,
        catalog: analyticsCatalog,
        schema: 'analytics.raw',
        inTurn,
        applyEntries: applyAnalytics({ environments: options.environments, window }),
      },
      {
        onApplied(through) {
          source.onApplied(through)
          erasures.check()
        },
        onSetAside: (letter) => source.onSetAside(letter),
      },
    )
    link.on('erase', (requests, through) => erasures.take(requests, through))
    source.begin(analytics, deadLetters.get(ofAnalytics)!.all())

    const intakes = new Map<string, Intake>()
    for (const catalog of catalogs) {
      appendLog.adopt(catalog, acceptLog)
      const number = acceptLog.numberOf(catalog)
      const log = await appendLog.writer(catalog)
      cleanups.add(() => log.close())
      const applier = await openApplier(
        number,
        {
          catalog,
          schema: `${quoteIdentifier(catalog)}.${internalSchema}`,
          inTurn: createTurns(),
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
          onApplied(through) {
            log.trim(through).catch((error: unknown) => {
              logger.warn('Trimming the write-ahead log failed.', { reason: String(error) })
            })
          },
          onSetAside: () => undefined,
        },
      )
      applier.wake()
      if (erased.size > 0) await emptyLog(log, applier)
      intakes.set(catalog, new Intake({ ...options, number, log, applier, taskIds, logger }))
    }

    erasureList.drop(erased)

    const onStuck = (why: string) => {
      logger.error('A cancelled statement does not end, and the engine cannot stop it.', { why })
      endMe?.()
    }
    sql = await openSql({ ...options, database, onStuck, tempFolder: folder.temp })
    cleanups.add(() => sql?.close())
    const connection = await database.connect()
    cleanups.add(() => connection.closeSync())
    if (options.postgresPort !== undefined) for (const each of createCatalog) await connection.run(each)
    const postgres = acceptPostgres(sql)
    cleanups.add(() => postgres.close())
    link.on('cancelPostgres', (key, word) => postgres.cancel(key, word))
    link.on('endPostgres', () => postgres.end())
    takeUpgrades(server, {
      [linkProtocol]: (socket) => link.accept(socket),
      [postgresProtocol]: (socket, request) => postgres.accept(request, socket),
    })
    const intakeOf = (catalog: string) => intakes.get(catalog)!
    const routes = [
      ...sql.routes,
      appendRoute({ catalogs, connection, intakeOf }),
      ...uploadRoutes({ database, catalogs, tempFolder: folder.temp }),
      exportRoute({ database, secret, logger }),
      ...careRoutes({
        connect: () => database.connect(),
        catalogs: [analyticsCatalog, ...catalogs],
        tempFolder: folder.temp,
      }),
      holdRoute(database, held),
    ]
    const listener = new Listener(routes, logger)
    server.on('request', (request, response) => listener.listen(request, response))
    link.on('stopping', () => sql?.cancelAll('stopping'))
    cleanups.add(() =>
      closeServer(
        server,
        () => sql?.cancelAll('stopping'),
        () => listener.idle(),
      ),
    )
    await listenAtSocket(server, folder.socket)
    erasures.check()
    cleanups.add(startUpkeep({ ...options, database, inTurn, exportTo, archive, logger }))
    logger.info('The engine is ready.', {
      pid: process.pid,
      pool_threads: Number(process.env['UV_THREADPOOL_SIZE'] ?? 4),
      queries_at_once: options.maxQueries,
      memory_limit: options.memoryLimit,
      engine_memory_bytes: options.engineMemoryBytes,
    })
    return { close: () => cleanups.run() }
  } catch (error) {
    await cleanups.run()
    throw asStoreError(error, options.dataFolder)
  }
}
