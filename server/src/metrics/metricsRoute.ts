import type { Registry } from 'prom-client'
import { lakehouseError } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import type { Authenticate } from '../users/authenticate.js'
import { BearerTokens, type TokenTries } from '../users/BearerTokens.js'

export interface MetricsRouteOptions {
  registry: Registry
  authenticate: Authenticate
  /** The token that reads metrics without a user; empty when there is none. */
  metricsToken: string
  tries: TokenTries
}

/** `GET /metrics` in the text format of Prometheus, for every user and for clients with the token. */
export const metricsRoute = ({ registry, authenticate, metricsToken, tries }: MetricsRouteOptions): Route => {
  const listed = metricsToken === '' ? [] : [metricsToken]
  const tokens = new BearerTokens(listed, { flag: '--metrics-token', tries })
  return {
    method: 'GET',
    path: '/metrics',
    writeError: lakehouseError,
    async handle({ request, response }) {
      if (tokens.indexOf(request) < 0) await authenticate(request, response)
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text)
      return undefined
    },
  }
}
