import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { analyticsRoutes } from './analytics/analyticsRoutes.js'
import { authorizeBy, SecretSet } from './http/auth.js'
import { Listener } from './http/Listener.js'
import { Logger } from './Logger.js'
import { openDatabase, openEngine } from './openEngine.js'
import { completeOptions, type CompleteOptions, type ServerOptions } from './options/ServerOptions.js'
import { analyticsCatalog } from './store/analyticsSchema.js'
import { DataFolder } from './store/DataFolder.js'
import { StoreError } from './store/StoreError.js'
import { LogStore } from './wal/LogStore.js'
import { TaskIds } from './wal/TaskIds.js'
import { tasksRoute } from './wal/tasksRoute.js'

export interface RunningServer {
  url: string
  /** Stops taking requests, lets running ones end, and closes the store. */
  close(): Promise<void>
}

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
      throw new StoreError(`Port ${port} on ${host} cannot be taken: ${reason}; choose another by --port.`)
    }
    await delay(100)
  }
}

interface Assembled {
  server: Server
  /** Ends what would keep requests open. */
  stop(): void
  /** Resolves once no request is being worked on. */
  idle(): Promise<void>
}

const assemble = async (options: CompleteOptions, cleanups: Cleanup[]): Promise<Assembled> => {
  const logger = new Logger(options.logLevel, options.writeLog)
  const folder = new DataFolder(options.dataFolder)
  cleanups.push(() => folder.release())
  folder.check()
  const database = await openDatabase(folder, options)
  cleanups.push(() => database.close())
  const logs = await LogStore.open(folder.logs)
  cleanups.push(() => logs.close())
  folder.record([analyticsCatalog, ...options.catalogs])

  const taskIds = new TaskIds(logs.taskSecret)
  const apiKeys = new SecretSet(options.apiKeys)
  const authorize = authorizeBy(options.users)
  const engine = await openEngine({ options, folder, database, logs, taskIds, authorize, logger })
  cleanups.push(() => engine.close())

  const environments = new Set(options.environments)
  const listener = new Listener(
    [
      ...analyticsRoutes({ environments, apiKeys, intake: engine.analytics }),
      tasksRoute({ authorize, apiKeys, taskIds, intakes: engine.intakes }),
      ...engine.routes,
    ],
    logger,
  )
  // Uploads may take hours, so each route has its own time limit for a body.
  const server = createServer(
    { requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout },
    (request, response) => listener.listen(request, response),
  )
  return { server, stop: () => engine.stop(), idle: () => listener.idle() }
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
