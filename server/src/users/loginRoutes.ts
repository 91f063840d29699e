import type { IncomingMessage } from 'node:http'
import { clientAddress } from '../http/clientAddress.js'
import { lakehouseError, refuse } from '../http/HttpError.js'
import { bodyReader } from '../http/readJson.js'
import { requestId } from '../http/requestId.js'
import type { Exchange, Reply, Route } from '../http/Route.js'
import { type Authenticate, readLogins, loginCookie, type LoginCookieOptions } from './authenticate.js'
import type { Identity } from './Identity.js'
import type { PasswordCheck } from './PasswordCheck.js'

export const sessionPath = '/session'

export interface LoginRoutesOptions extends LoginCookieOptions {
  logins: PasswordCheck
  authenticate: Authenticate
  environments: readonly string[]
}

const maxBodyBytes = 4096
const readLogin = bodyReader<{ user: string; password: string }>(
  {
    type: 'object',
    required: ['user', 'password'],
    properties: { user: { type: 'string' }, password: { type: 'string' } },
  },
  maxBodyBytes,
)

/** `POST`, `GET` and `DELETE /session` begin, show and end a login of the service's own pages. A cookie keeps it. */
export const loginRoutes = (options: LoginRoutesOptions): Route[] => {
  const { logins, tokens, authenticate, environments } = options

  const reply = ({ user, role }: Identity): Reply => ({
    status: 200,
    body: { user, role, environments },
    headers: { 'cache-control': 'no-store' },
  })

  const login = async (request: IncomingMessage): Promise<Reply> => {
    // A page of any site may send other content types without a preflight request.
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      throw refuse(400, 'invalid-headers', 'Content-Type must be application/json.')
    const { user, password } = await readLogin(request)
    const identity = await logins.check({
      name: user,
      password,
      address: clientAddress(request),
      requestId: requestId(request),
    })
    if (identity === undefined) throw refuse(401, 'unauthorized', 'The user name or the password is wrong.')
    const { headers, ...rest } = reply(identity)
    return {
      ...rest,
      headers: { ...headers, 'set-cookie': loginCookie(request, options, tokens.begin(user)) },
    }
  }

  const logout = ({ request, response }: Exchange): undefined => {
    for (const each of readLogins(request, options)) tokens.end(each)
    response.writeHead(204, { 'set-cookie': loginCookie(request, options) }).end()
    request.resume()
  }

  const route = (method: Route['method'], handle: Route['handle']): Route => ({
    method,
    path: sessionPath,
    handle,
    writeError: lakehouseError,
  })
  return [
    route('POST', ({ request }) => login(request)),
    route('GET', async ({ request, response }) => reply(await authenticate(request, response))),
    route('DELETE', (exchange) => Promise.resolve(logout(exchange))),
  ]
}
