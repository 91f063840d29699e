import { appendError } from '../append/appendError.js'
import { lakehouseError } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import { exportPath } from '../privacy/askedPerson.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser } from '../users/Identity.js'
import type { EngineProxy } from './EngineProxy.js'

/** What changes tables by its nature. Of statements the engine finds out whether they do. */
const writing: ReadonlySet<string> = new Set(['/append', '/upload', '/upsert'])

/** The lakehouse group, as far as it is known here: who may ask, and that the engine answers. */
export const engineRoutes = (
  proxy: EngineProxy,
  authenticate: Authenticate,
  /** Resolves once all that was accepted until now is stored. */
  whenStored: () => Promise<void>,
): Route[] => {
  const route = (method: Route['method'], path: string): Route => ({
    method,
    path,
    writeError: path === '/append' ? appendError : lakehouseError,
    async handle({ request, response }) {
      const identity = await authenticate(request, response)
      if (identity.role === 'read' && writing.has(path)) throw readOnlyUser()
      if (path === exportPath) await whenStored()
      await proxy.forward(request, response, identity)
      return undefined
    },
  })
  const posts = ['/query', '/validate', '/explain', '/autocomplete', exportPath, ...writing]
  return [
    ...posts.map((path) => route('POST', path)),
    route('GET', '/query'),
    route('HEAD', '/query'),
    route('GET', '/query/{query_id}'),
    route('DELETE', '/query/{query_id}'),
  ]
}
