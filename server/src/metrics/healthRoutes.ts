import { lakehouseError } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'

export interface Health {
  /** Whether an event that comes now would be taken. */
  isAccepting(): boolean
  isEngineUp(): boolean
  backlog(): { rows: number; lagSeconds: number }
}

/** An engine that stores this far behind needs to be looked at. */
const muchLagSeconds = 60

/** `GET /healthz`, for whoever decides where requests go: 503 while events are refused. */
export const healthRoutes = (health: Health): Route[] => {
  const handle = ({ request, response }: Exchange) => {
    const accepting = health.isAccepting()
    const isUp = health.isEngineUp()
    const { rows, lagSeconds } = health.backlog()
    const body = {
      status: accepting && isUp && lagSeconds < muchLagSeconds ? 'ok' : 'degraded',
      accepting,
      engine: isUp ? 'up' : 'starting',
      lag_seconds: Math.round(lagSeconds * 10) / 10,
      backlog_rows: rows,
    }
    response.writeHead(accepting ? 200 : 503, {
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
