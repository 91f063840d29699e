import type { IncomingMessage } from 'node:http'

export interface Cookie {
  name: string
  value: string
  /** 0 takes it away. */
  maxAgeSeconds: number
  /** What a proxy leaves on the path; no other path is sent the cookie. */
  basePath: string
  sameSite: 'Lax' | 'Strict'
}

/**
 * All values of a name. Cookies know no ports, so another program of the host may have set some of them, and a browser
 * sends that of a longer path first: whoever reads them looks for the first that is its own.
 */
export const readCookies = ({ headers }: IncomingMessage, name: string): string[] =>
  (headers.cookie ?? '')
    .split(/;\s*/)
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))

/** A proxy says so. Anybody else can say it too, so it may only ever make things stricter. */
export const isByHttps = ({ headers }: IncomingMessage): boolean =>
  headers['x-forwarded-proto']?.toString().split(',', 1)[0]!.trim() === 'https'

/** What to answer `Set-Cookie` with: no script reads it, and over https it never travels without. */
export const writeCookie = (request: IncomingMessage, cookie: Cookie): string => {
  const { name, value, maxAgeSeconds, basePath, sameSite } = cookie
  const parts = [`${name}=${value}`, `Path=${basePath || '/'}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly']
  return [...parts, `SameSite=${sameSite}`, ...(isByHttps(request) ? ['Secure'] : [])].join('; ')
}
