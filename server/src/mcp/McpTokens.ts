import type { IncomingMessage } from 'node:http'
import { refuse } from '../http/HttpError.js'
import { isForeignHost } from '../http/cors.js'
import type { Route } from '../http/Route.js'
import type { CompleteOptions } from '../options/flags.js'
import type { EngineProxy } from '../link/EngineProxy.js'
import { BearerTokens, type TokenTries } from '../users/authenticate.js'
import type { Identity } from '../users/Identity.js'

const personsMark = ':persons'

/** The users that the engine knows agents by. No password belongs to them. */
const agent = 'agent'
export const agentWithPersons = 'agent with persons'

/** The tokens of agents: `token` reads figures alone, `token:persons` also rows of events and persons, by SQL. */
class McpTokens {
  readonly #tokens: BearerTokens
  readonly #withPersons: readonly boolean[]

  constructor(listed: readonly string[], tries: TokenTries) {
    this.#withPersons = listed.map((each) => each.endsWith(personsMark))
    this.#tokens = new BearerTokens(
      listed.map((each) => (each.endsWith(personsMark) ? each.slice(0, -personsMark.length) : each)),
      { flag: '--mcp-tokens', tries },
    )
  }

  identityOf(request: IncomingMessage): Identity {
    const at = this.#tokens.indexOf(request)
    if (at >= 0) return { user: this.#withPersons[at] ? agentWithPersons : agent, role: 'read' }
    const message = 'The Authorization header must read: Bearer <a token of --mcp-tokens>.'
    throw refuse(401, 'unauthorized', message, { 'www-authenticate': 'Bearer realm="waymark"' })
  }
}

/** `POST /mcp` in the ingest process: it checks the token, and passes the request to the engine. */
export const mcpProxyRoute = (
  options: Pick<CompleteOptions, 'mcpTokens' | 'host' | 'trustProxy' | 'origins'>,
  { proxy, tries }: { proxy: EngineProxy; tries: TokenTries },
): Route => {
  const tokens = new McpTokens(options.mcpTokens, tries)
  return {
    method: 'POST',
    path: '/mcp',
    async handle({ request, response }) {
      const identity = tokens.identityOf(request)
      if (isForeignHost(request, options)) {
        const message = 'The Host header names another host. If it is yours, name its origin by --origins.'
        throw refuse(403, 'host-not-allowed', message)
      }
      await proxy.forward({ request, response, identity, isReading: true })
      return undefined
    },
  }
}
