import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientAddress } from '../http/clientAddress.js'
import { readCookie, writeCookie } from '../http/cookies.js'
import { refuse } from '../http/HttpError.js'
import { isSameOrigin } from '../http/sameOrigin.js'
import type { Identity } from './Identity.js'
import { type LoginSession, sessionMs, type SessionTokens } from './SessionTokens.js'
import type { Logins } from './Logins.js'

const cookieName = 'waymark_session'

/** Who asks by HTTP; throws when that is nobody known. It may renew the session's cookie in the answer. */
export type Authenticate = (request: IncomingMessage, response: ServerResponse) => Promise<Identity>

export interface AuthenticationOptions {
  logins: Logins
  tokens: SessionTokens
  basePath: string
}

const unauthorized = (request: IncomingMessage, message: string) =>
  refuse(401, 'unauthorized', message, {
    // At the word Basic a browser would ask for a password by a window of its own.
    'www-authenticate': isSameOrigin(request) ? 'Session realm="waymark"' : 'Basic realm="waymark"',
  })

/** The session that the request's cookie stands for, if a page of this service's own address sent it. */
export const readSession = (request: IncomingMessage, tokens: SessionTokens): LoginSession | undefined => {
  const token = readCookie(request, cookieName)
  return token !== undefined && isSameOrigin(request) ? tokens.read(token) : undefined
}

/** Without a token it takes the cookie away. */
export const sessionCookie = (request: IncomingMessage, basePath: string, token?: string): string =>
  writeCookie(request, {
    name: cookieName,
    value: token ?? '',
    maxAgeSeconds: token === undefined ? 0 : sessionMs / 1000,
    basePath,
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
export const authenticateBy = ({ logins, tokens, basePath }: AuthenticationOptions): Authenticate => {
  return async (request, response) => {
    const pair = readBasic(request)
    if (pair !== undefined) {
      const [name, password] = pair
      const identity = await logins.check({ name, password, address: clientAddress(request) })
      if (identity === undefined) throw unauthorized(request, 'The user name or the password is wrong.')
      return identity
    }
    const session = readSession(request, tokens)
    const identity = session && logins.identityOf(session.user)
    if (session === undefined || identity === undefined) {
      throw unauthorized(request, 'Authentication required: send a user name and password by HTTP Basic.')
    }
    const renewed = tokens.renew(session)
    if (renewed !== undefined) response.setHeader('set-cookie', sessionCookie(request, basePath, renewed))
    return identity
  }
}
