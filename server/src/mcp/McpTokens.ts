import type { IncomingMessage } from 'node:http'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import { SecretSet } from '../http/SecretSet.js'
import type { EngineProxy } from '../link/EngineProxy.js'
import type { Identity } from '../users/Identity.js'

const personsMark = ':persons'

/** The users that the engine knows agents by. No password belongs to them. */
export const agent = 'agent'
export const agentWithPersons = 'agent with persons'

/** The tokens of agents: `token` reads figures alone, `token:persons` also rows of events and persons, by SQL. */
class McpTokens {
  readonly #secrets: SecretSet
  readonly #withPersons: readonly boolean[]

  constructor(listed: readonly string[]) {
    this.#withPersons = listed.map((each) => each.endsWith(personsMark))
    this.#secrets = new SecretSet(
      listed.map((each) => (each.endsWith(personsMark) ? each.slice(0, -personsMark.length) : each)),
    )
  }

  identityOf({ headers }: IncomingMessage): Identity {
    const [, token] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
    const at = token === undefined ? -1 : this.#secrets.indexOf(token)
    if (at >= 0) return { user: this.#withPersons[at] ? agentWithPersons : agent, role: 'read' }
    const message = 'The Authorization header must read: Bearer <a token of --mcp-tokens>.'
    throw refuse(401, 'unauthorized', message, { 'www-authenticate': 'Bearer realm="waymark"' })
  }
}

/** `POST /mcp` in the ingest process: it checks the token, and passes the request to the engine. */
export const mcpProxyRoute = (listed: readonly string[], proxy: EngineProxy): Route => {
  const tokens = new McpTokens(listed)
  return {
    method: 'POST',
    path: '/mcp',
    writeError: lakehouseError,
    async handle({ request, response }) {
      const identity = tokens.identityOf(request)
      await proxy.forward({ request, response, identity, isReading: true })
      return undefined
    },
  }
}
