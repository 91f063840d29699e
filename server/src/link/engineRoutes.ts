import { appendError, lakehouseError, refuse } from '../http/HttpError.js'
import { type Route, answerPath } from '../http/Route.js'
import { erasePath, exportPath } from '../payloads/erasure.js'
import { savedPath } from '../saved/savedRoute.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser, guestPath } from '../users/Identity.js'
import { sessionPath } from '../users/loginRoutes.js'
import type { EngineProxy } from './EngineProxy.js'

/** Paths that always change tables. Whether a SQL statement does is found out by the engine. */
const writing: ReadonlySet<string> = new Set(['/append', '/upload', '/upsert'])

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
