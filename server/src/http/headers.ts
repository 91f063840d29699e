import type { IncomingMessage } from 'node:http'
import { baseOf } from './behindProxy.js'

interface Cookie {
  name: string
  value: string
  /** How long the browser keeps the cookie; 0 removes it. */
  maxAgeSeconds: number
  sameSite: 'Lax' | 'Strict'
}

/**
 * All values of the cookies with one name. Cookies ignore ports, so another program on the host may have set some of
 * them, and a browser sends the cookie with the longest path first. The caller therefore looks for the first value that
 * is its own.
 */
export const readCookies = ({ headers }: IncomingMessage, name: string): string[] =>
  (headers.cookie ?? '')
    .split(/;\s*/)
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))

/** Whether a proxy says that the request came by https. Any client can say so, too, so this may only make things stricter. */
export const isByHttps = ({ headers }: IncomingMessage): boolean =>
  headers['x-forwarded-proto']?.toString().split(',', 1)[0]!.trim() === 'https'

/**
 * The value of a `Set-Cookie` header. No script can read the cookie, and a cookie set over https is sent only over https.
 * A browser sends it to the address below which it was set: with the prefix of `--base-path`, or without.
 */
export const writeCookie = (request: IncomingMessage, cookie: Cookie): string => {
  const { name, value, maxAgeSeconds, sameSite } = cookie
  const parts = [`${name}=${value}`, `Path=${baseOf(request) || '/'}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly']
  return [...parts, `SameSite=${sameSite}`, ...(isByHttps(request) ? ['Secure'] : [])].join('; ')
}

/** Whether a request's `Accept-Encoding` allows a coding, such as `gzip`. */
export const acceptsCoding = (header: string | undefined, coding: string): boolean =>
  (header ?? '').split(',').some((each) => {
    const [name, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
