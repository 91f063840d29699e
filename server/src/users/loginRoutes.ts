import type { IncomingMessage } from 'node:http'
import { clientAddress } from '../http/behindProxy.js'
import { refuse } from '../http/HttpError.js'
import { bodyReader, mustBeJson } from '../http/readJson.js'
import { type Exchange, type Reply, type Route, requestId } from '../http/Route.js'
import { type FindIdentity, readLogins, loginCookie, type Authenticate } from './authenticate.js'
import type { Identity } from './Identity.js'
import type { LoginLink, LoginTokens } from './LoginTokens.js'
import type { PasswordCheck } from './PasswordCheck.js'
import type { Users } from './Users.js'
import type { Noticed } from '../analytics/payloadTaker.js'
import type { ApiKeys } from '../http/apiKeys.js'
import type { Arrived } from '../senders/senderRoutes.js'
import type { CompleteOptions } from '../options/flags.js'

interface SetupRouteOptions extends Pick<CompleteOptions, 'retentionDays' | 'usersFile'> {
  authenticate: Authenticate
  users: Users
  apiKeys: ApiKeys
  noticed: Noticed
  environments: ReadonlySet<string>
  arrived: ReadonlyMap<string, Arrived>
}

/**
 * `GET /setup` says how the service is set up, for the page "Set up" of the screens. Keys are public in a page, but one
 * may be for programs alone, so they are for users who may write, and so are the names of the users.
 */
export const setupRoute = (options: SetupRouteOptions): Route => {
  const { authenticate, users, apiKeys, noticed, arrived, environments, retentionDays, usersFile } = options
  return {
    method: 'GET',
    path: '/setup',
    async handle({ request, response }) {
      const { role } = await authenticate(request, response)
      const publicKeys = apiKeys.list().filter(({ isPublic }) => isPublic)
      const secret = role !== 'read' && {
        keys: publicKeys.map(({ key, environments: writable }) => ({ key, environments: [...writable] })),
        users: users.list().map(({ user, role: has }) => ({ user, role: has })),
        users_file: usersFile || null,
      }
      return {
        status: 200,
        headers: { 'cache-control': 'no-store' },
        body: {
          environments: [...environments].map((name) => ({
            name,
            retention_days: retentionDays[name] ?? null,
          })),
          ...(secret || { keys: null, users: null, users_file: null }),
          refused: noticed.refused ?? null,
          senders: [...arrived.values()],
          marked: { ids: noticed.ids, times: noticed.times },
        },
      }
    },
  }
}

export const sessionPath = '/session'

interface LoginRoutesOptions {
  logins: PasswordCheck
  tokens: LoginTokens
  users: Users
  link: LoginLink | undefined
  identify: FindIdentity
  /** The environments that can be looked at. */
  readable: () => readonly string[]
  /** Whether one may log in by OpenID Connect, too. */
  hasOidc: boolean
}

type Given = { user: string; password: string } | { token: string }

const maxBodyBytes = 4096
const readGiven = bodyReader<Given>(
  {
    type: 'object',
    properties: { user: { type: 'string' }, password: { type: 'string' }, token: { type: 'string' } },
    if: { required: ['token'] },
    else: { required: ['user', 'password'] },
  },
  maxBodyBytes,
)

/** A service without a user refuses every password, and it would be wrong to say that the password is to blame. */
const noUser =
  'This service has no user. Start it with --users name:password, or with no --users, --users-file and --api-keys: then it makes a user.'
const linkIsOver =
  'This link is no longer good: it logs in once, soon after the start of the service, and on its own machine. Log in with name and password.'

/** `POST`, `GET` and `DELETE /session` begin, show and end a login of the service's own pages. A cookie keeps it. */
export const loginRoutes = (options: LoginRoutesOptions): Route[] => {
  const { logins, tokens, users, link, identify, readable, hasOidc } = options

  const reply = (body: Record<string, unknown>): Reply => ({
    status: 200,
    body,
    headers: { 'cache-control': 'no-store' },
  })
  const replyTo = ({ user, role }: Identity) =>
    reply({ user, role, environments: readable(), ...(logins.isForeign(user) && { oidc: true }) })

  const check = async (request: IncomingMessage, given: Given): Promise<Identity> => {
    if ('token' in given) {
      const identity = link?.take(given.token, request) ? logins.identityOf(link.user) : undefined
      if (identity === undefined) throw refuse(401, 'unauthorized', linkIsOver)
      return identity
    }
    if (users.isEmpty) throw refuse(401, 'unauthorized', noUser)
    const identity = await logins.check({
      name: given.user,
      password: given.password,
      address: clientAddress(request),
      requestId: requestId(request),
    })
    if (identity === undefined) throw refuse(401, 'unauthorized', 'The user name or the password is wrong.')
    return identity
  }

  const login = async (request: IncomingMessage): Promise<Reply> => {
    mustBeJson(request)
    const identity = await check(request, await readGiven(request))
    const { headers, ...rest } = replyTo(identity)
    const cookie = loginCookie(request, tokens, tokens.begin(identity.user))
    return { ...rest, headers: { ...headers, 'set-cookie': cookie } }
  }

  const show = async ({ request, response }: Exchange): Promise<Reply> => {
    const identity = await identify(request, response)
    return identity === undefined
      ? reply({ user: null, has_users: !users.isEmpty, ...(hasOidc && { oidc: true }) })
      : replyTo(identity)
  }

  const logout = ({ request, response }: Exchange): undefined => {
    for (const each of readLogins(request, tokens)) tokens.end(each)
    response.writeHead(204, { 'set-cookie': loginCookie(request, tokens) }).end()
    request.resume()
  }

  const route = (method: Route['method'], handle: Route['handle']): Route => ({
    method,
    path: sessionPath,
    handle,
  })
  return [
    route('POST', ({ request }) => login(request)),
    route('GET', show),
    route('DELETE', (exchange) => Promise.resolve(logout(exchange))),
  ]
}
