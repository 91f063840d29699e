import { randomBytes } from 'node:crypto'
import { screenPrefix } from '../files/screenRoutes.js'
import { hasEnded, hashSecret, makeKey } from '../http/apiKeys.js'
import { refuse } from '../http/HttpError.js'
import { type Access, type AccessState, type KeptUser, type Made, openEnvironments } from './Access.js'
import { type AskedChange, checkEntering } from './askedChange.js'
import { adminsOnly, type UserRole } from './Identity.js'
import type { Users } from './Users.js'

const dayMs = 86_400_000
/** How long an invitation can be used. */
const invitedMs = 7 * dayMs
/** How long a replaced key still works. */
const replacedMs = dayMs
const most = { users: 1000, keys: 500, invitations: 100, environments: 100 }

/** Names that the service gives to whoever asks by a token: their queries are not a person's. */
const namesOfAgents = ['agent', 'agent with persons']

const wrong = (code: string, message: string) => refuse(409, code, message)
const missing = (code: string, message: string) => refuse(404, code, message)
const quoted = (text: string) => JSON.stringify(text)
const after = (ms: number) => new Date(Date.now() + ms).toISOString()

/** Invites a new user, or one who is there to a new password. A second invitation ends the first. */
const invite = (
  state: AccessState,
  { user: name, role: as, by }: { user: string; role: UserRole; by: string },
) => {
  const others = state.invitations.filter((each) => each.user !== name)
  if (others.length >= most.invitations)
    throw wrong(
      'too-many',
      `There are ${most.invitations} invitations that nobody has taken: withdraw one first.`,
    )
  const token = randomBytes(24).toString('base64url')
  const end = after(invitedMs)
  return {
    invitations: [...others, { user: name, role: as, hash: hashSecret(token), by, ends_at: end }],
    // No request carries what stands behind the #, so no log of a server or proxy has the token.
    answer: { address: `${screenPrefix}#invite=${token}`, ends_at: end },
  }
}

interface Given {
  access: Access
  users: Users
  /** Those of the flag. */
  environments: readonly string[]
}

/** What an administrator may change of users, keys and environments. */
export const accessChanges = ({ access, users, environments }: Given) => {
  /** The flag that gives a user, who then cannot be changed here. */
  const fixed = (name: string) => users.find(name)?.from ?? undefined
  const isFixedAdmin = ({ role: has, from }: ReturnType<Users['list']>[number]) =>
    has === 'admin' && from !== null && from !== '--oidc-issuer'

  const keptUser = (state: AccessState, name: string) => {
    const flag = fixed(name)
    if (flag !== undefined) throw wrong('fixed', `The user ${quoted(name)} is from ${flag}: change it there.`)
    const found = state.users.find((each) => each.user === name)
    if (found === undefined) throw missing('no-such-user', `There is no user ${quoted(name)}.`)
    return found
  }
  const keptKey = (state: AccessState, wanted: string) => {
    const found = state.keys.find((each) => each.id === wanted)
    if (found === undefined)
      throw missing(
        'no-such-key',
        'There is no such key that was made here. Keys of flags are changed there.',
      )
    return found
  }
  const openOnes = (state: AccessState) => [...environments, ...openEnvironments(state)]
  const checkChosen = (state: AccessState, wanted: readonly string[] | null) => {
    const there = openOnes(state)
    const unknown = wanted?.find((each) => !there.includes(each))
    if (unknown === undefined) return
    const message = `environments names ${quoted(unknown)}; there are ${there.join(', ')}.`
    throw refuse(400, 'invalid-body', message)
  }
  /** Somebody must be able to take a change back. */
  const withAdmin = (changed: AccessState['users']) => {
    // A provider may be away, and a user of a flag hides one of the same name.
    const isOwn = ({ user: name, role: has, subject }: KeptUser) =>
      has === 'admin' && subject === undefined && fixed(name) === undefined
    if (!changed.some(isOwn) && !users.list().some(isFixedAdmin))
      throw wrong(
        'last-admin',
        'This is the last user with the role admin: give the role to another one first.',
      )
    return changed
  }

  const make = (state: AccessState, asked: AskedChange, by: string): Made<object> => {
    const { change, user: name, role: as } = asked
    const note = (of: string, more: string | null = null) => ({ by, change, of, as: more })
    switch (change) {
      case 'invite': {
        if (
          fixed(name) !== undefined ||
          namesOfAgents.includes(name) ||
          state.users.some((each) => each.user === name)
        )
          throw wrong('taken', `There is a user ${quoted(name)} already.`)
        if (state.users.length >= most.users)
          throw wrong('too-many', `There are ${most.users} users already.`)
        const { invitations, answer } = invite(state, { user: name, role: as, by })
        return { state: { invitations }, note: note(name, as), answer }
      }
      case 'reset-password': {
        const { role: has } = keptUser(state, name)
        const { invitations, answer } = invite(state, { user: name, role: has, by })
        return { state: { invitations }, note: note(name), answer }
      }
      case 'withdraw-invitation': {
        const invitations = state.invitations.filter((each) => each.user !== name)
        if (invitations.length === state.invitations.length)
          throw missing('no-such-invitation', `There is no invitation of ${quoted(name)}.`)
        return { state: { invitations }, note: note(name), answer: {} }
      }
      case 'set-role': {
        const found = keptUser(state, name)
        const changed = state.users.map((each) => (each === found ? { ...each, role: as } : each))
        return { state: { users: withAdmin(changed) }, note: note(name, as), answer: {} }
      }
      case 'remove-user': {
        const found =
          state.users.find((each) => each.user === name && each.subject !== undefined) ??
          keptUser(state, name)
        const left = withAdmin(state.users.filter((each) => each !== found))
        const invitations = state.invitations.filter((each) => each.user !== name)
        return { state: { users: left, invitations }, note: note(name), answer: {} }
      }
      case 'make-key': {
        checkChosen(state, asked.environments)
        if (state.keys.length >= most.keys)
          throw wrong('too-many', `There are ${most.keys} keys already: withdraw one first.`)
        const { key, kept } = makeKey(asked, by)
        const where = asked.environments?.join(', ') ?? null
        return { state: { keys: [...state.keys, kept] }, note: note(kept.name, where), answer: { key } }
      }
      case 'rotate-key': {
        const found = keptKey(state, asked.id)
        if (found.ends_at !== null)
          throw wrong('replaced', `This key was replaced, and works until ${found.ends_at}.`)
        const { key, kept } = makeKey(found, by)
        const end = after(replacedMs)
        const keys = [...state.keys.map((each) => (each === found ? { ...each, ends_at: end } : each)), kept]
        return { state: { keys }, note: note(found.name), answer: { key, old_ends_at: end } }
      }
      case 'withdraw-key': {
        const found = keptKey(state, asked.id)
        const keys = state.keys.filter((each) => each !== found)
        return { state: { keys }, note: note(found.name), answer: {} }
      }
      case 'set-environments': {
        const found = keptKey(state, asked.id)
        checkChosen(state, asked.environments)
        const changed = { ...found, environments: asked.environments }
        const where = asked.environments?.join(', ') ?? null
        const keys = state.keys.map((each) => (each === found ? changed : each))
        return { state: { keys }, note: note(found.name, where), answer: {} }
      }
      case 'add-environment': {
        const others = state.environments.filter((each) => each.name !== asked.name)
        if (openOnes(state).includes(asked.name))
          throw wrong('taken', `There is an environment ${quoted(asked.name)} already.`)
        if (others.length >= most.environments)
          throw wrong('too-many', `There are, or have been, ${most.environments} environments already.`)
        const added = { name: asked.name, made_by: by, made_at: after(0), withdrawn_at: null }
        return { state: { environments: [...others, added] }, note: note(asked.name), answer: {} }
      }
      case 'withdraw-environment': {
        if (environments.includes(asked.name))
          throw wrong(
            'fixed',
            `The environment ${quoted(asked.name)} is from --environments: change it there.`,
          )
        if (!openOnes(state).includes(asked.name))
          throw missing('no-such-environment', `There is no environment ${quoted(asked.name)}.`)
        const left = state.environments.map((each) =>
          each.name === asked.name ? { ...each, withdrawn_at: after(0) } : each,
        )
        return { state: { environments: left }, note: note(asked.name), answer: {} }
      }
    }
  }

  const gone = () =>
    missing(
      'no-such-invitation',
      'This link is no longer good: it was used or withdrawn, or its seven days are over.',
    )
  const findInvitation = ({ invitations }: AccessState, token: string) => {
    const hash = hashSecret(token)
    const found = invitations.find((each) => each.hash === hash && !hasEnded(each))
    if (found === undefined) throw gone()
    return found
  }
  /** A role that was changed since the invitation counts. */
  const roleOf = ({ users: kept }: AccessState, name: string, invited: UserRole) =>
    kept.find((each) => each.user === name)?.role ?? invited

  return {
    /** Makes a change for an admin: of two who remove each other, the second is none any more. */
    change: (asked: AskedChange, by: string): Promise<object> =>
      access.change((state) => {
        const isAdmin = state.users.some((each) => each.user === by && each.role === 'admin')
        if (!isAdmin && !users.list().some((each) => each.user === by && isFixedAdmin(each)))
          throw adminsOnly()
        return make(state, asked, by)
      }),

    invited: (token: string) => {
      const { user: name, role: as, ends_at: end } = findInvitation(access.state, token)
      return { user: name, role: roleOf(access.state, name, as), ends_at: end }
    },

    /** Sets the password of whoever has the token, and gives the user's name. */
    accept: (token: string, password: string): Promise<string> =>
      access.change((state) => {
        const { user: name, role: invited } = findInvitation(state, token)
        if (fixed(name) !== undefined) throw wrong('taken', `There is a user ${quoted(name)} already.`)
        const as = roleOf(state, name, invited)
        const others = state.users.filter((each) => each.user !== name)
        return {
          state: {
            users: [...others, { user: name, role: as, password }],
            invitations: state.invitations.filter((each) => each.user !== name),
          },
          note: { by: name, change: 'accept', of: name, as },
          answer: name,
        }
      }),

    /**
     * Takes in whoever a provider vouches for. Its own users never get the name of another one; somebody who is called
     * otherwise now has the old name no more.
     */
    enter: async (entering: Required<KeptUser>): Promise<void> => {
      const { user: name, role: as, subject, password } = entering
      checkEntering({ user: name })
      const isThere = (each: KeptUser) => each.user === name && each.subject === subject
      const flag = fixed(name)
      if (flag !== undefined && flag !== '--oidc-issuer')
        throw wrong('taken', `There is a user ${quoted(name)} already.`)
      const theirs = access.state.users.filter((each) => each.subject === subject)
      if (theirs.length === 1 && isThere(theirs[0]!) && theirs[0]!.role === as) return
      await access.change((state) => {
        const before = state.users.find((each) => each.user === name)
        if (namesOfAgents.includes(name) || (before !== undefined && !isThere(before)))
          throw wrong('taken', `There is a user ${quoted(name)} already.`)
        if (before === undefined && state.users.length >= most.users)
          throw wrong('too-many', `There are ${most.users} users already.`)
        const entered =
          before === undefined ? { user: name, role: as, password, subject } : { ...before, role: as }
        return {
          state: {
            users: [...state.users.filter((each) => each.subject !== subject), entered],
            invitations: state.invitations.filter((each) => each.user !== name),
          },
          note: { by: name, change: 'enter', of: name, as },
          answer: undefined,
        }
      })
    },

    /** Ends all logins of whoever a provider no longer gives a role. */
    leave: async (subject: string): Promise<void> => {
      const { user: name } = access.state.users.find((each) => each.subject === subject) ?? {}
      if (name === undefined) return
      await access.change((state) => ({
        state: { users: state.users.filter((each) => each.subject !== subject) },
        note: { by: name, change: 'remove-user', of: name, as: null },
        answer: undefined,
      }))
    },

    /** Changes the user's own password, and ends a link to another one. */
    setPassword: (name: string, password: string): Promise<void> =>
      access.change((state) => {
        const found = keptUser(state, name)
        return {
          state: {
            users: state.users.map((each) => (each === found ? { ...each, password } : each)),
            invitations: state.invitations.filter((each) => each.user !== name),
          },
          note: { by: name, change: 'set-password', of: name, as: null },
          answer: undefined,
        }
      }),
  }
}
