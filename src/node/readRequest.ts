import { maybe } from '../core/maybe'
import { readRequestIds, type RequestIds } from '../plugins/requestIds'

/** What is read of a request: a web `Request`, Node's, or the `headers()` of a framework. */
export interface RequestLike {
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>
  method?: string | undefined
  url?: string | undefined
}

export interface ReadOptions {
  /** The cookie of `waymark/cookie`, and the header of `waymark/request-header`. */
  cookie: string
  header: string
  /** A session without an event for this long is over. */
  idleMs: number
  now: number
}

/** Cookies of that name: of several domains there may be several. */
const readCookies = (header: string, name: string) =>
  header
    .split(/; */)
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))

/** The cookie that the service keeps (`waymark/id-cookie`): both ids, encoded, with a colon between. */
const readServiceCookie = (value: string): RequestIds | undefined => {
  const [deviceId, anonymousId] = value.split(':').map(decodeURIComponent)
  return deviceId && anonymousId ? { deviceId, anonymousId, sessionId: '' } : undefined
}

/** Reads who asks, and from which page: nothing where the request does not say. */
export const readRequest = (request: RequestLike, { cookie, header, ...time }: ReadOptions) => {
  const { headers } = request
  const read = (name: string): string => {
    const found =
      typeof headers.get === 'function'
        ? headers.get(name)
        : (headers as Record<string, unknown>)[name.toLowerCase()]
    return [found ?? ''].flat().join('; ')
  }
  const cookies = read('cookie')
  const ids = [
    ...[read(header), ...readCookies(cookies, cookie)].map((text) => maybe(() => readRequestIds(text, time))),
    ...readCookies(cookies, 'waymark_ids').map((text) => maybe(() => readServiceCookie(text))),
  ].find(Boolean)

  const host = read('x-forwarded-host') || read('host') || maybe(() => new URL(request.url!).host)
  const referrer = read('referer')
  const scheme = read('x-forwarded-proto') || (request.url?.startsWith('https:') ? 'https' : 'http')
  const isDocument = read('sec-fetch-dest') === 'document' && (request.method ?? 'GET') === 'GET'
  const isOfSite = maybe(() => new URL(referrer).host) === host
  const own = maybe(() => {
    const { pathname, search } = new URL(request.url!, 'http://host')
    return `${scheme}://${host}${pathname}${search}`
  })
  // What a script of a page asks for belongs to that page.
  const page = isDocument
    ? { url: own ?? '', referrer, viewport: '' }
    : { url: isOfSite ? referrer : '', referrer: '', viewport: '' }
  return { ...ids, page }
}
