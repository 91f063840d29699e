import type { IncomingMessage } from 'node:http'
import { isByHttps } from './cookies.js'

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
