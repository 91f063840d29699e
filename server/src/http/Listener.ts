import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../Logger.js'
import { releaseBody } from './readBody.js'
import { answerPreflight, type Origins } from './cors.js'
import { HttpError, lakehouseError, refuse, shorten } from './HttpError.js'
import { type Reply, type Route, requestId, requestIdHeader } from './Route.js'
import { reasonOf } from '../OperatorError.js'

/** The bounds of the buckets reach from the time of a batch of events to the time that an upload may take. */
export const boundsSeconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
] as const

/** Counts the answers of one route in plain numbers, because it is written for each request and read only once a scrape. */
export class RouteMeter {
  readonly byStatus = new Map<number, number>()
  /** The number of answers up to each bound and above the one before. The last number is for answers above all bounds. */
  readonly buckets = new Float64Array(boundsSeconds.length + 1)
  seconds = 0

  note(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    this.seconds += seconds
    let at = 0
    while (at < boundsSeconds.length && seconds > boundsSeconds[at]!) at++
    this.buckets[at]!++
  }
}

/** The meter of one route, with the route's name. */
export interface MeteredRoute {
  method: string
  path: string
  meter: RouteMeter
}

/** These answers go to clients without a right key or with a wrong path, from whom little more is read. */
const strangerStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405])
const maxLeftBytes = 65_536
const maxLeftMs = 5000

/** Reads the rest of a small body, so that the connection can be used again, and hangs up on a larger one. */
const readLittle = (request: IncomingMessage, response: ServerResponse) => {
  const hangUp = () => {
    // The answer must be sent before the connection ends.
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

interface Metered {
  route: Route
  meter: RouteMeter
}

interface Match extends Metered {
  parameters: string[]
}

interface Pattern extends Metered {
  expression: RegExp
}

/** The status in the metrics for a client that goes before its answer; nginx uses the same number. */
const goneStatus = 499

/** The engine sends this header to the ingest process instead of `connection: close`, which would cut off a body on its way. */
export const closeHeader = 'x-waymark-close'

/** The path of a request without its query, which may hold a key. */
const pathOf = ({ url }: IncomingMessage) => url?.split('?', 1)[0]

const send = (response: ServerResponse, { status, body, headers = {} }: Reply) => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
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
  readonly #exact = new Map<string, Metered>()
  readonly #patterns: Pattern[] = []
  readonly #logger: Logger
  readonly #metered: MeteredRoute[] = []
  /** Counts the answers that belong to no route. */
  readonly #otherMeter = new RouteMeter()
  #working = 0
  #whenIdle: (() => void)[] = []

  readonly #origins: Origins | undefined
  readonly #isLast: ((error: unknown) => boolean) | undefined

  /**
   * In the engine there are no `origins`: the ingest process in front has checked them. `isLast` tells an error with
   * which the engine ends. Then there is no answer, and the ingest process asks again or says why there is none.
   */
  constructor(
    routes: readonly Route[],
    logger: Logger,
    { origins, isLast }: { origins?: Origins; isLast?(error: unknown): boolean } = {},
  ) {
    this.#origins = origins
    this.#isLast = isLast
    this.#routes = routes
    this.#logger = logger
    this.#metered.push({ method: 'any', path: 'other', meter: this.#otherMeter })
    for (const route of routes) {
      const { method, path } = route
      const meter = new RouteMeter()
      this.#metered.push({ method, path, meter })
      if (!path.includes('{')) this.#exact.set(`${method} ${path}`, { route, meter })
      else {
        const source = path.replaceAll(/\{\w+\.\.\.\}/g, '(.*)').replaceAll(/\{\w+\}/g, '([^/]+)')
        this.#patterns.push({ expression: new RegExp(`^${source}$`), route, meter })
      }
    }
  }

  /** Answers a request. It is the request listener of `node:http`. */
  listen(request: IncomingMessage, response: ServerResponse): void {
    this.#working++
    const beganMs = performance.now()
    const done = (meter: RouteMeter) => {
      releaseBody(request)
      const status = response.headersSent ? response.statusCode : goneStatus
      const ms = performance.now() - beganMs
      meter.note(status, ms / 1000)
      if (this.#logger.isDebug) this.#log(request, status, ms)
      this.#done()
    }
    this.#answer(request, response).then(done, (error: unknown) => {
      this.#logger.error('An answer could not be written.', {
        request_id: requestId(request),
        reason: String(error),
      })
      response.destroy()
      done(this.#otherMeter)
    })
  }

  routes(): readonly MeteredRoute[] {
    return this.#metered
  }

  /** Resolves once no route is at work. A route may work longer than its connection lasts. */
  idle(): Promise<void> {
    if (this.#working === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  #done(): void {
    this.#working--
    if (this.#working > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  #log(request: IncomingMessage, status: number, ms: number): void {
    this.#logger.debug('A request was answered.', {
      request_id: requestId(request),
      method: request.method,
      path: pathOf(request),
      status,
      duration_ms: Math.round(ms * 100) / 100,
    })
  }

  /** Answers a request, and gives the meter of its route. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<RouteMeter> {
    const url = request.url ?? '/'
    const cut = url.indexOf('?')
    const path = cut < 0 ? url : url.slice(0, cut)
    const search = cut < 0 ? '' : url.slice(cut + 1)
    let match: Match | undefined
    let reply: Reply | undefined
    try {
      this.#origins?.admit(path, request, response)
      if (request.method === 'OPTIONS') {
        answerPreflight(request, response)
        // Node itself would read and drop its chunks for as long as they come.
        if (request.headers['transfer-encoding'] !== undefined) readLittle(request, response)
        return this.#otherMeter
      }
      match = this.#match(request.method ?? 'GET', path)
      const { route, parameters } = match
      if (route.isFrequent !== true || requestIdHeader in request.headers) this.#writeId(request, response)
      reply = await route.handle({ request, response, path, search, parameters })
    } catch (error) {
      if (this.#isLast?.(error) === true) {
        response.destroy()
        return match?.meter ?? this.#otherMeter
      }
      this.#writeId(request, response)
      reply = this.#fail(error, match?.route, request)
    }
    this.#send(reply, request, response)
    return match?.meter ?? this.#otherMeter
  }

  /** Writes the request's id, but not in the engine: the ingest process in front has done so. */
  #writeId(request: IncomingMessage, response: ServerResponse): void {
    if (this.#origins !== undefined && !response.headersSent)
      response.setHeader(requestIdHeader, requestId(request))
  }

  #send(reply: Reply | undefined, request: IncomingMessage, response: ServerResponse): void {
    if (reply === undefined || response.destroyed) return
    // Too late for a status: the only honest end of a half-written answer is a broken one.
    if (response.headersSent) response.destroy()
    else send(response, this.#origins === undefined ? withoutClose(reply) : reply)
    // The rest of an unread body would block the next request on this connection.
    if (!request.readableEnded) {
      if (strangerStatuses.has(reply.status)) readLittle(request, response)
      else request.resume()
    }
  }

  #match(method: string, path: string): Match {
    const exact = this.#exact.get(`${method} ${path}`)
    if (exact !== undefined) return { ...exact, parameters: [] }
    for (const pattern of this.#patterns) {
      const found = pattern.route.method === method ? pattern.expression.exec(path) : null
      if (found) return { route: pattern.route, meter: pattern.meter, parameters: found.slice(1) }
    }
    const allow = [
      ...this.#routes.filter((each) => each.path === path).map((each) => each.method),
      ...this.#patterns.filter((each) => each.expression.test(path)).map((each) => each.route.method),
    ].join(', ')
    if (allow === '') throw refuse(404, 'not-found', `There is nothing at ${shorten(path, 200)}.`)
    throw refuse(405, 'method-not-allowed', `${path} takes ${allow}, not ${method}.`, { allow })
  }

  #fail(error: unknown, route: Route | undefined, request: IncomingMessage): Reply {
    const write = route?.writeError ?? lakehouseError
    const about = { request_id: requestId(request), path: pathOf(request) }
    if (error instanceof HttpError) {
      // An overload refuses thousands of requests, so they are not logged; the metrics count them.
      if (error.status >= 500 && error.code !== 'overloaded') {
        this.#logger.warn('A request could not be answered.', { ...about, code: error.code })
      }
      return { status: error.status, body: write(error), headers: error.headers }
    }
    const message = reasonOf(error)
    this.#logger.error('A request failed.', { ...about, reason: message })
    return { status: 500, body: write(refuse(500, 'internal', message)) }
  }
}
