import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../Logger.js'
import { answerPreflight, type Origins } from './cors.js'
import { HttpError, lakehouseError, refuse } from './HttpError.js'
import type { Reply, Route } from './Route.js'
import { shorten } from '../json/shorten.js'

/** Answers to those who have shown no key, or no sense. */
const ofStrangers: ReadonlySet<number> = new Set([401, 403, 404, 405])
const maxLeftBytes = 65_536
const maxLeftMs = 5000

/** Reads so much that a small body does not cost the connection, and then no more. */
const readLittle = (request: IncomingMessage, response: ServerResponse) => {
  const hangUp = () => {
    // The answer goes first.
    if (response.writableFinished) request.socket.destroy()
    else response.once('finish', () => request.socket.destroy())
  }
  const timer = setTimeout(hangUp, maxLeftMs)
  let left = maxLeftBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) hangUp()
  })
  request.once('close', () => clearTimeout(timer))
}

interface Match {
  route: Route
  parameters: string[]
}

interface Pattern {
  expression: RegExp
  route: Route
}

/** Told to a proxy in place of `connection: close`, which would cut off a body on its way here. */
export const closeHeader = 'x-waymark-close'

const send = (response: ServerResponse, { status, body, headers = {} }: Reply) => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

const withoutClose = ({ headers = {}, ...reply }: Reply): Reply => {
  const { connection, ...others } = headers
  return { ...reply, headers: connection === 'close' ? { ...others, [closeHeader]: '1' } : headers }
}

/** Routes each request, and turns every failure into a JSON answer. */
export class Listener {
  readonly #routes: readonly Route[]
  readonly #exact = new Map<string, Route>()
  readonly #patterns: Pattern[] = []
  readonly #logger: Logger
  #working = 0
  #whenIdle: (() => void)[] = []

  readonly #origins: Origins | undefined

  /** Without origins it serves a proxy of ours, which has looked at them. */
  constructor(routes: readonly Route[], logger: Logger, origins?: Origins) {
    this.#origins = origins
    this.#routes = routes
    this.#logger = logger
    for (const route of routes) {
      if (!route.path.includes('{')) this.#exact.set(`${route.method} ${route.path}`, route)
      else {
        const source = route.path.replaceAll(/\{\w+\.\.\.\}/g, '(.*)').replaceAll(/\{\w+\}/g, '([^/]+)')
        this.#patterns.push({ expression: new RegExp(`^${source}$`), route })
      }
    }
  }

  /** The one function that node:http calls. */
  listen(request: IncomingMessage, response: ServerResponse): void {
    this.#working++
    this.#answer(request, response).then(
      () => this.#done(),
      (error: unknown) => {
        this.#logger.error('An answer could not be written.', { reason: String(error) })
        response.destroy()
        this.#done()
      },
    )
  }

  /** Resolves once no route is at work; a route may outlast its connection. */
  idle(): Promise<void> {
    if (this.#working === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  #done(): void {
    this.#working--
    if (this.#working > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/'
    const cut = url.indexOf('?')
    const path = cut < 0 ? url : url.slice(0, cut)
    const search = cut < 0 ? '' : url.slice(cut + 1)
    let route: Route | undefined
    let reply: Reply | undefined
    try {
      this.#origins?.admit(path, request, response)
      if (request.method === 'OPTIONS') return answerPreflight(request, response)
      const match = this.#match(request.method ?? 'GET', path)
      route = match.route
      reply = await route.handle({ request, response, path, search, parameters: match.parameters })
    } catch (error) {
      reply = this.#fail(error, route, path)
    }
    if (reply === undefined || response.destroyed) return
    // Too late for a status: the only honest end of a half-written answer is a broken one.
    if (response.headersSent) response.destroy()
    else send(response, this.#origins === undefined ? withoutClose(reply) : reply)
    // A body nobody reads would stand before the next request on this connection.
    if (!request.readableEnded) {
      if (ofStrangers.has(reply.status)) readLittle(request, response)
      else request.resume()
    }
  }

  #match(method: string, path: string): Match {
    const route = this.#exact.get(`${method} ${path}`)
    if (route !== undefined) return { route, parameters: [] }
    for (const pattern of this.#patterns) {
      const found = pattern.route.method === method ? pattern.expression.exec(path) : null
      if (found) return { route: pattern.route, parameters: found.slice(1) }
    }
    const allow = [
      ...this.#routes.filter((each) => each.path === path).map((each) => each.method),
      ...this.#patterns.filter((each) => each.expression.test(path)).map((each) => each.route.method),
    ].join(', ')
    if (allow === '') throw refuse(404, 'not-found', `There is nothing at ${shorten(path, 200)}.`)
    throw refuse(405, 'method-not-allowed', `${path} takes ${allow}, not ${method}.`, { allow })
  }

  #fail(error: unknown, route: Route | undefined, path: string): Reply {
    const write = route?.writeError ?? lakehouseError
    if (error instanceof HttpError) {
      return { status: error.status, body: write(error), headers: error.headers }
    }
    const message = error instanceof Error ? error.message : String(error)
    this.#logger.error('A request failed.', { path, reason: message })
    return { status: 500, body: write(refuse(500, 'internal', message)) }
  }
}
