import type { IncomingMessage } from 'node:http'
import { Refusal } from '../http/Refusal.js'
import type { Route } from '../http/Route.js'
import type { Ledger } from './createLedger.js'
import type { TaskIds } from './createTaskIds.js'

export interface TasksRouteOptions {
  /** Refuses a request that may not ask. */
  authorize(request: IncomingMessage, search: string): void
  taskIds: TaskIds
  ledgers: readonly Ledger[]
}

/** `GET /tasks/{task_id}`, for the ids of every operation that gives one. */
export const createTasksRoute = ({ authorize, taskIds, ledgers }: TasksRouteOptions): Route => ({
  method: 'GET',
  path: '/tasks/{task_id}',
  describeFailure: (message) => ({ error: 'internal', message }),
  handle({ request, search, parameters }) {
    authorize(request, search)
    const taskId = parameters[0]!
    const place = taskIds.read(taskId)
    const ledger = ledgers.find((each) => each.number === place?.log)
    if (place === undefined || ledger === undefined) {
      const message = 'This is not the id of a task that this service gave.'
      throw new Refusal(400, { error: 'invalid-task-id', message })
    }
    const status = ledger.isApplied(place.last) ? 'completed' : 'pending'
    return Promise.resolve({ status: 200, body: { task_id: taskId.toLowerCase(), status } })
  },
})
