import type { Refusal } from '../analytics/analyticsRoutes.js'
import type { ApiKeys } from '../http/apiKeys.js'
import { lakehouseError } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import type { CompleteOptions } from '../options/ServerOptions.js'
import type { Authenticate } from './authenticate.js'
import type { Users } from './Users.js'

interface SetupRouteOptions extends Pick<CompleteOptions, 'environments' | 'retentionDays' | 'usersFile'> {
  authenticate: Authenticate
  users: Users
  apiKeys: ApiKeys
  /** The newest request for events that was refused. */
  refused: { newest?: Refusal }
}

/**
 * `GET /setup` says how the service is set up, for the page "Set up" of the screens. Keys are public in a page, but one
 * may be for programs alone, so they are for users who may write, and so are the names of the users.
 */
export const setupRoute = (options: SetupRouteOptions): Route => {
  const { authenticate, users, apiKeys, refused, environments, retentionDays, usersFile } = options
  return {
    method: 'GET',
    path: '/setup',
    writeError: lakehouseError,
    async handle({ request, response }) {
      const { role } = await authenticate(request, response)
      const secret = role === 'write' && {
        keys: apiKeys.list(),
        users: users.list(),
        users_file: usersFile || null,
      }
      return {
        status: 200,
        headers: { 'cache-control': 'no-store' },
        body: {
          environments: environments.map((name) => ({ name, retention_days: retentionDays[name] ?? null })),
          ...(secret || { keys: null, users: null, users_file: null }),
          refused: refused.newest ?? null,
        },
      }
    },
  }
}
