import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientAddress } from '../http/clientAddress.js'
import { isByHttps, readCookies, writeCookie } from '../http/cookies.js'
import { refuse } from '../http/HttpError.js'
import { requestId } from '../http/requestId.js'
import { isSameOrigin } from '../http/sameOrigin.js'
import type { Identity } from './Identity.js'
import { type Login, loginMs, type LoginTokens } from './LoginTokens.js'
import type { PasswordCheck } from './PasswordCheck.js'

/** Who asks by HTTP; throws when that is nobody known. It may renew the session's cookie in the answer. */
export type Authenticate = (request: IncomingMessage, response: ServerResponse) => Promise<Identity>

export interface LoginCookieOptions {
  tokens: LoginTokens
  basePath: string
}

export interface AuthenticationOptions extends LoginCookieOptions {
  logins: PasswordCheck
}

const unauthorized = (request: IncomingMessage, message: string) =>
  refuse(401, 'unauthorized', message, {
    // At the word Basic a browser would ask for a password by a window of its own.
    'www-authenticate': isSameOrigin(request) ? 'Session realm="waymark"' : 'Basic realm="waymark"',
  })

/**
 * Over https the name begins so that a browser takes the cookie over https alone, from this host alone where the path
 * is `/`. Over http the name is another one, because no browser lets http replace a cookie of https.
 */
const cookieNameOf = (request: IncomingMessage, { tokens, basePath }: LoginCookieOptions): string => {
  const prefix = basePath === '' ? '__Host-' : '__Secure-'
  return `${isByHttps(request) ? prefix : ''}waymark_session_${tokens.storeId}`
}

/** The sessions that the request's cookies stand for, if a page of this service's own address sent them. */
export const readLogins = (request: IncomingMessage, options: LoginCookieOptions): Login[] => {
  if (!isSameOrigin(request)) return []
  return readCookies(request, cookieNameOf(request, options))
    .map((token) => options.tokens.read(token))
    .filter((session) => session !== undefined)
}

/** Without a token it takes the cookie away. */
export const loginCookie = (request: IncomingMessage, options: LoginCookieOptions, token?: string): string =>
  writeCookie(request, {
    name: cookieNameOf(request, options),
    value: token ?? '',
    maxAgeSeconds: token === undefined ? 0 : loginMs / 1000,
    basePath: options.basePath,
    sameSite: 'Strict',
  })

const readBasic = ({ headers }: IncomingMessage): [name: string, password: string] | undefined => {
  const [scheme, encoded] = (headers.authorization ?? '').split(' ', 2)
  if (scheme?.toLowerCase() !== 'basic' || !encoded) return undefined
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const cut = pair.indexOf(':')
  return cut < 0 ? [pair, ''] : [pair.slice(0, cut), pair.slice(cut + 1)]
}

/** HTTP Basic, or the cookie of a session. */
export const authenticateBy = (options: AuthenticationOptions): Authenticate => {
  const { logins, tokens } = options
  return async (request, response) => {
    const pair = readBasic(request)
    if (pair !== undefined) {
      const [name, password] = pair
      const identity = await logins.check({
        name,
        password,
        address: clientAddress(request),
        requestId: requestId(request),
      })
      if (identity === undefined) throw unauthorized(request, 'The user name or the password is wrong.')
      return identity
    }
    const [session] = readLogins(request, options)
    const identity = session && logins.identityOf(session.user)
    if (session === undefined || identity === undefined) {
      throw unauthorized(request, 'Authentication required: send a user name and password by HTTP Basic.')
    }
    const renewed = tokens.renew(session)
    if (renewed !== undefined) response.setHeader('set-cookie', loginCookie(request, options, renewed))
    return identity
  }
}
