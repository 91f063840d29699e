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
import { type OpenApplier, openIntakes } from './append/openIntakes.js'
import { careRoutes } from './care/careRoutes.js'
import { holdRoute, type HeldCatalog } from './care/holdFiles.js'
import { Cleanups } from './Cleanups.js'
import { maxHeadBytes } from './http/hangUp.js'
import { Listener } from './http/Listener.js'
import { closeServer, listenAtSocket, takeUpgrades } from './link/engineSocket.js'
import { IngestLink } from './link/IngestLink.js'
import type { Hello } from './link/EngineLink.js'
import { linkProtocol } from './link/messages.js'
import { LogNews } from './link/LogNews.js'
import { Logger } from './Logger.js'
import { type EngineVitals, processVitals } from './metrics/EngineVitals.js'
import {
  bytesOf,
  type CompleteOptions,
  completeOptions,
  type ServerOptions,
} from './options/ServerOptions.js'
import { acceptPostgres } from './postgres/acceptPostgres.js'
import { createCatalog } from './postgres/catalog/catalogSchema.js'
import { postgresProtocol } from './postgres/upgrade.js'
import { openSql } from './sql/openSql.js'
import { analyticsCatalog } from './store/analyticsSchema.js'
import { createMutex } from './store/createMutex.js'
import { DataFolder } from './store/DataFolder.js'
import { giveBallast } from './store/DiskRoom.js'
import { openDisk } from './store/openDisk.js'
import { quoteIdentifier } from './store/quote.js'
import { asOperatorError } from './OperatorError.js'
import { type Watch, watchDatabase } from './store/watchDatabase.js'
import { carryOutErasures } from './privacy/carryOut.js'
import { ErasureList } from './privacy/ErasureList.js'
import { openErasures } from './privacy/openErasures.js'
import { exportRoute } from './privacy/exportRoute.js'
import { openRetentionArchive } from './privacy/retention.js'
import { uploadRoutes } from './upload/uploadRoutes.js'
import { CatalogApplier } from './wal/CatalogApplier.js'
import { localSource } from './wal/localSource.js'
import { LogStore } from './wal/LogStore.js'
import { postgresSource } from './postgresLog/postgresSource.js'
import { TaskIds } from './wal/TaskIds.js'

/** Where the engine runs. */
export interface EngineHost {
  /** The log that is open in this process already. */
  shared?: LogStore
  /** Ends the process for a reason, where that is the engine's own. */
  endMe?(reason: string): void
  /** Closes the engine and starts another one, before which nothing of this one is stored any more. */
  restart(): void
}

export interface RunningEngine {
  /** Lets running requests end, or stops them, and closes the store. */
  close(): Promise<void>
}

const pollMs = 100
/** After so many tries for which queries made room, some fifteen seconds, the engine is started anew. */
const starvedTries = 12

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
    giveBallast(folder)
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
    const appendLog = LogStore.open(folder.appendLog)
    const disk = await openDisk({
      ...options,
      database,
      folder,
      logger,
      endMe: () => endMe?.('A statement has filled the disk.'),
    })
    folder.record([analyticsCatalog, ...catalogs])

    const taskIds = new TaskIds(secret)
    // What is passed on has headers of ours, besides those that were taken.
    const maxHeaderSize = 2 * maxHeadBytes
    const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, maxHeaderSize })
    const onStuck = (why: string) => {
      logger.error('A cancelled statement does not end, and the engine cannot stop it.', { why })
      endMe?.(`A statement that was cancelled (${why}) does not end.`)
    }
    const memoryBytes = bytesOf(options.memoryLimit)
    const sql = await openSql({
      ...options,
      database,
      memoryBytes,
      onStuck,
      tempFolder: folder.temp,
      ...disk,
    })
    cleanups.add(() => sql.close())
    const vitals = (): EngineVitals => ({ ...processVitals(), queries: { ...sql.runner.counts } })
    const hello = (): Hello => ({
      kind: 'hello',
      pid: process.pid,
      ...news.all,
      erasures: erasures.states(),
      vitals: vitals(),
    })
    const link = new IngestLink(hello, vitals)
    const news = new LogNews((message) => link.tell(message))
    cleanups.add(() => link.close())

    const held: HeldCatalog[] = []
    const beginAnew = (reason: string) => {
      logger.error('The engine must begin anew.', { reason })
      if (endMe === undefined) restart()
      else endMe(reason)
    }
    const onStarved = (failures: number) => {
      if (failures >= starvedTries) beginAnew('There is no memory left to store accepted requests.')
    }
    const openApplier: OpenApplier = async (number, more, tell) => {
      const opened: CatalogApplier = await CatalogApplier.open({
        ...more,
        database,
        logger,
        maxBacklogRows,
        memoryBytes,
        attemptFile: folder.attemptFile(more.catalog),
        // Storing what was accepted comes before any query.
        alone: (work) => sql.withoutQueries(work),
        onStarved,
        onApplied(through) {
          tell.onApplied(through)
          news.advance(number, through)
        },
        onSetAside(letter) {
          tell.onSetAside(opened.deadLetters.get(letter.request)!)
          news.setAside(number, letter)
        },
        onStoring(failing) {
          news.storing(number, failing)
          if (failing !== undefined) watch?.look()
        },
      })
      cleanups.add(() => opened.close())
      news.begin(number, { applied: opened.applier.applied, letters: opened.deadLetters })
      held.push(more)
      return opened
    }

    let watch: Watch | undefined
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
    const oneAtATime = createMutex()
    const ofAnalytics = acceptLog.numberOf(analyticsCatalog)
    const source =
      url === undefined
        ? localSource({ store: acceptLog, link, taskIds, syncWaitMs, limit: () => erasures.limit })
        : postgresSource({ ...options, url, store: acceptLog, logger, onLost: (reason) => endMe?.(reason) })
    const { applier: analytics, deadLetters }: CatalogApplier = await openApplier(
      ofAnalytics,
      {
        ...source,
        catalog: analyticsCatalog,
        schema: 'raw',
        oneAtATime,
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
    source.begin(analytics, deadLetters.all())

    const intakes = await openIntakes({
      ...{ options, acceptLog, appendLog, taskIds, logger, cleanups, openApplier },
      mustEmpty: erased.size > 0,
    })

    erasureList.drop(erased)
    watch = await watchDatabase({
      database,
      tables: held.map(({ catalog, schema }) => `${quoteIdentifier(catalog)}.${schema}.position`),
      onLost: beginAnew,
    })
    cleanups.add(() => watch?.stop())

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
      appendRoute({ catalogs, connection, intakeOf, ...disk }),
      ...uploadRoutes({ database, catalogs, tempFolder: folder.temp, ...disk }),
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
    link.on('stopping', () => sql.cancelAll('stopping'))
    cleanups.add(() =>
      closeServer(
        server,
        () => sql.cancelAll('stopping'),
        () => listener.idle(),
      ),
    )
    await listenAtSocket(server, folder.socket)
    erasures.check()
    cleanups.add(startUpkeep({ ...options, folder, database, oneAtATime, exportTo, archive, logger }))
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
    throw asOperatorError(error, options.dataFolder)
  }
}
