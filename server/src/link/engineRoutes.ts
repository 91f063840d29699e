import { appendError, lakehouseError, refuse } from '../http/HttpError.js'
import { alertTestPath, answerPath, type Exchange, historyPath, type Route } from '../http/Route.js'
import { erasePath, exportPath } from '../payloads/erasure.js'
import { savedPath } from '../saved/savedRoute.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser, guestPath } from '../users/Identity.js'
import { sessionPath } from '../users/loginRoutes.js'
import type { EngineProxy } from './EngineProxy.js'
import { type ApiKeys, readApiKey } from '../http/apiKeys.js'
import type { DeadLetter } from '../wal/rejected.js'
import type { EngineSide } from './openEngineSide.js'
import type { OpenedLog } from '../wal/AcceptLog.js'
import { TaskIds } from '../wal/TaskIds.js'

/** Paths that always change tables. Whether a SQL statement does is found out by the engine. */
const writing: ReadonlySet<string> = new Set(['/append', '/upload', '/upsert', alertTestPath])

/** Routes that may be asked again, and do nothing twice: the engine tells before it begins a change. */
const reading: ReadonlySet<string> = new Set(['/query', answerPath, '/validate', '/explain', '/autocomplete'])

const posts = [...reading, exportPath, ...writing]

const endpoints: readonly (readonly [method: Route['method'], path: string])[] = [
  ...posts.map((path) => ['POST', path] as const),
  ['GET', '/query'],
  ['HEAD', '/query'],
  ['GET', answerPath],
  ['HEAD', answerPath],
  ['GET', '/query/{query_id}'],
  ['DELETE', '/query/{query_id}'],
]

const writeErrorOf = (path: string) => (path === '/append' ? appendError : lakehouseError)

/** The lakehouse group in a process without an engine: every request is refused. */
export const noEngineRoutes: Route[] = [
  ...endpoints,
  ['POST', erasePath] as const,
  ['POST', savedPath] as const,
  ['GET', historyPath] as const,
  ['POST', historyPath] as const,
  ['GET', guestPath] as const,
  ['POST', guestPath] as const,
  ['GET', sessionPath] as const,
  ['POST', sessionPath] as const,
  ['GET', '/setup'] as const,
].map(([method, path]) => ({
  method,
  path,
  writeError: writeErrorOf(path),
  handle() {
    const message =
      'This process only takes events (--role ingest). Ask a process that answers queries (--role engine or both).'
    throw refuse(503, 'no-engine', message)
  },
}))

/** The lakehouse group in the ingest process: it checks who asks, and passes the request to the engine. */
export const engineRoutes = (
  proxy: EngineProxy,
  authenticate: Authenticate,
  /** Resolves once all rows that were accepted until now are stored. */
  whenStored: () => Promise<void>,
): Route[] =>
  endpoints.map(([method, path]) => ({
    method,
    path,
    writeError: writeErrorOf(path),
    async handle({ request, response }) {
      const identity = await authenticate(request, response)
      if (identity.role === 'read' && writing.has(path)) throw readOnlyUser()
      if (path === exportPath) await whenStored()
      await proxy.forward({ request, response, identity, isReading: reading.has(path) })
      return undefined
    },
  }))

interface FindTaskOptions {
  /** The task ids of the accept log. */
  taskIds: TaskIds
  opened: OpenedLog
  engine: EngineSide | undefined
}

/** Finds a task by its id: in the accept log, or in a log of this data folder. */
export const findTask = ({ taskIds, opened, engine }: FindTaskOptions) => {
  const folderIds = engine === undefined ? undefined : new TaskIds(engine.store.taskSecret)
  return (taskId: string): Task | undefined => {
    const accepted = taskIds.read(taskId)
    if (accepted?.log === opened.number) {
      const { last } = accepted
      return { last, applied: opened.applied(), deadLetter: opened.deadLetters.get(last) }
    }
    const other = folderIds?.read(taskId)
    if (other === undefined) return undefined
    if (TaskIds.isDone(other)) return { last: 0, applied: 0, deadLetter: undefined }
    const { log, last } = other
    return {
      last,
      applied: engine?.view.appliedOf(log),
      deadLetter: engine?.view.lettersOf(log)?.get(last),
    }
  }
}

interface Task {
  /** The sequence of the task's last row. */
  last: number
  /** The position of the task's log; undefined when it is not known. */
  applied: number | undefined
  /** The rows of the task that were set aside. */
  deadLetter: DeadLetter | undefined
}

interface TasksRouteOptions {
  authenticate: Authenticate
  apiKeys: ApiKeys
  /** Gives undefined for an id that this service did not issue. */
  find(taskId: string): Task | undefined
  /** Why no rows are being stored at the moment. */
  whyWaiting(): string | undefined
}

/** `GET /tasks/{task_id}`: the state of a task, whichever operation gave its id. */
export const tasksRoute = ({ authenticate, apiKeys, find, whyWaiting }: TasksRouteOptions): Route => {
  /** Whoever may make a task may ask for its state: an API key or a user. */
  const check = async ({ request, response, search }: Exchange): Promise<void> => {
    const key = readApiKey(request.headers, search)
    if (key === undefined || apiKeys.find(key) === undefined) await authenticate(request, response)
  }

  const stateOf = ({ last, applied, deadLetter }: Task) => {
    if (last > (applied ?? -1)) {
      const message = whyWaiting()
      return { status: 'pending', ...(message === undefined ? {} : { message }) }
    }
    if (deadLetter === undefined) return { status: 'completed' }
    const { rows, reason } = deadLetter
    const error = `${rows} could not be stored, the first because: ${reason} See the view rejected.`
    return { status: 'completed', rejected: rows, error }
  }

  return {
    method: 'GET',
    path: '/tasks/{task_id}',
    async handle(exchange) {
      await check(exchange)
      const taskId = exchange.parameters[0]!
      const task = find(taskId)
      if (task === undefined) {
        throw refuse(400, 'invalid-task-id', 'This is not the id of a task that this service gave.')
      }
      return { status: 200, body: { task_id: taskId.toLowerCase(), ...stateOf(task) } }
    },
  }
}
