import type { IncomingMessage, ServerResponse } from 'node:http'
import { refuse } from './HttpError.js'
import { isSameOrigin } from './sameOrigin.js'

const maxAgeSeconds = 86_400

/** A browser says by this header where a request comes from, also when it sends no `Origin`. */
const foreignSites: ReadonlySet<string> = new Set(['same-site', 'cross-site'])
const isForeign = ({ headers }: IncomingMessage) => foreignSites.has(String(headers['sec-fetch-site']))

const isOwnOrProgram = (request: IncomingMessage) =>
  isSameOrigin(request) || (request.headers.origin === undefined && !isForeign(request))

/** `https://shop.example`, or `http://127.0.0.1:*` for every port of a machine's own address. */
export const originForm =
  /^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\*$/i

interface Paths {
  /** For events: pages of any origin send them. They read no cookie and no cached password, only an API key that everybody may know. */
  events: readonly string[]
  /** What a browser shows to whoever follows a link there, or loads for any page: the same for everybody. */
  open: readonly string[]
  /** The same for all paths that begin so. */
  openBelow: readonly string[]
  /** For pages of the service's own address, and no other's: both read a cookie. */
  ids: string
  session: string
}

/**
 * Which pages may speak to what. All paths that are not named are for programs, for the service's own
 * pages and for the origins listed: a browser adds an operator's cached password to the requests of any page.
 */
export class Origins {
  readonly #events: ReadonlySet<string>
  readonly #open: ReadonlySet<string>
  readonly #openBelow: readonly string[]
  readonly #ids: string
  readonly #session: string
  readonly #listed: readonly string[]

  constructor({ events, open, openBelow, ids, session }: Paths, listed: readonly string[]) {
    this.#events = new Set(events)
    this.#open = new Set(open)
    this.#openBelow = openBelow
    this.#ids = ids
    this.#session = session
    this.#listed = listed.map((origin) => origin.toLowerCase())
  }

  /** Throws for a page that may not ask; otherwise lets it read the answer. */
  admit(path: string, request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers
    const isOpen = this.#events.has(path)
    if (!isOpen && (this.#open.has(path) || this.#openBelow.some((each) => path.startsWith(each)))) return
    // No cache keeps the answer to an event, and each header costs those that come by the thousand.
    if (!isOpen || origin !== undefined) response.setHeader('Vary', 'Origin')
    // No other page is told that it may read, so a browser shows it no answer and lets it send no JSON.
    const isOwn = !isOpen && (path === this.#ids ? !isForeign(request) : isOwnOrProgram(request))
    const takesListed = path !== this.#ids && path !== this.#session
    if (!isOpen && !isOwn && !(takesListed && this.#isListed(origin))) {
      const message = `Pages of ${origin?.slice(0, 200) ?? 'other sites'} may not ask here. Name their origin by --origins if they are yours.`
      throw refuse(403, 'origin-not-allowed', message, { connection: 'close' })
    }
    if (origin === undefined || isOwn) return
    response.setHeader('Access-Control-Allow-Origin', origin)
    // A JSON `sendBeacon` is always credentialed, and a browser drops it silently without this.
    if (isOpen) response.setHeader('Access-Control-Allow-Credentials', 'true')
    response.setHeader(
      'Access-Control-Expose-Headers',
      'Retry-After, Access-Control-Allow-Credentials, X-Waymark-Format, X-Query-Id, X-Session-Id',
    )
  }

  #isListed(origin: string | undefined): boolean {
    if (origin === undefined) return false
    const asked = origin.toLowerCase()
    return this.#listed.some((listed) =>
      listed.endsWith(':*') ? asked.replace(/:\d+$/, ':*') === listed : asked === listed,
    )
  }
}

/** Answers a preflight. */
export const answerPreflight = (request: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE')
  response.setHeader('Access-Control-Allow-Headers', 'content-type, x-api-key, authorization')
  response.setHeader('Access-Control-Max-Age', String(maxAgeSeconds))
  if (request.headers['access-control-request-private-network'] === 'true') {
    response.setHeader('Access-Control-Allow-Private-Network', 'true')
  }
  response.writeHead(204).end()
}
