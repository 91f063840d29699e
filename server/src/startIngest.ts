import { analyticsRoutes } from './analytics/analyticsRoutes.js'
import { Cleanups } from './Cleanups.js'
import { filePrefix, fileRoutes } from './files/fileRoutes.js'
import { doorPaths, screenPrefix, screenRoutes } from './files/screenRoutes.js'
import { ApiKeys } from './http/apiKeys.js'
import { Origins } from './http/cors.js'
import { refuse } from './http/HttpError.js'
import { Listener } from './http/Listener.js'
import { createPublicServer, listenAt } from './http/publicServer.js'
import { withoutBase } from './http/withoutBase.js'
import { idsPath, idsRoutes } from './ids/idsRoutes.js'
import { EngineLink } from './link/EngineLink.js'
import { EngineProxy } from './link/EngineProxy.js'
import { engineRoutes } from './link/engineRoutes.js'
import { Logger } from './Logger.js'
import { createRegistry } from './metrics/createRegistry.js'
import { healthRoutes } from './metrics/healthRoutes.js'
import { metricsRoute } from './metrics/metricsRoute.js'
import { completeOptions, type ServerOptions } from './options/ServerOptions.js'
import { ErasureRounds } from './privacy/ErasureRounds.js'
import { eraseRoute } from './privacy/eraseRoute.js'
import { listenPostgres } from './postgres/listenPostgres.js'
import { analyticsCatalog } from './store/analyticsSchema.js'
import { DataFolder } from './store/DataFolder.js'
import { lockFolder } from './store/lockFolder.js'
import { asStoreError } from './store/StoreError.js'
import { authenticateBy } from './users/authenticate.js'
import { Logins } from './users/Logins.js'
import { sessionPath, sessionRoutes } from './users/sessionRoutes.js'
import { SessionTokens } from './users/SessionTokens.js'
import { Users } from './users/Users.js'
import { Intake } from './wal/Intake.js'
import { Lag } from './wal/Lag.js'
import { LogStore } from './wal/LogStore.js'
import { RemoteApplier } from './wal/RemoteApplier.js'
import { RemoteLogs } from './wal/RemoteLogs.js'
import { TaskIds } from './wal/TaskIds.js'
import { tasksRoute } from './wal/tasksRoute.js'

export interface RunningIngest {
  url: string
  /** Undefined when the Postgres protocol was not asked for. */
  postgresPort: number | undefined
  link: EngineLink
  acceptLog: LogStore
  /** Reads the file of users again; those of before stay when it cannot be used. */
  reloadUsers(): void
  /** Stops taking requests and lets running ones end. The engine must still be there. */
  stop(): Promise<void>
  /** Closes what the engine may have used until now. */
  close(): Promise<void>
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** How long running requests may take to end by themselves. */
const closeWaitMs = 3000

/**
 * What takes requests: checks them, writes them to the log, and answers. It knows nothing of DuckDB,
 * so that no query can stop it. Rejects with one sentence that says what stands in the way.
 */
export const startIngest = async (given: ServerOptions): Promise<RunningIngest> => {
  const options = completeOptions(given)
  const logger = new Logger(options.logLevel, options.writeLog)
  const { basePath } = options
  const cleanups = new Cleanups()
  try {
    const users = new Users(options)
    const environments = new Set(options.environments)
    const apiKeys = new ApiKeys(options.apiKeys, environments)
    const folder = new DataFolder(options.dataFolder)
    cleanups.add(await lockFolder(folder))
    folder.check()
    const acceptLog = await LogStore.open(folder.acceptLog)
    const number = acceptLog.numberOf(analyticsCatalog)
    for (const catalog of options.catalogs) acceptLog.numberOf(catalog)
    const log = await acceptLog.writer(analyticsCatalog)
    cleanups.add(() => log.close())
    const taskIds = new TaskIds(acceptLog.taskSecret)
    const logins = new Logins(users, logger)
    const tokens = new SessionTokens(acceptLog.taskSecret, (name) => users.find(name)?.secret)
    const authenticate = authenticateBy({ logins, tokens, basePath })

    const link = new EngineLink(folder.socket)
    cleanups.add(() => link.close())
    const catalogs = [analyticsCatalog, ...options.catalogs]
    const logs = new RemoteLogs(new Map(catalogs.map((each) => [acceptLog.numberOf(each), each])))
    const applier = new RemoteApplier({
      applied: log.before,
      deadLetters: logs.lettersOf(number)!,
      tellGrown: () => link.tell({ kind: 'grown', durable: log.durable }),
      tellWanted: (sequence) => link.tell({ kind: 'wanted', sequence }),
    })
    cleanups.add(() => applier.stop())
    const advance = (through: number) => {
      applier.advance(through)
      log.trim(through).catch((error: unknown) => {
        logger.warn('Trimming the write-ahead log failed.', { reason: String(error) })
      })
    }
    link.on('up', (hello) => {
      logs.begin(hello)
      const through = logs.appliedOf(number)
      if (through !== undefined) {
        log.skipTo(through)
        advance(through)
      }
      applier.wake()
    })
    link.on('applied', (of, through) => {
      logs.advance(of, through)
      if (of === number) advance(through)
    })
    link.on('setAside', (of, letter) => logs.setAside(of, letter))
    const lag = new Lag({ last: () => log.durable, applied: () => applier.applied })
    lag.start()
    cleanups.add(() => lag.stop())

    const rounds = new ErasureRounds({ link, log })
    const whenStored = async () => {
      if (await applier.reached(log.durable, options.syncWaitMs)) return
      const message =
        'Accepted rows still wait to be stored, so this would not be complete. Send again in a while.'
      throw refuse(503, 'not-yet-stored', message, { 'retry-after': '10' })
    }
    const proxy = new EngineProxy(link, folder.socket)
    cleanups.add(() => proxy.close())
    const intake = new Intake({ ...options, number, log, applier, taskIds, logger })
    const accepted = { track: 0, identify: 0, alias: 0 }
    const analytics = analyticsRoutes({ environments, apiKeys, intake, accepted })
    const backlog = () => ({ ...intake.backlog, lagSeconds: lag.seconds })
    const registry = createRegistry({
      routes: () => listener.routes(),
      accepted,
      logs: () => logs.counts(),
      backlog,
      engine: () => link.vitals,
      engineRestarts: () => link.restarts,
      dataFolder: folder.path,
    })
    const paths = {
      events: analytics.map(({ path }) => path),
      open: doorPaths,
      openBelow: [filePrefix, screenPrefix],
      ids: idsPath,
      session: sessionPath,
    }
    const listener: Listener = new Listener(
      [
        ...analytics,
        ...screenRoutes(options.screensFolder, basePath),
        ...fileRoutes(options.filesFolder),
        ...healthRoutes({
          isAccepting: () => intake.isAccepting,
          isEngineUp: () => link.isUp,
          backlog,
        }),
        metricsRoute({ ...options, registry, authenticate }),
        ...sessionRoutes({ ...options, logins, tokens, authenticate }),
        ...(options.idCookie ? idsRoutes(basePath) : []),
        tasksRoute({
          authenticate,
          apiKeys,
          taskIds,
          appliedOf: (of) => (of === number ? applier.applied : logs.appliedOf(of)),
          deadLetterOf: (of, last) => logs.lettersOf(of)?.get(last),
          isStoring: () => link.isUp,
        }),
        ...engineRoutes(proxy, authenticate, whenStored),
        eraseRoute({ authenticate, rounds, logger }),
      ],
      logger,
      new Origins(paths, options.origins),
    )
    const server = createPublicServer(options, (request, response) => {
      request.url = withoutBase(request.url ?? '/', basePath)
      listener.listen(request, response)
    })
    const postgres =
      options.postgresPort === undefined
        ? undefined
        : await listenPostgres({ ...options, link, logger, logins, path: folder.socket })
    cleanups.add(() => postgres?.destroyAll())
    const port = await listenAt(server, { host: options.host, port: options.port, flag: '--port' })
    link.open()
    const host = options.host.includes(':') ? `[${options.host}]` : options.host

    const stop = async () => {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()))
      const clientsEnded = postgres?.stop()
      // A connection that falls idle only now would be kept open for the next request.
      const sweep = setInterval(() => server.closeIdleConnections(), 20)
      const patience = setTimeout(() => {
        link.tell({ kind: 'stopping' })
        server.closeAllConnections()
        postgres?.destroyAll()
        rounds.stop()
      }, closeWaitMs)
      await ended
      await clientsEnded
      clearInterval(sweep)
      await listener.idle()
      clearTimeout(patience)
    }
    return {
      url: `http://${host}:${port}`,
      postgresPort: postgres?.port,
      link,
      acceptLog,
      reloadUsers() {
        try {
          const changed = users.reload()
          postgres?.endUsers(changed)
          logger.info('The file of users was read again.', { changed: changed.length })
        } catch (error) {
          logger.error('The file of users is not used; those of before stay.', { reason: reasonOf(error) })
        }
      },
      stop,
      close: () => cleanups.run(),
    }
  } catch (error) {
    await cleanups.run()
    throw asStoreError(error, options.dataFolder)
  }
}
