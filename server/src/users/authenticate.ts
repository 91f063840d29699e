import type { IncomingMessage, ServerResponse } from 'node:http'
import { isByHttps, readCookies, writeCookie } from '../http/headers.js'
import { refuse } from '../http/HttpError.js'
import { requestId } from '../http/Route.js'
import { isSameOrigin } from '../http/cors.js'
import { baseOf, clientAddress } from '../http/behindProxy.js'
import type { Identity } from './Identity.js'
import { type Login, loginMs, type LoginTokens } from './LoginTokens.js'
import { type PasswordCheck, tooManyTries, TryLimit, wrongTries } from './PasswordCheck.js'
import { hashSecret } from '../http/apiKeys.js'
import type { Logger } from '../Logger.js'
import { OperatorError } from '../OperatorError.js'

/** Finds the user of a request, and rejects with a 401 when there is none. It may renew the login's cookie in the answer. */
export type Authenticate = (request: IncomingMessage, response: ServerResponse) => Promise<Identity>

/** Finds the user of a request; undefined when it carries no password and no login. A wrong password is a 401. */
export type FindIdentity = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<Identity | undefined>

const unauthorized = (request: IncomingMessage, message: string) =>
  refuse(401, 'unauthorized', message, {
    // The word Basic would make a browser ask for the password in a window of its own.
    'www-authenticate': isSameOrigin(request) ? 'Session realm="waymark"' : 'Basic realm="waymark"',
  })

/**
 * Over https the name begins with `__Host-` or `__Secure-`: a browser then takes the cookie only over https, and with
 * `__Host-` only from this host. Over http the name is another one, because http cannot replace a cookie of https.
 */
export const cookieNameOf = (request: IncomingMessage, { storeId }: LoginTokens, of = 'session'): string => {
  const prefix = baseOf(request) === '' ? '__Host-' : '__Secure-'
  return `${isByHttps(request) ? prefix : ''}waymark_${of}_${storeId}`
}

/** Reads the logins of a request's cookies. It reads none unless a page of this service's own origin sent the request. */
export const readLogins = (request: IncomingMessage, tokens: LoginTokens): Login[] => {
  if (!isSameOrigin(request)) return []
  return readCookies(request, cookieNameOf(request, tokens))
    .map((token) => tokens.read(token))
    .filter((login) => login !== undefined)
}

/** The cookie with a token; without a token the cookie that deletes it. */
export const loginCookie = (request: IncomingMessage, tokens: LoginTokens, token?: string): string =>
  writeCookie(request, {
    name: cookieNameOf(request, tokens),
    value: token ?? '',
    maxAgeSeconds: token === undefined ? 0 : loginMs / 1000,
    sameSite: 'Strict',
  })

const readBasic = ({ headers }: IncomingMessage): [name: string, password: string] | undefined => {
  const [scheme, encoded] = (headers.authorization ?? '').split(' ', 2)
  if (scheme?.toLowerCase() !== 'basic' || !encoded) return undefined
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const cut = pair.indexOf(':')
  return cut < 0 ? [pair, ''] : [pair.slice(0, cut), pair.slice(cut + 1)]
}

/** Identifies a request by HTTP Basic or by the cookie of a login. */
export const identifyBy = (logins: PasswordCheck, tokens: LoginTokens): FindIdentity => {
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
    const [login] = readLogins(request, tokens)
    const identity = login && logins.identityOf(login.user)
    if (login === undefined || identity === undefined) return undefined
    // No provider tells that somebody has lost a group, so whoever came from one comes again.
    const isForeign = logins.isForeign(login.user)
    if (isForeign && Date.now() > login.beganMs + loginMs) return undefined
    const renewed = tokens.renew(login)
    if (renewed !== undefined) response.setHeader('set-cookie', loginCookie(request, tokens, renewed))
    return identity
  }
}

export const authenticateBy =
  (identify: FindIdentity): Authenticate =>
  async (request, response) => {
    const identity = await identify(request, response)
    if (identity === undefined)
      throw unauthorized(request, 'Authentication required: send a user name and password by HTTP Basic.')
    return identity
  }

/** Nobody guesses 16 random letters, at whatever rate. */
const fewestLetters = 16
const maxKnownAddresses = 10_000

/**
 * Limits and logs wrong tokens by address, as passwords are. A right token counts at once from an address that has
 * sent one before: who guesses behind the same proxy must not keep the others out.
 */
export class TokenTries {
  readonly #logger: Logger
  readonly #limit: TryLimit
  readonly #knownAddresses = new Set<string>()

  constructor(logger: Logger, now = () => performance.now()) {
    this.#logger = logger
    this.#limit = new TryLimit(wrongTries, now)
  }

  /** Throws a 429 after too many wrong tokens. */
  count(request: IncomingMessage, what: string, isRight: boolean): void {
    const address = clientAddress(request)
    if (isRight && this.#knownAddresses.has(address)) return
    const waitMs = this.#limit.take([address])
    if (waitMs > 0) throw tooManyTries(waitMs, 'tokens')
    if (!isRight) {
      this.#logger.warn(`A token was wrong.`, { request_id: requestId(request), token_of: what, address })
      return
    }
    this.#limit.giveBack([address])
    this.#knownAddresses.add(address)
    if (this.#knownAddresses.size > maxKnownAddresses)
      this.#knownAddresses.delete(this.#knownAddresses.values().next().value!)
  }
}

/** The tokens of a flag, which a request presents as `Authorization: Bearer`. */
export class BearerTokens {
  readonly #hashes: readonly string[]
  readonly #flag: string
  readonly #tries: TokenTries

  /** Throws an OperatorError for a token that is too short. */
  constructor(tokens: readonly string[], { flag, tries }: { flag: string; tries: TokenTries }) {
    const short = tokens.find(({ length }) => length < fewestLetters)
    if (short !== undefined)
      throw new OperatorError(
        `A token of ${flag} has ${short.length} letters; give it at least ${fewestLetters}, as openssl rand -base64 24 makes them.`,
      )
    this.#hashes = tokens.map(hashSecret)
    this.#flag = flag
    this.#tries = tries
  }

  /** The index of the token that a request presents; -1 for a wrong one, and for none. Throws a 429 after too many wrong ones. */
  indexOf(request: IncomingMessage): number {
    const [, token] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (token === undefined) return -1
    const at = this.#hashes.indexOf(hashSecret(token))
    this.#tries.count(request, this.#flag, at >= 0)
    return at
  }
}
