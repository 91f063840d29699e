import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as client from 'openid-client'
import { baseOf } from '../http/behindProxy.js'
import { isByHttps, readCookies, writeCookie } from '../http/headers.js'
import type { Exchange, Reply, Route } from '../http/Route.js'
import { requestId } from '../http/Route.js'
import { screenPrefix } from '../files/screenRoutes.js'
import { HttpError } from '../http/HttpError.js'
import type { Logger } from '../Logger.js'
import type { CompleteOptions } from '../options/flags.js'
import { reasonOf } from '../OperatorError.js'
import type { accessChanges } from './accessChanges.js'
import { cookieNameOf, loginCookie } from './authenticate.js'
import type { UserRole } from './Identity.js'
import { userRoles } from '../options/values.js'
import type { LoginTokens } from './LoginTokens.js'
import { hashPassword, quick } from './passwordHash.js'

export const oidcPath = '/oidc'
export const oidcCallbackPath = '/oidc/callback'
const logoutPath = '/oidc/logout'

/**
 * Why nobody was logged in, as the screens are told: a text in an address could be anybody's, so it is one of these.
 * `away`: the provider gives no answer. `refused`: it refuses. `expired`: this answer was not asked for, or is too old.
 * `no-role`: no group of the user gives a role. `no-name`: it tells no name that can be used. `taken`: another user has
 * the name.
 */
type Problem = 'away' | 'refused' | 'expired' | 'no-role' | 'no-name' | 'taken'

class Failed extends Error {
  constructor(
    readonly problem: Problem,
    reason: string,
  ) {
    super(reason)
  }
}

/** A provider that hangs is given up after this. */
const answerSeconds = 5
/** The provider's addresses are read again after this, and not sooner than `retryMs` after they could not be read. */
const knownMs = 3_600_000
const retryMs = 5000
/** How long somebody may take at the provider. */
const askedMs = 600_000
/** Answers of the provider that are looked at in one moment. */
const mostAtOnce = 20
const mostUsed = 10_000

/** What the browser keeps until it comes back, in a cookie that no script can read and nobody else can make. */
interface Asked {
  state: string
  nonce: string
  verifier: string
  at: number
}

type OidcSettings = Pick<
  CompleteOptions,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcRoles' | 'oidcGroupsClaim'
>

/** By Basic, as the specification says of who says nothing, unless the provider takes the body alone. */
const authOf = (secret: string): client.ClientAuth => {
  if (secret === '') return client.None()
  const [basic, inBody] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) =>
    ((server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']).includes('client_secret_basic')
      ? basic
      : inBody)(server, ...rest)
}

/** The highest role that one of the groups gives; `*` is everybody. */
const roleOf = (groups: readonly string[], roles: Readonly<Record<string, UserRole>>): UserRole | undefined =>
  userRoles.findLast((role) =>
    Object.entries(roles).some(
      ([group, gives]) => gives === role && (group === '*' || groups.includes(group)),
    ),
  )

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string')

/** Logs in by a provider of OpenID Connect: code flow with PKCE, state and nonce, for browsers alone. */
export const oidcRoutes = (
  { oidcIssuer: issuer, oidcClientId, oidcClientSecret, oidcRoles, oidcGroupsClaim }: OidcSettings,
  {
    secret,
    changes,
    tokens,
    logger,
  }: {
    /** The secret of the store: all processes that share it know each other's cookies. */
    secret: Buffer
    changes: Pick<ReturnType<typeof accessChanges>, 'enter' | 'leave'>
    tokens: LoginTokens
    logger: Logger
  },
): Route[] => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'waymark oidc', 32))
  const sign = (text: string) => createHmac('sha256', key).update(text).digest()
  /** The states that were used last. Beyond this process the provider refuses a code that comes twice. */
  const used = new Set<string>()
  let known: { at: number; config: Promise<client.Configuration> } | undefined
  let atOnce = 0

  const discover = (): Promise<client.Configuration> => {
    if (known !== undefined && performance.now() - known.at < knownMs) return known.config
    const isLocal = issuer.startsWith('http:')
    const config = client.discovery(new URL(issuer), oidcClientId, undefined, authOf(oidcClientSecret), {
      timeout: answerSeconds,
      execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
    })
    const asked = { at: performance.now(), config }
    known = asked
    // One question serves all who come meanwhile; after a failure nobody asks for a while.
    config.catch(() => (asked.at = performance.now() - knownMs + retryMs))
    return config
  }

  const isAway = (error: unknown): error is Error =>
    error instanceof Error &&
    (error.name === 'TimeoutError' ||
      error.name === 'AbortError' ||
      error.cause instanceof TypeError ||
      /fetch failed|timed out|timeout/i.test(error.message))

  const cookieName = (request: IncomingMessage) => cookieNameOf(request, tokens, 'oidc')
  const cookieOf = (request: IncomingMessage, asked?: Asked): string => {
    const text = asked && Buffer.from(JSON.stringify(asked)).toString('base64url')
    return writeCookie(request, {
      name: cookieName(request),
      value: text === undefined ? '' : `${text}.${sign(text).toString('base64url')}`,
      maxAgeSeconds: asked === undefined ? 0 : askedMs / 1000,
      // The browser comes back from another site.
      sameSite: 'Lax',
    })
  }
  const readCookie = (request: IncomingMessage): Asked[] =>
    readCookies(request, cookieName(request)).flatMap((value) => {
      const [text = '', signature = ''] = value.split('.')
      const [given, right] = [Buffer.from(signature, 'base64url'), sign(text)]
      if (given.length !== right.length || !timingSafeEqual(given, right)) return []
      return [JSON.parse(Buffer.from(text, 'base64url').toString()) as Asked]
    })

  const ownUrl = (request: IncomingMessage, path: string) =>
    `${isByHttps(request) ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}${baseOf(request)}${path}`

  const redirect = (location: string, cookies: readonly string[] = []) => ({ location, cookies })
  const route = (
    path: string,
    work: (exchange: Exchange) => Promise<{ location: string; cookies: readonly string[] }>,
  ): Route => ({
    method: 'GET',
    path,
    async handle(exchange): Promise<Reply | undefined> {
      const { request, response } = exchange
      let answer: Awaited<ReturnType<typeof work>>
      try {
        answer = await work(exchange)
      } catch (error) {
        const problem = error instanceof Failed ? error.problem : isAway(error) ? 'away' : 'refused'
        // What the provider says may name somebody, so it is for the log alone.
        logger.warn('Nobody was logged in by OpenID Connect.', {
          request_id: requestId(request),
          problem,
          reason: reasonOf(error),
        })
        answer = redirect(`${baseOf(request)}${screenPrefix}#oidc=${problem}`, [cookieOf(request)])
      }
      response.setHeader('set-cookie', [...answer.cookies])
      response
        .writeHead(303, {
          location: answer.location,
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        })
        .end()
      return undefined
    },
  })

  const begin = async ({ request }: Exchange) => {
    const config = await discover()
    const asked = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      at: Date.now(),
    }
    const { scopes_supported: scopes = [] } = config.serverMetadata()
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: ownUrl(request, oidcCallbackPath),
      scope: ['openid', 'profile', 'email', ...(scopes.includes('groups') ? ['groups'] : [])].join(' '),
      code_challenge: await client.calculatePKCECodeChallenge(asked.verifier),
      code_challenge_method: 'S256',
      state: asked.state,
      nonce: asked.nonce,
    })
    return redirect(url.href, [cookieOf(request, asked)])
  }

  /** What the provider says of who has come back. */
  const claimsOf = async (config: client.Configuration, url: URL, { state, nonce, verifier }: Asked) => {
    const answer = await client.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = answer.claims()!
    if (claims[oidcGroupsClaim] !== undefined && typeof claims['email'] === 'string') return claims
    if (config.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(config, answer.access_token, claims.sub)), ...claims }
  }

  const finish = async ({ request, search }: Exchange) => {
    const given = new URLSearchParams(search).get('state')
    const asked = readCookie(request).find(({ state }) => state === given)
    if (asked === undefined) throw new Failed('expired', 'the state is not one that this browser was given')
    if (Date.now() > asked.at + askedMs) throw new Failed('expired', 'the answer came too late')
    if (used.has(asked.state)) throw new Failed('expired', 'the state was used before')
    used.add(asked.state)
    if (used.size > mostUsed) used.delete(used.values().next().value!)
    if (atOnce >= mostAtOnce) throw new Failed('away', 'too many answers are being looked at')
    atOnce++
    try {
      const config = await discover()
      const claims = await claimsOf(config, new URL(ownUrl(request, `${oidcCallbackPath}?${search}`)), asked)
      const subject = `${issuer} ${claims.sub}`
      const role = roleOf(listOf(claims[oidcGroupsClaim]), oidcRoles)
      if (role === undefined) {
        await changes.leave(subject)
        throw new Failed('no-role', 'no group of the user gives a role')
      }
      const email = claims['email_verified'] === false ? undefined : claims['email']
      const name = [email, claims['preferred_username']].find((each) => typeof each === 'string')
      if (typeof name !== 'string')
        throw new Failed('no-name', 'there is neither email nor preferred_username')
      // Nobody knows this password: the hash stands where another user's does, and signs the logins.
      const password = await hashPassword(randomBytes(32).toString('base64url'), quick)
      await changes.enter({ user: name, role, subject, password }).catch((error: unknown) => {
        if (error instanceof HttpError && error.status < 500)
          throw new Failed(error.code === 'taken' ? 'taken' : 'no-name', error.message)
        throw error
      })
      const login = loginCookie(request, tokens, tokens.begin(name))
      return redirect(`${baseOf(request)}${screenPrefix}`, [cookieOf(request), login])
    } finally {
      atOnce--
    }
  }

  /** Whoever has logged out here goes on to the provider, which may ask. */
  const logout = async ({ request }: Exchange) => {
    const config = await discover()
    if (config.serverMetadata().end_session_endpoint === undefined)
      return redirect(`${baseOf(request)}${screenPrefix}`)
    return redirect(client.buildEndSessionUrl(config, {}).href)
  }

  return [route(oidcPath, begin), route(oidcCallbackPath, finish), route(logoutPath, logout)]
}
