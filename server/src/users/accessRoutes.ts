import type { IncomingMessage } from 'node:http'
import { clientAddress } from '../http/behindProxy.js'
import type { ApiKeys, KeptKey } from '../http/apiKeys.js'
import { HttpError, refuse } from '../http/HttpError.js'
import { bodyReader, mustBeJson } from '../http/readJson.js'
import { type Reply, type Route, requestId } from '../http/Route.js'
import type { Access } from './Access.js'
import type { accessChanges } from './accessChanges.js'
import { readChange } from './askedChange.js'
import { type Authenticate, loginCookie, type TokenTries } from './authenticate.js'
import { adminsOnly } from './Identity.js'
import type { LoginTokens } from './LoginTokens.js'
import { hashPassword } from './passwordHash.js'
import type { PasswordCheck } from './PasswordCheck.js'
import type { Users } from './Users.js'

export const accessPath = '/access'
export const invitationPath = '/invitation'
export const passwordPath = '/password'

const maxBodyBytes = 65_536
const password = { type: 'string', minLength: 8, maxLength: 1000 }
const readAsked = bodyReader({ type: 'object' }, maxBodyBytes)
const readInvitation = bodyReader<{ token: string; password?: string }>(
  { type: 'object', required: ['token'], properties: { token: { type: 'string' }, password } },
  maxBodyBytes,
)
const readPasswords = bodyReader<{ old: string; new: string }>(
  { type: 'object', required: ['old', 'new'], properties: { old: { type: 'string' }, new: password } },
  maxBodyBytes,
)

const own = ({ id, name, made_by, made_at, ends_at }: KeptKey) => ({ id, name, made_by, made_at, ends_at })

const reply = (body: object, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  body,
  headers: { 'cache-control': 'no-store', ...headers },
})

/**
 * `/access` shows and changes users, keys and environments, for users with the role admin. `/invitation` is for whoever has the token
 * of one, and `/password` for every user who was made here.
 */
export const accessRoutes = (given: {
  changes: ReturnType<typeof accessChanges>
  access: Access
  users: Users
  apiKeys: ApiKeys
  /** Those of the flag. */
  environments: readonly string[]
  authenticate: Authenticate
  logins: PasswordCheck
  tokens: LoginTokens
  tries: TokenTries
}): Route[] => {
  const { changes, access, users, apiKeys, authenticate, logins, tokens, tries, environments: fixed } = given

  const ofFlag = (name: string) => ({
    name,
    from: '--environments',
    made_by: null,
    made_at: null,
    withdrawn_at: null,
  })
  const show = () => ({
    users: users.list(),
    keys: apiKeys.list().map(({ environments, isOfAll, isPublic, key, from }) => ({
      ...(typeof from === 'string'
        ? { id: null, name: null, from, made_by: null, made_at: null, ends_at: null }
        : { ...own(from), from: null }),
      kind: isPublic ? 'public' : 'server',
      key,
      environments: [...environments],
      all: isOfAll,
    })),
    environments: [
      ...fixed.map(ofFlag),
      ...access.state.environments
        .filter(({ name }) => !fixed.includes(name))
        .map((each) => ({ ...each, from: null })),
    ],
    invitations: access.state.invitations.map(({ user, role, by, ends_at }) => ({ user, role, by, ends_at })),
    changes: access.state.changes.toReversed(),
  })

  const admin: Authenticate = async (request, response) => {
    const identity = await authenticate(request, response)
    if (identity.role !== 'admin') throw adminsOnly()
    return identity
  }

  /** Logs in who has just set a password: it ended all logins of the user. */
  const begin = (request: IncomingMessage, user: string) =>
    reply({ ok: true, user }, { 'set-cookie': loginCookie(request, tokens, tokens.begin(user)) })

  const findInvited = (request: IncomingMessage, token: string) => {
    try {
      const invited = changes.invited(token)
      tries.count(request, invitationPath, true)
      return invited
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) tries.count(request, invitationPath, false)
      throw error
    }
  }

  return [
    {
      method: 'GET',
      path: accessPath,
      async handle({ request, response }) {
        await admin(request, response)
        return reply(show())
      },
    },
    {
      method: 'POST',
      path: accessPath,
      async handle({ request, response }) {
        const { user } = await admin(request, response)
        mustBeJson(request)
        const made = await changes.change(readChange(await readAsked(request)), user)
        return reply({ ok: true, ...made })
      },
    },
    {
      method: 'POST',
      path: invitationPath,
      async handle({ request }) {
        mustBeJson(request)
        const { token, password: chosen } = await readInvitation(request)
        const invited = findInvited(request, token)
        if (chosen === undefined) return reply(invited)
        return begin(request, await changes.accept(token, await hashPassword(chosen)))
      },
    },
    {
      method: 'POST',
      path: passwordPath,
      async handle({ request, response }) {
        const { user } = await authenticate(request, response)
        mustBeJson(request)
        const passwords = await readPasswords(request)
        const asked = { name: user, address: clientAddress(request), requestId: requestId(request) }
        // What is checked here counts as a login does, so nobody who has only the cookie guesses the password.
        if ((await logins.check({ ...asked, password: passwords.old })) === undefined)
          throw refuse(403, 'wrong-password', 'The old password is wrong.')
        await changes.setPassword(user, await hashPassword(passwords.new))
        return begin(request, user)
      },
    },
  ]
}
