import type { IncomingMessage } from 'node:http'
import { readApiKey, type SecretSet } from '../http/auth.js'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Authorize, Route } from '../http/Route.js'
import type { Intake } from './Intake.js'
import type { TaskIds } from './TaskIds.js'

export interface TasksRouteOptions {
  authorize: Authorize
  apiKeys: SecretSet
  taskIds: TaskIds
  intakes: readonly Intake[]
}

/** `GET /tasks/{task_id}`, for the ids of every operation that gives one. */
export const tasksRoute = ({ authorize, apiKeys, taskIds, intakes }: TasksRouteOptions): Route => {
  /** A task may be asked for by whoever may make one. */
  const check = (request: IncomingMessage, search: string) => {
    const isBasic = /^basic /i.test(request.headers.authorization ?? '')
    const key = isBasic ? undefined : readApiKey(request.headers, search)
    if (key === undefined || !apiKeys.has(key)) authorize(request)
  }

  return {
    method: 'GET',
    path: '/tasks/{task_id}',
    writeError: lakehouseError,
    handle({ request, search, parameters }) {
      check(request, search)
      const taskId = parameters[0]!
      const place = taskIds.read(taskId)
      const intake = intakes.find((each) => each.number === place?.log)
      if (place === undefined || intake === undefined) {
        throw refuse(400, 'invalid-task-id', 'This is not the id of a task that this service gave.')
      }
      const status = intake.isApplied(place.last) ? 'completed' : 'pending'
      return Promise.resolve({ status: 200, body: { task_id: taskId.toLowerCase(), status } })
    },
  }
}
