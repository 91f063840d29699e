import type { IncomingMessage, ServerResponse } from 'node:http'
import { refuse } from './HttpError.js'

const maxAgeSeconds = 86_400

/** A browser says by this header where a request comes from, also when it sends no `Origin`. */
const foreignSites: ReadonlySet<string> = new Set(['same-site', 'cross-site'])

/** `https://shop.example`, or `http://127.0.0.1:*` for every port of a machine's own address. */
export const originForm =
  /^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\*$/i

/**
 * Which pages may speak to what. Paths for events take pages of any origin: they read no cookie and no
 * cached password, only an API key that everybody may know. All other paths are for programs and for
 * the origins listed: a browser adds an operator's cached password to the requests of any page.
 */
export class Origins {
  readonly #openPaths: ReadonlySet<string>
  readonly #listed: readonly string[]

  constructor(openPaths: readonly string[], listed: readonly string[]) {
    this.#openPaths = new Set(openPaths)
    this.#listed = listed.map((origin) => origin.toLowerCase())
  }

  /** Throws for a page that may not ask; otherwise lets it read the answer. */
  admit(path: string, request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers
    const isOpen = this.#openPaths.has(path)
    // No cache keeps the answer to an event, and each header costs those that come by the thousand.
    if (!isOpen || origin !== undefined) response.setHeader('Vary', 'Origin')
    if (!isOpen && !this.#isTrusted(request)) {
      const message = `Pages of ${origin?.slice(0, 200) ?? 'other sites'} may not ask here. Name their origin by --origins if they are yours.`
      throw refuse(403, 'origin-not-allowed', message, { connection: 'close' })
    }
    if (origin === undefined) return
    response.setHeader('Access-Control-Allow-Origin', origin)
    // A JSON `sendBeacon` is always credentialed, and a browser drops it silently without this.
    if (isOpen) response.setHeader('Access-Control-Allow-Credentials', 'true')
    response.setHeader(
      'Access-Control-Expose-Headers',
      'Retry-After, Access-Control-Allow-Credentials, X-Waymark-Format, X-Query-Id, X-Session-Id',
    )
  }

  #isTrusted({ headers }: IncomingMessage): boolean {
    const { origin } = headers
    if (origin === undefined) return !foreignSites.has(String(headers['sec-fetch-site']))
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
