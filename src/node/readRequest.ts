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

/** A header's text; empty where there is none. */
export const readHeader = ({ headers }: RequestLike, name: string): string => {
  const found =
    typeof headers.get === 'function'
      ? headers.get(name)
      : (headers as Record<string, unknown>)[name.toLowerCase()]
  return [found ?? ''].flat().join('; ')
}

/** The address that is asked for, in full; empty where the request does not say. */
export const readAddress = (request: RequestLike): string =>
  maybe(() => {
    const { host, pathname, search, protocol } = new URL(
      request.url!,
      `http://${readHeader(request, 'host')}`,
    )
    const scheme = readHeader(request, 'x-forwarded-proto') || protocol.slice(0, -1)
    return `${scheme}://${readHeader(request, 'x-forwarded-host') || host}${pathname}${search}`
  }) ?? ''

/** Reads who asks, and from which page: nothing where the request does not say. */
export const readRequest = (request: RequestLike, { cookie, header, ...time }: ReadOptions) => {
  const read = (name: string) => readHeader(request, name)
  const cookies = read('cookie')
  const ids = [
    ...[read(header), ...readCookies(cookies, cookie)].map((text) => maybe(() => readRequestIds(text, time))),
    ...readCookies(cookies, 'waymark_ids').map((text) => maybe(() => readServiceCookie(text))),
  ].find(Boolean)

  const address = readAddress(request)
  const referrer = read('referer')
  const hostOf = (url: string) => maybe(() => new URL(url).host)
  const isDocument = read('sec-fetch-dest') === 'document' && (request.method ?? 'GET') === 'GET'
  // The `headers()` of a framework have no address.
  const host = hostOf(address) ?? (read('x-forwarded-host') || read('host'))
  // A request of a script belongs to the page that the script runs in.
  const page = isDocument
    ? { url: address, referrer, viewport: '' }
    : { url: hostOf(referrer) === host ? referrer : '', referrer: '', viewport: '' }
  return { ...ids, page }
}
