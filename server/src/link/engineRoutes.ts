import { appendError } from '../append/appendError.js'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import { erasePath, exportPath } from '../privacy/askedPerson.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser } from '../users/Identity.js'
import { sessionPath } from '../users/loginRoutes.js'
import type { EngineProxy } from './EngineProxy.js'

/** What changes tables by its nature. Of statements the engine finds out whether they do. */
const writing: ReadonlySet<string> = new Set(['/append', '/upload', '/upsert'])

const posts = ['/query', '/validate', '/explain', '/autocomplete', exportPath, ...writing]

const places: readonly (readonly [method: Route['method'], path: string])[] = [
  ...posts.map((path) => ['POST', path] as const),
  ['GET', '/query'],
  ['HEAD', '/query'],
  ['GET', '/query/{query_id}'],
  ['DELETE', '/query/{query_id}'],
]

const writeErrorOf = (path: string) => (path === '/append' ? appendError : lakehouseError)

/** The lakehouse group of a process that has no engine. */
export const noEngineRoutes: Route[] = [
  ...places,
  ['POST', erasePath] as const,
  ['GET', sessionPath] as const,
  ['POST', sessionPath] as const,
].map(([method, path]) => ({
  method,
  path,
  writeError: writeErrorOf(path),
  handle() {
    const message =
      'This process only takes events (--role ingest). Ask one that answers queries (--role engine or both).'
    throw refuse(503, 'no-engine', message)
  },
}))

/** The lakehouse group, as far as it is known here: who may ask, and that the engine answers. */
export const engineRoutes = (
  proxy: EngineProxy,
  authenticate: Authenticate,
  /** Resolves once all that was accepted until now is stored. */
  whenStored: () => Promise<void>,
): Route[] =>
  places.map(([method, path]) => ({
    method,
    path,
    writeError: writeErrorOf(path),
    async handle({ request, response }) {
      const identity = await authenticate(request, response)
      if (identity.role === 'read' && writing.has(path)) throw readOnlyUser()
      if (path === exportPath) await whenStored()
      await proxy.forward(request, response, identity)
      return undefined
    },
  }))
