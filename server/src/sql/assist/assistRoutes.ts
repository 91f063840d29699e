import type { DuckDBConnection } from '@duckdb/node-api'
import { HttpError, lakehouseError, refuse } from '../../http/HttpError.js'
import { bodyReader } from '../../http/readJson.js'
import type { Route } from '../../http/Route.js'
import { type Identity, readIdentity } from '../../users/Identity.js'
import type { Cancellation } from '../Cancellation.js'
import { type Translate, readDialect } from '../dialects/Translator.js'
import type { Inspect } from '../openSql.js'
import type { Guard } from '../guard/Guard.js'
import { findCatalog, pathOfRequest, type SearchPath } from '../searchPath.js'
import type { HeldConnections } from '../HeldConnections.js'
import { explainStatement, failedExplanation } from './explainStatement.js'
import { suggest } from './suggest.js'
import { validateStatement } from './validateStatement.js'

export interface AssistRoutesOptions {
  inspect: Inspect
  /** Ends a look in time; the returned function ends the watch. */
  watch(cancellation: Cancellation): () => void
  connections: HeldConnections
  /** Catalogs that may be named. */
  readable: readonly string[]
  newCancellation(): Cancellation
  translate: Translate
  maxBodyBytes: number
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
  const { inspect, watch, connections, readable, newCancellation, translate, maxBodyBytes } = options

  /**
   * Works on the connection of the request's `session_id`, so that its temporary tables are known. When there is none
   * it works on a new connection and does not keep it.
   */
  const look = async <T>(
    { user, role, body, cancellation }: Inspection,
    work: (connection: DuckDBConnection, guard: Guard, path: SearchPath) => Promise<T>,
  ): Promise<T> => {
    const known = body.session_id ? connections.find(user, body.session_id) : undefined
    const held = known ?? (await connections.openEphemeral(user))
    try {
      const path = pathOfRequest(body, held.path, readable)
      return await inspect(
        {
          held,
          cancellation,
          place: { catalog: body.catalog ?? null, schema: body.schema ?? null },
          readsOnly: role === 'read',
        },
        (connection, guard) => work(connection, guard, path),
      )
    } finally {
      if (known === undefined) void connections.end(held)
    }
  }

  /** The statement in DuckDB's SQL, or why there is none. */
  const inDuckdb = async ({
    user,
    body,
    cancellation,
  }: Inspection): Promise<{ statement: string } | { error: string }> => {
    let { statement } = body
    const dialect = readDialect(body.dialect)
    try {
      const { signal } = cancellation
      if (dialect !== undefined) statement = await translate({ user, statement, dialect, signal })
      cancellation.asked = { user, statement }
      return { statement }
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
        response.once('close', () => cancellation.cancel('gone'))
        const endWatch = watch(cancellation)
        try {
          const answer = await work({ ...identity, body, cancellation })
          return { status: 200, body: { statement: body.statement, connections_errors: {}, ...answer } }
        } catch (error) {
          throw cancellation.error ?? error
        } finally {
          endWatch()
        }
      },
    }
  }

  return [
    route('/validate', schemaOf({}), async (inspection) => {
      const { role } = inspection
      const given = await inDuckdb(inspection)
      if ('error' in given) return { valid: false, error: given.error }
      const { statement } = given
      const error = await look(inspection, (connection, guard, path) =>
        validateStatement(connection, guard, statement, { role, path, readable }),
      )
      return { statement, valid: error === undefined, error: error ?? null }
    }),
    route('/explain', explainSchema, async (inspection) => {
      const { body } = inspection
      const given = await inDuckdb(inspection)
      if ('error' in given) return { ...failedExplanation(given.error) }
      const { statement } = given
      const { plan, ...explanation } = await look(inspection, (connection, guard) =>
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
      const suggestions = await look(inspection, (connection, guard) =>
        suggest(connection, guard, { statement: body.statement, most, catalog, namesOnly }),
      )
      return { suggestions }
    }),
  ]
}
