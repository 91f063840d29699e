import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../log/createLog.js'
import { answerPreflight, applyCors } from './applyCors.js'
import { createRouter } from './createRouter.js'
import { Refusal } from './Refusal.js'
import type { Reply, Route } from './Route.js'

const send = (response: ServerResponse, { status, body, headers = {} }: Reply) => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

export interface Listener {
  /** The one function that node:http calls: routes a request, and turns every failure into a JSON answer. */
  listen(request: IncomingMessage, response: ServerResponse): void
  /** Resolves once no route is at work; a route may outlast its connection. */
  idle(): Promise<void>
}

export const createListener = (routes: readonly Route[], log: Log): Listener => {
  const router = createRouter(routes)
  const working = new Set<Promise<void>>()

  const find = (method: string, path: string) => {
    const match = router.find(method, path)
    if (match === undefined) {
      throw new Refusal(404, { error: 'not-found', message: `There is nothing at ${path.slice(0, 200)}.` })
    }
    if ('allow' in match) {
      const allow = match.allow.join(', ')
      const message = `${path} takes ${allow}, not ${method}.`
      throw new Refusal(405, { error: 'method-not-allowed', message }, { allow })
    }
    return match
  }

  const fail = (error: unknown, route: Route | undefined, path: string): Reply => {
    if (error instanceof Refusal) return { status: error.status, body: error.body, headers: error.headers }
    const message = error instanceof Error ? error.message : String(error)
    log.error('A request failed.', { path, reason: message })
    const described = route?.describeFailure(message) ?? { error: 'internal', message }
    return { status: 500, body: described }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? '/'
    const cut = url.indexOf('?')
    const path = cut < 0 ? url : url.slice(0, cut)
    const search = cut < 0 ? '' : url.slice(cut + 1)
    let route: Route | undefined
    let reply: Reply | undefined
    try {
      applyCors(request, response)
      if (request.method === 'OPTIONS') return answerPreflight(request, response)
      const match = find(request.method ?? 'GET', path)
      route = match.route
      reply = await route.handle({ request, response, path, search, parameters: match.parameters })
    } catch (error) {
      reply = fail(error, route, path)
    }
    if (reply === undefined || response.destroyed) return
    // Too late for a status: the only honest end of a half-written answer is a broken one.
    if (response.headersSent) response.destroy()
    else send(response, reply)
    // A body nobody reads would stand before the next request on this connection.
    if (!request.readableEnded) request.resume()
  }

  return {
    listen(request, response) {
      const work = answer(request, response)
        .catch((error: unknown) => {
          log.error('An answer could not be written.', { reason: String(error) })
          response.destroy()
        })
        .finally(() => working.delete(work))
      working.add(work)
    },
    async idle() {
      while (working.size > 0) await Promise.all(working)
    },
  }
}
