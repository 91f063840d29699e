import { readApiKey, type SecretSet } from '../http/auth.js'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'
import type { Authenticate } from '../users/authenticate.js'
import type { DeadLetter } from './DeadLetters.js'
import type { TaskIds, TaskPlace } from './TaskIds.js'

export interface TasksRouteOptions {
  authenticate: Authenticate
  apiKeys: SecretSet
  taskIds: TaskIds
  /** How far the log of that number has been applied; undefined when it is not known. */
  appliedOf(log: number): number | undefined
  /** What was set aside of the request that ends with this sequence. */
  deadLetterOf(log: number, last: number): DeadLetter | undefined
  /** Whether rows are being stored at the moment. */
  isStoring(): boolean
}

/** `GET /tasks/{task_id}`, for the ids of every operation that gives one. */
export const tasksRoute = ({
  authenticate,
  apiKeys,
  taskIds,
  appliedOf,
  deadLetterOf,
  isStoring,
}: TasksRouteOptions): Route => {
  /** A task may be asked for by whoever may make one. */
  const check = async ({ request, response, search }: Exchange): Promise<void> => {
    const key = readApiKey(request.headers, search)
    if (key === undefined || !apiKeys.has(key)) await authenticate(request, response)
  }

  const stateOf = ({ log, last }: TaskPlace) => {
    if (last > (appliedOf(log) ?? -1)) {
      const message = 'The engine that stores accepted rows is being started; they wait on disk.'
      return { status: 'pending', ...(isStoring() ? {} : { message }) }
    }
    const letter = deadLetterOf(log, last)
    if (letter === undefined) return { status: 'completed' }
    const { rows, reason } = letter
    const message = `${rows} could not be stored, the first because: ${reason} See the view rejected.`
    return { status: 'failed', rejected: rows, message }
  }

  return {
    method: 'GET',
    path: '/tasks/{task_id}',
    writeError: lakehouseError,
    async handle(exchange) {
      await check(exchange)
      const taskId = exchange.parameters[0]!
      const place = taskIds.read(taskId)
      if (place === undefined) {
        throw refuse(400, 'invalid-task-id', 'This is not the id of a task that this service gave.')
      }
      return { status: 200, body: { task_id: taskId.toLowerCase(), ...stateOf(place) } }
    },
  }
}
