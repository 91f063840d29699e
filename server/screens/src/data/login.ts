import { base } from './base'
import { createStore } from './createStore'
import { findGuest, isGuest } from './guest'
import { type Problem, readProblem, toProblem } from './Problem'

export interface User {
  user: string
  role: 'read' | 'write'
  environments: string[]
}

export interface LoginState {
  /** `unknown`: not asked yet. `out`: the login form. `expired`: the login form, over the page that stays. */
  state: 'unknown' | 'in' | 'out' | 'expired'
  user: User | undefined
  /** The service has no user at all, so nobody can log in. */
  isWithoutUsers?: boolean
  /** Why it could not be asked; with `out`, why a link did not log in. */
  problem?: Problem
}

export const login = createStore<LoginState>({ state: 'unknown', user: undefined })

const request = async (method: string, body?: unknown): Promise<Response> => {
  const response = await fetch(`${base}/session`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await readProblem(response)
  return response
}

/** The answer of `GET /session`. */
type Found = User | { user: null; has_users: boolean }

/** The token of a link that logs in once. The address forgets it, so that no bookmark or copied address has it. */
function takeToken(): string | undefined {
  const [, token] = /^#login=(.+)$/.exec(location.hash) ?? []
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

/** Asks the service who is logged in, or what a guest's link shows; a link of the service logs in whoever is not. */
export async function findLogin(token = takeToken()): Promise<void> {
  try {
    if (isGuest) {
      const environment = new URLSearchParams((await findGuest()).search).get('env') ?? ''
      return login.set({ state: 'in', user: { user: '', role: 'read', environments: [environment] } })
    }
    const found = (await (await request('GET')).json()) as Found
    if (found.user !== null) return login.set({ state: 'in', user: found })
    const out = { state: 'out', user: undefined, isWithoutUsers: !found.has_users } as const
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
    await request('DELETE')
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
