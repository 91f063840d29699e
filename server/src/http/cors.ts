import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { refuse } from './HttpError.js'
import type { CompleteOptions } from '../options/flags.js'
import { isByHttps } from './headers.js'

const originOf = (url: string | undefined): string | undefined => {
  try {
    return url === undefined ? undefined : new URL(url).origin
  } catch {
    return undefined
  }
}

/**
 * Whether a browser vouches that a page of this very address asks. Browsers send `Sec-Fetch-Site` to https and to their
 * own machine. Elsewhere `Origin` tells it, and `Referer` for requests without `Origin`. No page can set or change any of
 * these headers.
 */
export const isSameOrigin = (request: IncomingMessage): boolean => {
  const { origin, referer, host, 'sec-fetch-site': site } = request.headers
  if (site !== undefined) return site === 'same-origin'
  if (host === undefined) return false
  const own = [`https://${host}`, ...(isByHttps(request) ? [] : [`http://${host}`])].map(originOf)
  const asking = originOf(origin ?? referer)
  return asking !== undefined && own.includes(asking)
}

const hostOf = (url: string): string | undefined => {
  try {
    return new URL(url).hostname.replaceAll(/^\[|\]$/g, '')
  } catch {
    return undefined
  }
}

const isLocal = (host: string) => host === 'localhost' || host.endsWith('.localhost')
const isLoopback = (host: string) => isLocal(host) || host === '::1' || host.startsWith('127.')

/**
 * Whether a request names a host that cannot be this service's: a page can make its own name lead to this machine.
 * Only a service that listens on this machine alone, without `--trust-proxy`, knows all names that lead to it: its
 * address, `localhost`, and those of `--origins`.
 */
export const isForeignHost = (
  { headers }: IncomingMessage,
  { host, trustProxy, origins }: Pick<CompleteOptions, 'host' | 'trustProxy' | 'origins'>,
): boolean => {
  if (!isLoopback(host) || trustProxy > 0) return false
  const asked = hostOf(`http://${headers.host ?? ''}`)
  if (asked === undefined) return true
  return isIP(asked) === 0 && !isLocal(asked) && !origins.some((origin) => hostOf(origin) === asked)
}

const maxAgeSeconds = 86_400

/** A browser says in `Sec-Fetch-Site` which site asks, even when it sends no `Origin`. */
const foreignSites: ReadonlySet<string> = new Set(['same-site', 'cross-site'])
const isForeign = ({ headers }: IncomingMessage) => foreignSites.has(String(headers['sec-fetch-site']))

const isOwnOrProgram = (request: IncomingMessage) =>
  isSameOrigin(request) || (request.headers.origin === undefined && !isForeign(request))

interface Paths {
  /** Pages of any origin may send events here: these paths read no cookie and no password, only a public API key. */
  events: readonly string[]
  /** The starts of further paths for events: of what the SDKs of other programs send. */
  eventsBelow: readonly string[]
  /** Pages and files that are the same for everybody, so any page may link to them or load them. */
  open: readonly string[]
  /** The starts of further paths that are open like those in `open`. */
  openBelow: readonly string[]
  /** The path of the id cookie, for pages of the service's own address only. */
  ids: string
  /** The paths of logins, users and keys, for pages of the service's own address only. */
  access: readonly string[]
}

/**
 * Decides which pages may ask at which paths. A path that is not named in `Paths` is for programs, for the service's
 * own pages and for the listed origins, because a browser adds an operator's cached password to the requests of any page.
 */
export class Origins {
  readonly #paths: Paths
  readonly #listed: readonly string[]

  constructor(paths: Paths, listed: readonly string[]) {
    this.#paths = paths
    this.#listed = listed.map((origin) => origin.toLowerCase())
  }

  /** Throws for a page that may not ask; otherwise writes the headers that let it read the answer. */
  admit(path: string, request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers
    const { events, eventsBelow, open, openBelow, ids, access } = this.#paths
    // A path that ends as one for events is one by mistake: it is refused, and its page must be able to read so.
    const isForEvents =
      events.some((each) => path.endsWith(each)) || eventsBelow.some((each) => path.startsWith(each))
    if (!isForEvents && (open.includes(path) || openBelow.some((each) => path.startsWith(each)))) return
    // `Vary` is for caches. No cache keeps the answer to an event, and events come by the thousand, so it is spared there.
    if (!isForEvents || origin !== undefined) response.setHeader('Vary', 'Origin')
    // An own page or a program needs no CORS headers. Without them a browser shows the answer to no other page.
    const isOwn = !isForEvents && (path === ids ? !isForeign(request) : isOwnOrProgram(request))
    const takesListed = path !== ids && !access.includes(path)
    if (!isForEvents && !isOwn && !(takesListed && this.#isListed(origin))) {
      const message = `Pages of ${origin?.slice(0, 200) ?? 'other sites'} may not ask here. Name their origin by --origins if they are yours.`
      throw refuse(403, 'origin-not-allowed', message, { connection: 'close' })
    }
    if (origin === undefined || isOwn) return
    response.setHeader('Access-Control-Allow-Origin', origin)
    // A `sendBeacon` of JSON always sends credentials, and without this header a browser drops it silently.
    if (isForEvents) response.setHeader('Access-Control-Allow-Credentials', 'true')
    response.setHeader(
      'Access-Control-Expose-Headers',
      'Retry-After, Access-Control-Allow-Credentials, X-Waymark-Format, X-Waymark-Columns, X-Query-Id, X-Session-Id, X-Request-Id',
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

/** Answers a preflight: the question of a browser whether a page may send a request. */
export const answerPreflight = (request: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE')
  // The last three are of Jitsu's and RudderStack's browser SDKs.
  response.setHeader(
    'Access-Control-Allow-Headers',
    'content-type, x-api-key, authorization, x-write-key, anonymousid, sentat',
  )
  response.setHeader('Access-Control-Max-Age', String(maxAgeSeconds))
  if (request.headers['access-control-request-private-network'] === 'true') {
    response.setHeader('Access-Control-Allow-Private-Network', 'true')
  }
  response.writeHead(204).end()
}
