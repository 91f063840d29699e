import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Route } from '../http/Route.js'
import { analyticsCatalog } from '../store/analyticsSchema.js'
import type { Database } from '../store/openDatabase.js'
import { createAssistRoutes } from '../assist/createAssistRoutes.js'
import { createAdmission } from './createAdmission.js'
import { createGuard } from './createGuard.js'
import { createQueryLog } from './createQueryLog.js'
import { createQueryLogRoutes } from './createQueryLogRoutes.js'
import { createQueryRoute } from './createQueryRoute.js'
import { createQueryRunner } from './createQueryRunner.js'
import { createSessions } from './createSessions.js'
import type { Stopper } from './createStopper.js'

export interface QueriesOptions {
  authorize(request: IncomingMessage): string
  database: Database
  catalogs: readonly string[]
  folder: string
  maxBodyBytes: number
  statementTimeoutMs: number
  maxQueries: number
}

export interface Queries {
  routes: Route[]
  /** Ends what still runs. */
  stop(): void
  close(): Promise<void>
}

const maxWaiting = 200
const maxSessions = 64
const sessionIdleMs = 600_000
const maxLogged = 10_000

export const openQueries = async (options: QueriesOptions): Promise<Queries> => {
  const { authorize, database, catalogs, folder } = options
  const connection = await database.connect()
  const guard = await createGuard(connection)
  const reader = await connection.runAndReadAll(`SELECT current_setting('threads')`)
  const threads = Number(reader.getRows()[0]![0])
  connection.closeSync()

  const log = createQueryLog(maxLogged)
  const home = { catalog: catalogs[0]!, schema: 'main' }
  const readable = [...catalogs, analyticsCatalog]
  const sessions = createSessions({
    connect: () => database.connect(),
    home,
    maxSessions,
    idleMs: sessionIdleMs,
  })
  const admission = createAdmission(options.maxQueries, maxWaiting)
  const runner = createQueryRunner({
    sessions,
    admission,
    log,
    guard,
    catalogs,
    readable,
    home,
    threads,
    timeoutMs: options.statementTimeoutMs,
  })
  const looks = new Set<Stopper>()
  const exportFolder = join(folder, 'temp')
  return {
    routes: [
      createQueryRoute({ ...options, runner, log, exportFolder, workerSlug: 'local' }),
      ...createQueryLogRoutes({ authorize, log, sessions }),
      ...createAssistRoutes({ ...options, guard, admission, sessions, home, looks, catalogs: readable }),
    ],
    stop() {
      for (const query of log.live()) query.live?.cancel('stopping')
      for (const look of looks) look.stop('stopping')
    },
    close: () => sessions.close(),
  }
}
