import type { DuckDBConnection } from '@duckdb/node-api'
import { HttpError, lakehouseError, refuse } from '../../http/HttpError.js'
import { bodyReader } from '../../http/readJson.js'
import type { Route } from '../../http/Route.js'
import type { ConcurrencyLimit } from '../../duckdb/ConcurrencyLimit.js'
import type { Database } from '../../duckdb/Database.js'
import { isFatal, inReadOnly } from '../../duckdb/transactions.js'
import { type Identity, readIdentity } from '../../users/Identity.js'
import type { Cancellation } from '../Cancellation.js'
import { readDialect } from '../dialects/readDialect.js'
import type { Translate } from '../dialects/Translator.js'
import { givenUp, type OnGivenUp } from '../refuse.js'
import type { Guard } from '../guard/Guard.js'
import { enterPath, enterConnection, findCatalog, pathOfRequest, type SearchPath } from '../searchPath.js'
import type { HeldConnections } from '../HeldConnections.js'
import { explainStatement, failedExplanation } from './explainStatement.js'
import { suggest } from './suggest.js'
import { validateStatement } from './validateStatement.js'

export interface AssistRoutesOptions {
  database: Database
  connections: HeldConnections
  limit: ConcurrencyLimit
  guard: Guard
  home: SearchPath
  /** Catalogs that may be named. */
  readable: readonly string[]
  /** The requests that still run, so that they can be cancelled. */
  inspections: Set<Cancellation>
  newCancellation(): Cancellation
  onGivenUp: OnGivenUp
  translate: Translate
  maxBodyBytes: number
  statementTimeoutMs: number
}

interface AssistRequest {
  statement: string
  catalog?: string | null
  schema?: string | null
  session_id?: string | null
  dialect?: string | null
  /** Only /explain reads it. */
  include_plan?: boolean | null
  /** Only /autocomplete reads it. */
  max_suggestions?: number | null
}

/** One request to inspect a statement without running it. */
interface Inspection extends Identity {
  body: AssistRequest
  cancellation: Cancellation
}

const defaultSuggestions = 20
const maxSuggestions = 200
/** Longer than this no client waits to learn about a statement that it has not run. */
const longestMs = 30_000

const schemaOf = (more: object) => ({
  type: 'object',
  required: ['statement'],
  properties: {
    statement: { type: 'string' },
    catalog: { type: 'string', nullable: true },
    schema: { type: 'string', nullable: true },
    session_id: { type: 'string', nullable: true },
    dialect: { type: 'string', nullable: true },
    ...more,
  },
})
const explainSchema = schemaOf({ include_plan: { type: 'boolean', nullable: true } })
const autocompleteSchema = schemaOf({
  max_suggestions: { type: 'integer', minimum: 0, maximum: 2_147_483_647, nullable: true },
})

/** `/validate`, `/explain` and `/autocomplete` inspect a statement without running it. */
export const assistRoutes = (options: AssistRoutesOptions): Route[] => {
  const { database, connections, limit, guard, home, readable, inspections, newCancellation, maxBodyBytes } =
    options
  const { translate } = options
  const limitMs = Math.min(options.statementTimeoutMs, longestMs)

  const heldOf = ({ user, body }: Inspection) =>
    body.session_id ? connections.find(user, body.session_id) : undefined

  /**
   * Works on the connection of the request's `session_id`, so that its temporary tables are known. When
   * there is none it works on a new connection and does not keep it. The connection is taken before the
   * permit, as in a query.
   */
  const withConnection = async <T>(
    inspection: Inspection,
    work: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T> => {
    const { user, role, body, cancellation } = inspection
    const { signal } = cancellation
    const held = heldOf(inspection)
    const leave = await held?.enter(signal)
    try {
      signal.throwIfAborted()
      const permit = await limit.acquire({ user, signal })
      const connection = held?.connection ?? (await database.connect())
      const release = cancellation.guard(connection)
      try {
        if (held !== undefined) await enterConnection(held, body, readable, home)
        else await enterPath(connection, pathOfRequest(body, home, readable))
        // DuckDB can plan a change only in a transaction that could make it.
        return await (role === 'read' ? inReadOnly(connection, () => work(connection)) : work(connection))
      } finally {
        release()
        if (held === undefined) connection.closeSync()
        permit.release()
      }
    } finally {
      leave?.()
    }
  }

  /** The statement in DuckDB's SQL, or why there is none. */
  const inDuckdb = async ({
    user,
    body,
    cancellation,
  }: Inspection): Promise<{ statement: string } | { error: string }> => {
    const { statement } = body
    const dialect = readDialect(body.dialect)
    if (dialect === undefined) return { statement }
    try {
      return { statement: await translate({ user, statement, dialect, signal: cancellation.signal }) }
    } catch (error) {
      if (error instanceof HttpError && error.status === 400) return { error: error.message }
      throw error
    }
  }

  const route = (
    path: string,
    schema: object,
    work: (inspection: Inspection) => Promise<Record<string, unknown>>,
  ): Route => {
    const read = bodyReader<AssistRequest>(schema, maxBodyBytes)
    return {
      method: 'POST',
      path,
      writeError: lakehouseError,
      async handle({ request, response }) {
        const identity = readIdentity(request)
        const body = await read(request)
        const cancellation = newCancellation()
        const timer = setTimeout(() => cancellation.cancel('timeout'), limitMs)
        response.once('close', () => cancellation.cancel('gone'))
        inspections.add(cancellation)
        try {
          const answer = await work({ ...identity, body, cancellation })
          // An interrupted statement must not be called a wrong one.
          cancellation.signal.throwIfAborted()
          return { status: 200, body: { statement: body.statement, connections_errors: {}, ...answer } }
        } catch (error) {
          throw (
            cancellation.error ??
            (isFatal(error) ? givenUp(error, options.onGivenUp, cancellation.asked) : error)
          )
        } finally {
          clearTimeout(timer)
          inspections.delete(cancellation)
        }
      },
    }
  }

  return [
    route('/validate', schemaOf({}), async (inspection) => {
      const { body, role } = inspection
      const given = await inDuckdb(inspection)
      if ('error' in given) return { valid: false, error: given.error }
      const { statement } = given
      inspection.cancellation.asked = { user: inspection.user, statement }
      const path = pathOfRequest(body, heldOf(inspection)?.path ?? home, readable)
      const error = await withConnection(inspection, (connection) =>
        validateStatement(connection, guard, statement, { role, path, readable }),
      )
      return { statement, valid: error === undefined, error: error ?? null }
    }),
    route('/explain', explainSchema, async (inspection) => {
      const { body } = inspection
      const given = await inDuckdb(inspection)
      if ('error' in given) return { ...failedExplanation(given.error) }
      const { statement } = given
      inspection.cancellation.asked = { user: inspection.user, statement }
      const { plan, ...explanation } = await withConnection(inspection, (connection) =>
        explainStatement(connection, guard, statement),
      )
      return { statement, ...explanation, plan: body.include_plan === true ? plan : null }
    }),
    route('/autocomplete', autocompleteSchema, async (inspection) => {
      const { body } = inspection
      const most = body.max_suggestions ?? defaultSuggestions
      if (most > maxSuggestions) {
        throw refuse(400, 'invalid-body', `max_suggestions must be at most ${maxSuggestions}.`)
      }
      const namesOnly = readDialect(body.dialect) !== undefined
      const catalog = body.catalog ? findCatalog(body.catalog, readable) : undefined
      const suggestions = await withConnection(inspection, (connection) =>
        suggest(connection, guard, { statement: body.statement, most, catalog, namesOnly }),
      )
      return { suggestions }
    }),
  ]
}
