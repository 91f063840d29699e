import { base } from './base'
import { createStore } from './createStore'
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
  /** Why it could not be asked. */
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

/** Asks the service who is logged in. */
export async function findLogin(): Promise<void> {
  try {
    login.set({ state: 'in', user: (await (await request('GET')).json()) as User })
  } catch (error) {
    const problem = toProblem(error)
    if (problem.kind === 'login') login.set({ state: 'out', user: undefined })
    else login.set({ state: 'unknown', user: undefined, problem })
  }
}

/** Throws a `Problem` when the name or the password is wrong, or when it was tried too often. */
export async function logIn(user: string, password: string): Promise<void> {
  try {
    const response = await request('POST', { user, password })
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
