import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createBasicAuth } from './http/createBasicAuth.js'
import { createListener } from './http/createListener.js'
import { createSecretSet } from './http/createSecretSet.js'
import type { Route } from './http/Route.js'
import { createIngestRoute } from './ingest/createIngestRoute.js'
import { createTaskIds } from './ingest/createTaskIds.js'
import { createTasksRoute } from './ingest/createTasksRoute.js'
import { openAnalytics } from './ingest/openAnalytics.js'
import { readApiKey } from './ingest/readApiKey.js'
import { openLakehouse } from './lakehouse/openLakehouse.js'
import { createLog } from './log/createLog.js'
import { completeOptions, type CompleteOptions } from './options/completeOptions.js'
import type { ServerOptions } from './options/ServerOptions.js'
import { openQueries } from './query/openQueries.js'
import { analyticsCatalog } from './store/analyticsSchema.js'
import { claimFolder } from './store/claimFolder.js'
import { lakehouseSchema } from './store/lakehouseSchema.js'
import { checkManifest, writeManifest } from './store/manifest.js'
import { openDatabase } from './store/openDatabase.js'
import { openLogs } from './store/openLogs.js'
import { StoreProblem } from './store/StoreProblem.js'

export interface RunningServer {
  url: string
  /** Stops taking requests, lets running ones end, and closes the store. */
  close(): Promise<void>
}

const ingestBytes = 16 * 1_048_576
const queryBytes = 8 * 1_048_576
/** Longer than proxies and browsers keep an idle connection, so that they are the ones to close it. */
const keepAliveTimeout = 75_000
const portWaitMs = 1000
/** How long running requests may take to end by themselves. */
const closeWaitMs = 3000

type Cleanup = () => void | Promise<void>

const listen = async (server: Server, port: number, host: string): Promise<number> => {
  const deadline = Date.now() + portWaitMs
  for (;;) {
    const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      const settle = (error?: NodeJS.ErrnoException) => {
        server.off('error', settle).off('listening', settle)
        resolve(error)
      }
      server.once('error', settle).once('listening', settle)
      server.listen(port, host)
    })
    if (problem === undefined) return (server.address() as AddressInfo).port
    // A server that was stopped a moment ago may still hold it.
    if (problem.code !== 'EADDRINUSE' || Date.now() > deadline) {
      const reason = problem.code === 'EADDRINUSE' ? 'it is in use' : problem.message
      throw new StoreProblem(`Port ${port} on ${host} cannot be taken: ${reason}; choose another by --port.`)
    }
    await delay(100)
  }
}

const openStore = async (options: CompleteOptions, cleanups: Cleanup[]) => {
  const claim = claimFolder(options.dataFolder)
  cleanups.push(claim.release)
  checkManifest(claim.folder)
  const catalogs = [analyticsCatalog, ...options.catalogs]
  const database = await openDatabase({
    folder: claim.folder,
    catalogs,
    memoryLimit: options.memoryLimit,
  })
  cleanups.push(() => database.close())
  const logs = await openLogs(claim.folder)
  cleanups.push(() => logs.close())
  const connection = await database.connect()
  for (const catalog of options.catalogs) await connection.run(lakehouseSchema(catalog))
  connection.closeSync()
  writeManifest(claim.folder, catalogs)
  return { folder: claim.folder, database, logs }
}

interface Assembled {
  server: Server
  /** Ends what would keep requests open. */
  stop(): void
  /** Resolves once no request is being worked on. */
  idle(): Promise<void>
}

const assemble = async (options: CompleteOptions, cleanups: Cleanup[]): Promise<Assembled> => {
  const report = createLog(options.logLevel, options.writeLog)
  const { folder, database, logs } = await openStore(options, cleanups)
  const taskIds = createTaskIds(logs.taskSecret)
  const environments = new Set(options.environments)
  const holdsKey = createSecretSet(options.apiKeys)
  const authorize = createBasicAuth(options.users)

  const shared = { ...options, database, logs, taskIds, report }
  const analytics = await openAnalytics(shared)
  cleanups.push(() => analytics.close())
  const { ledger } = analytics
  const lakehouse = await openLakehouse({ ...shared, authorize, folder })
  cleanups.push(() => lakehouse.close())

  const queries = await openQueries({ ...options, authorize, database, folder, maxBodyBytes: queryBytes })
  cleanups.push(() => queries.close())

  const routes: Route[] = [
    ...(['track', 'identify', 'alias'] as const).map((kind) =>
      createIngestRoute({ kind, environments, maxBodyBytes: ingestBytes, holdsKey, ledger }),
    ),
    createTasksRoute({
      taskIds,
      ledgers: [ledger, ...lakehouse.ledgers],
      authorize(request, search) {
        const basic = /^basic /i.test(request.headers.authorization ?? '')
        const key = basic ? undefined : readApiKey(request.headers, search)
        if (key === undefined || !holdsKey(key)) authorize(request)
      },
    }),
    ...queries.routes,
    ...lakehouse.routes,
  ]
  // Uploads may take hours, so each route has its own time limit for a body.
  const listener = createListener(routes, report)
  const server = createServer(
    { requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout },
    (request, response) => listener.listen(request, response),
  )
  return { server, stop: () => queries.stop(), idle: () => listener.idle() }
}

/** Opens the store and listens. Rejects with one sentence that says what stands in the way. */
export const startServer = async (given: ServerOptions = {}): Promise<RunningServer> => {
  const options = completeOptions(given)
  const cleanups: Cleanup[] = []
  const cleanUp = async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  }
  try {
    const { server, stop, idle } = await assemble(options, cleanups)
    const port = await listen(server, options.port, options.host)
    const host = options.host.includes(':') ? `[${options.host}]` : options.host
    let closed: Promise<void> | undefined
    const close = async () => {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()))
      // A connection that falls idle only now would be kept open for the next request.
      const sweep = setInterval(() => server.closeIdleConnections(), 20)
      const patience = setTimeout(() => {
        stop()
        server.closeAllConnections()
      }, closeWaitMs)
      await ended
      clearInterval(sweep)
      await idle()
      clearTimeout(patience)
      await cleanUp()
    }
    return { url: `http://${host}:${port}`, close: () => (closed ??= close()) }
  } catch (error) {
    await cleanUp()
    throw error
  }
}
