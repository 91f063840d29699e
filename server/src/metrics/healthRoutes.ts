import type { Registry } from 'prom-client'
import { lakehouseError } from '../http/HttpError.js'
import type { Role } from '../options/flags.js'
import type { Exchange, Route } from '../http/Route.js'
import type { Failing } from '../link/EngineView.js'
import { version } from '../version.js'
import type { Authenticate } from '../users/authenticate.js'
import { BearerTokens, type TokenTries } from '../users/BearerTokens.js'

/** `GET /metrics` in the text format of Prometheus, for every user and for clients with the token, which is empty when there is none. */
export const metricsRoute = ({
  registry,
  authenticate,
  metricsToken,
  tries,
}: {
  registry: Registry
  authenticate: Authenticate
  metricsToken: string
  tries: TokenTries
}): Route => {
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

export interface Health {
  /** Whether this process takes events, answers queries, or does both. */
  role: Role
  /** Whether an event would be taken now. */
  isAccepting(): boolean
  /** What is wrong with the log, as far as it is known. */
  problem(): string | undefined
  isEngineUp(): boolean
  /** Since when accepted rows are not being stored, and why. */
  storing(): Failing | undefined
  backlog(): { rows: number; lagSeconds: number }
}

/** With a longer lag the service reports itself as degraded: somebody should look at the engine. */
const muchLagSeconds = 60

const engineStates = (isUp: boolean, role: Role) => {
  if (role === 'ingest') return 'none'
  return isUp ? 'up' : 'starting'
}

const describeFailing = ({ sinceMs, reason }: Failing) => ({
  failing_since: new Date(sinceMs).toISOString(),
  reason,
})

/** `GET /healthz`, for load balancers: 503 while the process refuses the requests that its role is for. */
export const healthRoutes = (health: Health): Route[] => {
  const handle = ({ request, response }: Exchange) => {
    const isAccepting = health.isAccepting()
    const isUp = health.isEngineUp()
    const { role } = health
    const { rows, lagSeconds } = health.backlog()
    const storing = health.storing()
    const reason = health.problem() ?? storing?.reason
    const isWell = (isAccepting || role === 'engine') && (isUp || role === 'ingest') && reason === undefined
    const body = {
      status: isWell && lagSeconds < muchLagSeconds ? 'ok' : 'degraded',
      accepting: isAccepting,
      ...(reason === undefined ? {} : { reason }),
      ...(storing === undefined ? {} : { storing: describeFailing(storing) }),
      engine: engineStates(isUp, role),
      lag_seconds: Math.round(lagSeconds * 10) / 10,
      backlog_rows: rows,
      version,
    }
    response.writeHead((role === 'engine' ? isUp : isAccepting) ? 200 : 503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body))
    return Promise.resolve(undefined)
  }
  return (['GET', 'HEAD'] as const).map((method) => ({
    method,
    path: '/healthz',
    handle,
    writeError: lakehouseError,
  }))
}
