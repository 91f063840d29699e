import { createServer, type RequestListener, type Server } from 'node:http'
import { analyticsRoutes } from './analytics/analyticsRoutes.js'
import { appendError } from './append/appendError.js'
import { Cleanups } from './Cleanups.js'
import { filePrefix, fileRoutes } from './files/fileRoutes.js'
import { frontPath, frontRoutes } from './front/frontRoutes.js'
import { authorizeBy, SecretSet } from './http/auth.js'
import { Origins } from './http/cors.js'
import { lakehouseError } from './http/HttpError.js'
import { Listener } from './http/Listener.js'
import { limitConnections, listenAt } from './http/publicServer.js'
import type { Authorize, Route } from './http/Route.js'
import { withoutBase } from './http/withoutBase.js'
import { idsPath, idsRoutes } from './ids/idsRoutes.js'
import { EngineLink } from './link/EngineLink.js'
import { EngineProxy } from './link/EngineProxy.js'
import { Logger } from './Logger.js'
import { completeOptions, type CompleteOptions, type ServerOptions } from './options/ServerOptions.js'
import { listenPostgres } from './postgres/listenPostgres.js'
import { analyticsCatalog } from './store/analyticsSchema.js'
import { DataFolder } from './store/DataFolder.js'
import { lockFolder } from './store/lockFolder.js'
import { asStoreError } from './store/StoreError.js'
import { DeadLetters } from './wal/DeadLetters.js'
import { Intake } from './wal/Intake.js'
import { LogStore } from './wal/LogStore.js'
import { RemoteApplier } from './wal/RemoteApplier.js'
import { TaskIds } from './wal/TaskIds.js'
import { tasksRoute } from './wal/tasksRoute.js'

export interface RunningIngest {
  url: string
  /** Undefined when the Postgres protocol was not asked for. */
  postgresPort: number | undefined
  link: EngineLink
  acceptLog: LogStore
  /** Stops taking requests and lets running ones end. The engine must still be there. */
  stop(): Promise<void>
  /** Closes what the engine may have used until now. */
  close(): Promise<void>
}

/** How often it is looked for clients that take too long with their headers. */
const headersCheckMs = 1000
/** Longer than proxies and browsers keep an idle connection, so that they are the ones to close it. */
const keepAliveTimeout = 75_000
/** How long running requests may take to end by themselves. */
const closeWaitMs = 3000

/** A server that clients without a key cannot fill. */
const createPublicServer = (options: CompleteOptions, answer: RequestListener): Server => {
  const server = createServer(
    {
      // Uploads may take hours, so each route has its own time limit for a body.
      requestTimeout: 0,
      headersTimeout: options.headersWithinMs,
      connectionsCheckingInterval: headersCheckMs,
      keepAliveTimeout,
    },
    answer,
  )
  limitConnections(server, options)
  return server
}

/** The lakehouse group, as far as it is known here: who may ask, and that the engine answers. */
const engineRoutes = (proxy: EngineProxy, authorize: Authorize): Route[] => {
  const route = (method: Route['method'], path: string): Route => ({
    method,
    path,
    writeError: path === '/append' ? appendError : lakehouseError,
    async handle({ request, response }) {
      authorize(request)
      await proxy.forward(request, response)
      return undefined
    },
  })
  const posts = ['/query', '/append', '/upload', '/upsert', '/validate', '/explain', '/autocomplete']
  return [
    ...posts.map((path) => route('POST', path)),
    route('GET', '/query'),
    route('HEAD', '/query'),
    route('GET', '/query/{query_id}'),
    route('DELETE', '/query/{query_id}'),
  ]
}

/**
 * What takes requests: checks them, writes them to the log, and answers. It knows nothing of DuckDB,
 * so that no query can stop it. Rejects with one sentence that says what stands in the way.
 */
export const startIngest = async (given: ServerOptions): Promise<RunningIngest> => {
  const options = completeOptions(given)
  const logger = new Logger(options.logLevel, options.writeLog)
  const cleanups = new Cleanups()
  try {
    const folder = new DataFolder(options.dataFolder)
    cleanups.add(await lockFolder(folder))
    folder.check()
    const acceptLog = await LogStore.open(folder.acceptLog)
    const number = acceptLog.numberOf(analyticsCatalog)
    for (const catalog of options.catalogs) acceptLog.numberOf(catalog)
    const log = await acceptLog.writer(analyticsCatalog)
    cleanups.add(() => log.close())
    const taskIds = new TaskIds(acceptLog.taskSecret)

    const link = new EngineLink(folder.socket)
    cleanups.add(() => link.close())
    /** Of all logs, the engine's own included. */
    const deadLetters = new Map(
      [analyticsCatalog, ...options.catalogs].map((catalog) => [
        acceptLog.numberOf(catalog),
        new DeadLetters(),
      ]),
    )
    const applier = new RemoteApplier({
      applied: log.before,
      deadLetters: deadLetters.get(number)!,
      tellGrown: () => link.tell({ kind: 'grown', durable: log.durable }),
      tellWanted: (sequence) => link.tell({ kind: 'wanted', sequence }),
    })
    cleanups.add(() => applier.stop())
    /** Of all logs, the engine's own included. */
    const applied = new Map<number, number>()
    const advance = (of: number, through: number) => {
      applied.set(of, through)
      if (of !== number) return
      applier.advance(through)
      log.trim(through).catch((error: unknown) => {
        logger.warn('Trimming the write-ahead log failed.', { reason: String(error) })
      })
    }
    link.on('up', (hello) => {
      for (const [of, letters] of hello.setAside) deadLetters.get(of)?.replace(letters)
      for (const [of, through] of hello.applied) {
        if (of === number) log.skipTo(through)
        advance(of, through)
      }
      applier.wake()
    })
    link.on('applied', advance)
    link.on('setAside', (of, letter) => deadLetters.get(of)?.add(letter))

    const proxy = new EngineProxy(link, folder.socket)
    cleanups.add(() => proxy.close())
    const apiKeys = new SecretSet(options.apiKeys)
    const authorize = authorizeBy(options.users)
    const environments = new Set(options.environments)
    const intake = new Intake({ ...options, number, log, applier, taskIds, logger })
    const analytics = analyticsRoutes({ environments, apiKeys, intake })
    const paths = {
      events: analytics.map(({ path }) => path),
      files: filePrefix,
      front: frontPath,
      own: idsPath,
    }
    const listener = new Listener(
      [
        ...analytics,
        ...frontRoutes(),
        ...fileRoutes(options.filesFolder),
        ...(options.idCookie ? idsRoutes(options.basePath) : []),
        tasksRoute({
          authorize,
          apiKeys,
          taskIds,
          appliedOf: (of) => (of === number ? applier.applied : applied.get(of)),
          deadLetterOf: (of, last) => deadLetters.get(of)?.get(last),
          isStoring: () => link.isUp,
        }),
        ...engineRoutes(proxy, authorize),
      ],
      logger,
      new Origins(paths, options.origins),
    )
    const server = createPublicServer(options, (request, response) => {
      request.url = withoutBase(request.url ?? '/', options.basePath)
      listener.listen(request, response)
    })
    const postgres =
      options.postgresPort === undefined
        ? undefined
        : await listenPostgres({ ...options, link, logger, path: folder.socket })
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
      stop,
      close: () => cleanups.run(),
    }
  } catch (error) {
    await cleanups.run()
    throw asStoreError(error, options.dataFolder)
  }
}
