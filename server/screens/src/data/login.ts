import { base } from './base'
import { createStore, useStore } from './createStore'
import { findGuest, isGuest } from './guest'
import { Problem, readProblem, toProblem } from './Problem'

export interface User {
  user: string
  role: 'read' | 'write' | 'admin'
  environments: string[]
  /** Logged in by OpenID Connect. */
  oidc?: boolean
}

export interface LoginState {
  /** `unknown`: not asked yet. `out`: the login form. `expired`: the login form, over the page that stays. */
  state: 'unknown' | 'in' | 'out' | 'expired'
  user: User | undefined
  /** Whoever has followed the link of an invitation sets a password. */
  invitation?: { token: string; user: string; role: string }
  /** The service has no user at all, so nobody can log in. */
  isWithoutUsers?: boolean
  /** One may log in by OpenID Connect, too. */
  hasOidc?: boolean
  /** Why it could not be asked; with `out`, why a link did not log in. */
  problem?: Problem
}

export const login = createStore<LoginState>({ state: 'unknown', user: undefined })

/** Whether who is logged in may save for all. */
export function useMayWrite(): boolean {
  const role = useStore(login).user?.role
  return role === 'write' || role === 'admin'
}

const request = async (method: string, body?: unknown, path = '/session'): Promise<Response> => {
  const response = await fetch(`${base}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await readProblem(response)
  return response
}

/** The answer of `GET /session`. */
type Found = User | { user: null; has_users: boolean; oidc?: boolean }

/** Why a provider of OpenID Connect has logged nobody in, by the word in the address. */
const oidcProblems: Record<string, string> = {
  away: 'The login provider does not answer. Try again in a while, or log in by password.',
  refused: 'The login provider has refused this, or its answer is not right.',
  expired: 'This login took too long, or was begun elsewhere. Begin again.',
  'no-role': 'None of your groups may use this service. Ask whoever runs it.',
  'no-name': 'The login provider tells no name that can be used here.',
  taken: 'Another user of this service has your name. Ask whoever runs it.',
}

/** The token of a link that is good once. The address forgets it, so that no bookmark or copied address has it. */
function takeToken(of: 'login' | 'invite' | 'oidc'): string | undefined {
  const [, kind, token] = /^#(login|invite|oidc)=(.+)$/.exec(location.hash) ?? []
  if (kind !== of) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

/** Reads whom an invitation is for. */
async function findInvitation(token: string): Promise<void> {
  const out = { state: 'out', user: undefined } as const
  try {
    const response = await request('POST', { token }, '/invitation')
    const { user, role } = (await response.json()) as { user: string; role: string }
    login.set({ ...out, invitation: { token, user, role } })
  } catch (error) {
    login.set({ ...out, problem: toProblem(error) })
  }
}

/** Sets the password of whoever was invited, which logs in. Throws a `Problem`, nothing else. */
export async function acceptInvitation(token: string, password: string): Promise<void> {
  try {
    await request('POST', { token, password }, '/invitation')
  } catch (error) {
    throw toProblem(error)
  }
  await findLogin()
}

/** Asks the service who is logged in, or what a guest's link shows; a link of the service logs in whoever is not. */
export async function findLogin(token = takeToken('login')): Promise<void> {
  const invited = takeToken('invite')
  if (invited !== undefined) return findInvitation(invited)
  try {
    if (isGuest) {
      const environment = new URLSearchParams((await findGuest()).search).get('env') ?? ''
      return login.set({ state: 'in', user: { user: '', role: 'read', environments: [environment] } })
    }
    const found = (await (await request('GET')).json()) as Found
    if (found.user !== null) return login.set({ state: 'in', user: found })
    const out = {
      state: 'out',
      user: undefined,
      isWithoutUsers: !found.has_users && !found.oidc,
      hasOidc: found.oidc === true,
    } as const
    const why = oidcProblems[takeToken('oidc') ?? '']
    if (why !== undefined) return login.set({ ...out, problem: new Problem('refused', why) })
    if (token === undefined) return login.set(out)
    await logIn({ token }).catch((problem: Problem) => login.set({ ...out, problem }))
  } catch (error) {
    login.set({ state: 'unknown', user: undefined, problem: toProblem(error) })
  }
}

/** Throws a `Problem` when the name or the password is wrong, or when it was tried too often. */
export async function logIn(given: { user: string; password: string } | { token: string }): Promise<void> {
  try {
    const response = await request('POST', given)
    login.set({ state: 'in', user: (await response.json()) as User })
  } catch (error) {
    throw toProblem(error)
  }
}

export async function logOut(): Promise<void> {
  try {
    const { user } = login.get()
    await request('DELETE')
    // The provider would log in whoever comes next without a question.
    if (user?.oidc) location.assign(`${base}/oidc/logout`)
    login.set({ state: 'out', user: undefined })
  } catch (error) {
    const problem = toProblem(error)
    if (problem.kind !== 'login') throw problem
    login.set({ state: 'out', user: undefined })
  }
}

/** A request was answered with 401: the page stays, and the login form stands over it. */
export const expireLogin = (): void => {
  const { state, user } = login.get()
  if (state === 'in') login.set({ state: 'expired', user })
}
