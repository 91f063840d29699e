import type { IncomingMessage } from 'node:http'
import { createBodyReader } from '../http/createBodyReader.js'
import { Refusal } from '../http/Refusal.js'
import type { Route } from '../http/Route.js'
import type { Admission } from '../query/createAdmission.js'
import type { Guard } from '../query/createGuard.js'
import { placeOfRequest } from '../query/movePlace.js'
import { explainStatement } from './explainStatement.js'
import { suggest } from './suggest.js'
import { validateStatement } from './validateStatement.js'
import {
  assistFields,
  createWithConnection,
  type AssistOptions,
  type AssistRequest,
} from './withConnection.js'

export interface AssistRoutesOptions extends AssistOptions {
  authorize(request: IncomingMessage): string
  guard: Guard
  admission: Admission
  maxBodyBytes: number
}

const defaultSuggestions = 20
const maxSuggestions = 200

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
  const { authorize, guard, admission, maxBodyBytes, catalogs, home, sessions } = options
  const withConnection = createWithConnection(options)

  const route = (
    path: string,
    schema: object,
    work: (user: string, body: AssistRequest) => Promise<Record<string, unknown>>,
  ): Route => {
    const read = createBodyReader<AssistRequest>(schema, maxBodyBytes)
    return {
      method: 'POST',
      path,
      describeFailure,
      async handle({ request }) {
        const user = authorize(request)
        const body = await read(request)
        const ticket = await admission.enter(new AbortController().signal)
        try {
          const answer = await work(user, body)
          return { status: 200, body: { statement: body.statement, connections_errors: {}, ...answer } }
        } finally {
          ticket.release()
        }
      },
    }
  }

  return [
    route('/validate', schemaOf({}), async (user, body) => {
      const place = (body.session_id ? sessions.find(user, body.session_id)?.place : undefined) ?? home
      const error = await withConnection(user, body, (connection) =>
        validateStatement(connection, guard, body.statement, placeOfRequest(body, place, catalogs), catalogs),
      )
      return { valid: error === undefined, error: error ?? null }
    }),
    route('/explain', explainSchema, async (user, body) => {
      const { plan, ...explanation } = await withConnection(user, body, (connection) =>
        explainStatement(connection, guard, body.statement),
      )
      return body.include_plan === true ? { ...explanation, plan } : { ...explanation, plan: null }
    }),
    route('/autocomplete', autocompleteSchema, async (user, body) => {
      const most = body.max_suggestions ?? defaultSuggestions
      if (most > maxSuggestions) {
        const message = `max_suggestions must be at most ${maxSuggestions}.`
        throw new Refusal(400, { error: 'invalid-body', message })
      }
      const suggestions = await withConnection(user, body, (connection) =>
        suggest(connection, body.statement, most),
      )
      return { suggestions }
    }),
  ]
}
