import type { Registry } from 'prom-client'
import { lakehouseError } from '../http/HttpError.js'
import { SecretSet } from '../http/SecretSet.js'
import type { Route } from '../http/Route.js'
import type { Authenticate } from '../users/authenticate.js'

export interface MetricsRouteOptions {
  registry: Registry
  authenticate: Authenticate
  /** The token that reads metrics without a user; empty when there is none. */
  metricsToken: string
}

/** `GET /metrics` in the text format of Prometheus, for every user and for clients with the token. */
export const metricsRoute = ({ registry, authenticate, metricsToken }: MetricsRouteOptions): Route => {
  const tokens = new SecretSet(metricsToken === '' ? [] : [metricsToken])
  return {
    method: 'GET',
    path: '/metrics',
    writeError: lakehouseError,
    async handle({ request, response }) {
      const [, token] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
      if (token === undefined || tokens.indexOf(token) < 0) await authenticate(request, response)
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text)
      return undefined
    },
  }
}
