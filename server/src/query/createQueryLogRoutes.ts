import type { IncomingMessage } from 'node:http'
import { Refusal } from '../http/Refusal.js'
import type { Route } from '../http/Route.js'
import type { QueryLog } from './createQueryLog.js'
import type { Sessions } from './createSessions.js'
import { refuseField } from './refuseQuery.js'

export interface QueryLogRoutesOptions {
  authorize(request: IncomingMessage): string
  log: QueryLog
  sessions: Sessions
}

const describeFailure = (message: string) => ({ error: 'internal', message })
const notFound = (error: string, message: string) => new Refusal(404, { error, message })

/** `GET /query/{query_id}` and `DELETE /query/{query_id}`; each user sees their own. */
export const createQueryLogRoutes = ({ authorize, log, sessions }: QueryLogRoutesOptions): Route[] => [
  {
    method: 'GET',
    path: '/query/{query_id}',
    describeFailure,
    handle({ request, parameters }) {
      const query = log.find(authorize(request), parameters[0]!.toLowerCase())
      if (query === undefined) throw notFound('query-not-found', 'There is no query of this id.')
      return Promise.resolve({ status: 200, body: { ...query.record, ...query.live?.progress() } })
    },
  },
  {
    method: 'DELETE',
    path: '/query/{query_id}',
    describeFailure,
    handle({ request, parameters, search }) {
      const user = authorize(request)
      const sessionId = new URLSearchParams(search).get('session_id')
      if (sessionId === null || sessionId === '') throw refuseField('session_id is missing.')
      const query = log.find(user, parameters[0]!.toLowerCase())
      const owns = query?.record.session_id === sessionId
      if (!owns && sessions.find(user, sessionId) === undefined) {
        throw notFound('session-not-found', 'There is no session of this id.')
      }
      if (!owns) {
        const message = 'The session has no query of this id.'
        return Promise.resolve({ status: 200, body: { cancelled: false, message } })
      }
      const running = query.live !== undefined
      query.live?.cancel('cancelled')
      const message = running ? 'The query is being cancelled.' : 'The query has ended already.'
      return Promise.resolve({ status: 200, body: { cancelled: running, message } })
    },
  },
]
