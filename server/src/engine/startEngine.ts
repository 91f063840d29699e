import { createServer, type IncomingMessage, type Server } from 'node:http'
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { Alerts } from '../alerts/Alerts.js'
import { alertTestRoute, signingSecretOf } from '../alerts/alertRoutes.js'
import { answerRoutes } from '../answers/answerRoutes.js'
import { appendRoute } from '../append/appendRoute.js'
import { openIntakes } from '../append/openIntakes.js'
import { openDatabase } from '../analytics/openAnalytics.js'
import { careRoutes, holdRoute } from '../care/careRoutes.js'
import { Cleanups } from '../Cleanups.js'
import { guestRoutes } from '../guests/guestRoutes.js'
import type { Hello } from '../link/EngineLink.js'
import { IngestLink, LogNews } from '../link/IngestLink.js'
import { type Culprit, type EngineVitals, processVitals, linkProtocol } from '../link/messages.js'
import { HttpError } from '../http/HttpError.js'
import { Logger } from '../Logger.js'
import { createMutex, isFatal } from '../duckdb/transactions.js'
import { asOperatorError, hideFolder, reasonOf } from '../OperatorError.js'
import { completeOptions, type ServerOptions } from '../options/flags.js'
import { bytesOf } from '../options/values.js'
import { openLakeErasure } from '../cluster/lake/eraseFromLake.js'
import { removeStates } from '../cluster/state/startFromState.js'
import { carryOutErasures } from '../privacy/carryOut.js'
import { ErasureList } from '../privacy/ErasureList.js'
import { exportRoute } from '../privacy/exportRoute.js'
import type { AskedStatement } from '../sql/Cancellation.js'
import { openSql, type Sql } from '../sql/openSql.js'
import { startUpkeep } from '../startUpkeep.js'
import { analyticsCatalog } from '../duckdb/quote.js'
import { openDisk } from '../duckdb/givingBack.js'
import { Stillness } from '../duckdb/Upkeep.js'
import { mcpRoute } from '../mcp/mcpRoute.js'
import { Importers } from '../upload/Importers.js'
import { uploadRoutes } from '../upload/uploadRoutes.js'
import { LogStore } from '../wal/LogStore.js'
import { TaskIds } from '../wal/TaskIds.js'
import { Appliers } from './Appliers.js'
import { storeAnalytics, findStore } from './storeAnalytics.js'
import type { Route } from '../http/Route.js'
import { Listener } from '../http/Listener.js'
import { maxHeadBytes, takeExpecting } from '../http/publicServer.js'
import { acceptPostgres } from '../postgres/acceptPostgres.js'
import { postgresProtocol } from '../postgres/door/readMessage.js'

/** Where the engine runs. */
interface EngineHost {
  /** The log that is open in this process already. */
  shared?: LogStore
  /** Ends the process for a reason, where that is the engine's own. */
  endMe?(reason: string, isByStatement?: boolean): void
  /** Closes the engine and starts another one, before which nothing of this one is stored any more. */
  restart(): void
}

/**
 * Within this time the statement at which DuckDB gave up is known: DuckDB writes its stack into the error, which takes
 * a while on a busy machine, and others hear that it gave up before that.
 */
const culpritWithinMs = 500

export interface RunningEngine {
  /** Lets running requests end, or stops them, and closes the store. */
  close(): Promise<void>
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
  const { catalogs } = options
  const logger = new Logger(options.logLevel, options.writeLog)
  const cleanups = new Cleanups()
  const beginAnew = (reason: string, isByStatement = false) => {
    logger.error('The engine must begin anew.', { reason })
    if (endMe === undefined) restart()
    else endMe(reason, isByStatement)
  }
  let sql!: Sql
  let link!: IngestLink
  let isEnding = false
  /** Ends the engine, and tells the ingest process before why, and at which statement. */
  const end = (reason: string, asked?: AskedStatement) => {
    if (isEnding) return
    isEnding = true
    link.tell({ kind: 'ending', reason, ...(asked === undefined ? {} : { culprit: culpritOf(asked) }) })
    beginAnew(reason, asked !== undefined)
  }
  const onGivenUp = (reason: string, asked?: AskedStatement) => {
    if (asked === undefined) setTimeout(end, culpritWithinMs, reason)
    else end(reason, asked)
  }
  const culpritOf = ({ user, statement }: AskedStatement): Culprit => ({
    user,
    statement: sql.keyOf(statement),
  })
  let begun = 0
  /** Tells the ingest process what DuckDB works on, in case that it crashes. */
  const onRun = (asked: AskedStatement) => {
    const id = begun++
    link.tell({ kind: 'begun', id, asked: culpritOf(asked) })
    return () => link.tell({ kind: 'done', id })
  }
  try {
    // The store. Whom an operator has erased is taken out before anything can ask for it.
    const { folder, archive, exportTo, acceptLog } = await findStore(options, shared)
    for (const each of [folder.path, archive?.path]) if (each !== undefined) hideFolder(each)
    const secret = acceptLog.taskSecret
    const erasureList = new ErasureList(folder.erasures)
    const { ended, erased } = await carryOutErasures({
      ...{ ...options, folder, archive, list: erasureList, secret, logger },
      logSecret: acceptLog.followed?.secret,
      shared: { openErasure: openLakeErasure, removeStates },
    })
    const database = await openDatabase(folder, options, archive)
    cleanups.add(() => database.close())
    const appendLog = LogStore.open(folder.appendLog)
    const disk = await openDisk({
      ...{ ...options, database, folder, logger },
      endMe: () => endMe?.('A statement has filled the disk.'),
      onRoom: () => beginAnew('The disk has room again.'),
    })
    cleanups.add(() => disk.stop())
    folder.record([analyticsCatalog, ...catalogs])

    // Statements.
    const memoryBytes = bytesOf(options.memoryLimit)
    const storing = new Stillness()
    sql = await openSql({
      ...{ ...options, ...disk, database, memoryBytes, storing, tempFolder: folder.temp },
      onRun,
      onStuck(why, asked) {
        logger.error('A cancelled statement does not end, and the engine cannot stop it.', { why })
        if (endMe !== undefined) end(`A statement that was cancelled (${why}) does not end.`, asked)
      },
      onGivenUp,
    })
    cleanups.add(() => sql.close())

    // The link to the ingest process.
    const vitals = (): EngineVitals => ({ ...processVitals(), queries: { ...sql.runner.counts } })
    const hello = (): Hello => ({
      ...{ kind: 'hello', pid: process.pid, ...news.all, erasures: erasures.states, vitals: vitals() },
    })
    link = new IngestLink(hello, vitals)
    cleanups.add(() => link.close())
    const news = new LogNews((message) => link.tell(message))

    // Storing what was accepted. It comes before any query.
    const taskIds = new TaskIds(secret)
    const oneAtATime = createMutex()
    const appliers = new Appliers({
      ...{ ...options, database, folder, logger, news, cleanups, memoryBytes, onLost: onGivenUp },
      alone: (work) => sql.withoutQueries(work),
      among: storing.during,
    })
    const { erasures, lake, states, applied, isFirst } = await storeAnalytics({
      ...{ ...options, folder, archive, acceptLog, database, appliers, link, taskIds, logger, cleanups },
      ...{ oneAtATime, erasureList, ended, restart },
      onLogLost: (reason) => endMe?.(reason),
    })
    const intakes = await openIntakes({
      ...{ ...options, acceptLog, appendLog, taskIds, logger, cleanups, openApplier: appliers.open },
      mustEmpty: erased.size > 0,
    })
    erasures.finish(erased)
    await appliers.watch()

    const ownSecret = acceptLog.followed ? Buffer.from(acceptLog.followed.secret, 'base64') : secret
    const signingSecret = options.webhookSecret || signingSecretOf(ownSecret)
    const alerts = new Alerts({
      ...{ ...sql.answering, database, applied, isFirst, logger, now: options.now },
      sending: { ...options, signingSecret },
      secret: ownSecret,
      tell: (told) => link.tell({ kind: 'alertNews', news: told }),
      askClock: (atMs) => link.tell({ kind: 'clockWanted', atMs }),
    })
    link.on('clock', (clock) => alerts.take(clock))
    cleanups.add(() => alerts.close())

    // Answers.
    const isLast = (error: unknown): boolean => {
      if (error instanceof HttpError) return error.code === 'engine-starting'
      if (!isFatal(error)) return false
      onGivenUp(reasonOf(error))
      return true
    }
    const connection = await database.connect()
    cleanups.add(() => connection.closeSync())
    const importers = new Importers({ ...options, memoryBytes })
    cleanups.add(() => importers.close())
    await serveEngine({
      ...{ socket: folder.socket, sql, link, logger, cleanups, isLast },
      routes: [
        ...sql.routes,
        ...answerRoutes({ ...options, ...sql.answering }),
        mcpRoute(sql),
        alertTestRoute(alerts, signingSecret),
        ...guestRoutes(sql.answering, database, options.maxQueries),
        appendRoute({
          ...{ ...options, ...disk, connection },
          intakeOf: (catalog) => intakes.get(catalog)!,
        }),
        ...uploadRoutes({
          ...{ ...options, ...disk, database, folder, importers, taskIds },
          givingBack: (work, isDropping) => storing.during(() => disk.givingBack(work, isDropping)),
        }),
        exportRoute({ database, secret, logger }),
        ...careRoutes({
          ...{ connect: () => database.connect(), catalogs: [analyticsCatalog, ...catalogs] },
          tempFolder: folder.temp,
        }),
        holdRoute(database, appliers.held),
      ],
    })
    erasures.check()
    alerts.start()
    cleanups.add(
      startUpkeep({
        ...{ ...options, folder, database, exportTo, archive, lake, states, logger },
        oneAtATime: (work) => storing.during(() => oneAtATime(work)),
      }),
    )
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

/** Running requests may take this long to end by themselves. */
const closeWaitMs = 3000

/** Listens at a socket that only the user of this process may open. */
const listenAtSocket = async (server: Server, path: string): Promise<void> => {
  // The socket's file is left from an earlier engine, which is gone: this process could open the catalogs.
  if (process.platform !== 'win32') rmSync(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  if (process.platform !== 'win32') chmodSync(path, 0o600)
}

type Upgrade = (socket: Socket, request: IncomingMessage) => void

/** Gives a connection that is upgraded to another protocol to the function for that protocol. */
const takeUpgrades = (server: Server, protocols: Readonly<Record<string, Upgrade>>) => {
  server.on('upgrade', (request, socket) => {
    const protocol = request.headers.upgrade ?? ''
    const take = protocols[protocol]
    if (take === undefined) {
      socket.destroy()
      return
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
    take(socket as Socket, request)
  })
}

/** Lets running requests end. The link stays open, because it still tells what is being stored; it is closed last. */
const closeServer = async (server: Server, stopWork: () => void, idle: () => Promise<void>) => {
  server.close()
  const patience = setTimeout(() => {
    stopWork()
    server.closeAllConnections()
  }, closeWaitMs)
  await idle()
  server.closeAllConnections()
  clearTimeout(patience)
}

interface ServeEngineOptions {
  /** The socket that only the ingest process knows. */
  socket: string
  routes: Route[]
  sql: Sql
  link: IngestLink
  logger: Logger
  cleanups: Cleanups
  /** Whether an error of a request means that the engine ends. */
  isLast(error: unknown): boolean
}

/** Begins to answer what the ingest process passes on: requests, its own link, and connections of the Postgres protocol. */
export const serveEngine = async (options: ServeEngineOptions): Promise<void> => {
  const { socket, routes, sql, link, logger, cleanups, isLast } = options
  const postgres = acceptPostgres(sql)
  cleanups.add(() => postgres.close())
  link.on('cancelPostgres', ({ process: key, secret }) => postgres.cancel(key, secret))
  link.on('endPostgres', () => postgres.end())

  // The ingest process adds headers to those that it has taken from its client.
  const maxHeaderSize = 2 * maxHeadBytes
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, maxHeaderSize })
  takeUpgrades(server, {
    [linkProtocol]: (upgraded) => link.accept(upgraded),
    [postgresProtocol]: (upgraded, request) => postgres.accept(request, upgraded),
  })
  const listener = new Listener(routes, logger, { isLast })
  server.on('request', (request, response) => listener.listen(request, response))
  takeExpecting(server)
  link.on('refused', ({ statements }) => sql.refuse(statements))
  const cancelAll = () => sql.cancelAll('stopping')
  link.on('stopping', cancelAll)
  cleanups.add(() => closeServer(server, cancelAll, () => listener.idle()))
  await listenAtSocket(server, socket)
}
