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

export const readCookie = ({ headers }: IncomingMessage, name: string): string | undefined =>
  headers.cookie
    ?.split(/;\s*/)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/** A proxy says so. Anybody else can say it too, so it may only ever make things stricter. */
export const isByHttps = ({ headers }: IncomingMessage): boolean =>
  headers['x-forwarded-proto']?.toString().split(',', 1)[0]!.trim() === 'https'

/** What to answer `Set-Cookie` with: no script reads it, and over https it never travels without. */
export const writeCookie = (request: IncomingMessage, cookie: Cookie): string => {
  const { name, value, maxAgeSeconds, basePath, sameSite } = cookie
  const parts = [`${name}=${value}`, `Path=${basePath || '/'}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly']
  return [...parts, `SameSite=${sameSite}`, ...(isByHttps(request) ? ['Secure'] : [])].join('; ')
}
