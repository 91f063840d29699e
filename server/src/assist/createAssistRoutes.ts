import type { IncomingMessage } from 'node:http'
import { createBodyReader } from '../http/createBodyReader.js'
import { Refusal } from '../http/Refusal.js'
import type { Route } from '../http/Route.js'
import type { Guard } from '../query/createGuard.js'
import { createStopper, type Stopper } from '../query/createStopper.js'
import { placeOfRequest } from '../query/movePlace.js'
import { refuseStopped } from '../query/refuseStopped.js'
import { explainStatement } from './explainStatement.js'
import { suggest } from './suggest.js'
import { validateStatement } from './validateStatement.js'
import {
  assistFields,
  createWithConnection,
  type AssistOptions,
  type AssistRequest,
  type Look,
} from './withConnection.js'

export interface AssistRoutesOptions extends AssistOptions {
  authorize(request: IncomingMessage): string
  guard: Guard
  maxBodyBytes: number
  statementTimeoutMs: number
  /** What is under way, so that it can be stopped. */
  looks: Set<Stopper>
}

const defaultSuggestions = 20
const maxSuggestions = 200
/** Nobody waits longer for an answer about a statement. */
const longestMs = 30_000

const schemaOf = (more: object) => ({
  type: 'object',
  required: ['statement'],
  properties: { ...assistFields, ...more },
})
const explainSchema = schemaOf({ include_plan: { type: 'boolean', nullable: true } })
const autocompleteSchema = schemaOf({
  max_suggestions: { type: 'integer', minimum: 0, maximum: 2_147_483_647, nullable: true },
})
const describeFailure = (message: string) => ({ error: 'internal', message })

/** `/validate`, `/explain` and `/autocomplete`: none of them runs the statement. */
export const createAssistRoutes = (options: AssistRoutesOptions): Route[] => {
  const { authorize, guard, looks, maxBodyBytes, catalogs, home, sessions } = options
  const limitMs = Math.min(options.statementTimeoutMs, longestMs)
  const withConnection = createWithConnection(options)

  const route = (
    path: string,
    schema: object,
    work: (look: Look) => Promise<Record<string, unknown>>,
  ): Route => {
    const read = createBodyReader<AssistRequest>(schema, maxBodyBytes)
    return {
      method: 'POST',
      path,
      describeFailure,
      async handle({ request, response }) {
        const user = authorize(request)
        const body = await read(request)
        const stopper = createStopper()
        const timer = setTimeout(() => stopper.stop('timeout'), limitMs)
        response.once('close', () => stopper.stop('gone'))
        looks.add(stopper)
        try {
          const answer = await work({ user, body, stopper })
          // An interrupted statement must not be called a wrong one.
          stopper.signal.throwIfAborted()
          return { status: 200, body: { statement: body.statement, connections_errors: {}, ...answer } }
        } catch (error) {
          throw refuseStopped(stopper) ?? error
        } finally {
          clearTimeout(timer)
          looks.delete(stopper)
        }
      },
    }
  }

  return [
    route('/validate', schemaOf({}), async (look) => {
      const { user, body } = look
      const place = (body.session_id ? sessions.find(user, body.session_id)?.place : undefined) ?? home
      const error = await withConnection(look, (connection) =>
        validateStatement(connection, guard, body.statement, placeOfRequest(body, place, catalogs), catalogs),
      )
      return { valid: error === undefined, error: error ?? null }
    }),
    route('/explain', explainSchema, async (look) => {
      const { body } = look
      const { plan, ...explanation } = await withConnection(look, (connection) =>
        explainStatement(connection, guard, body.statement),
      )
      return body.include_plan === true ? { ...explanation, plan } : { ...explanation, plan: null }
    }),
    route('/autocomplete', autocompleteSchema, async (look) => {
      const { body } = look
      const most = body.max_suggestions ?? defaultSuggestions
      if (most > maxSuggestions) {
        const message = `max_suggestions must be at most ${maxSuggestions}.`
        throw new Refusal(400, { error: 'invalid-body', message })
      }
      const suggestions = await withConnection(look, (connection) =>
        suggest(connection, guard, body.statement, most),
      )
      return { suggestions }
    }),
  ]
}
