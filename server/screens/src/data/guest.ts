import { base } from './base'
import { createStore } from './createStore'
import { readProblem, toProblem } from './Problem'
import type { Saved, ShownCard } from './saved'

/** What a link shows, as the service tells its guest. */
export interface GuestView {
  name: string
  /** `null`: all pages that guests may see. */
  path: string | null
  search: string
  /** The one card of the page that is shown. */
  card?: string
  /** The cards of a board that a link is to, as far as guests may see them. */
  cards?: readonly ShownCard[]
  /** The goals that the link counts. */
  goals: readonly Saved<'goal'>[]
}

const [, id] = /^\/app\/guest\/([\da-f]{16})(?:\/|$)/.exec(location.pathname.slice(base.length)) ?? []
/** The token is in the part of the address that no request carries, so no log of a server or proxy has it. */
const token = id === undefined ? '' : location.hash.slice(1)

/** Whether this document was opened by a link for guests, without a login. */
export const isGuest = id !== undefined
/** What stands before the path of a page, and what behind it. */
export const guestPrefix = id === undefined ? '' : `${base}/app/guest/${id}/`
export const guestHash = token && `#${token}`

/** Undefined until it was asked for. */
export const guest = createStore<GuestView | undefined>(undefined)

/** Whether the link shows one page, of which a guest changes the time alone. */
export const isFixed = (): boolean => typeof guest.get()?.path === 'string'

/** A request of a guest. It carries no cookie: a login of the same browser is no part of what is shown. */
const request = async (more: RequestInit): Promise<Response> => {
  const headers = { 'content-type': 'application/json', 'x-waymark-link': token }
  const response = await fetch(`${base}/guest`, { ...more, headers, credentials: 'omit', cache: 'no-store' })
  if (!response.ok) throw await readProblem(response)
  return response
}

/** Asks what the link shows. Throws a `Problem`, nothing else. */
export async function findGuest(): Promise<GuestView> {
  try {
    const view = (await (await request({})).json()) as GuestView
    guest.set(view)
    return view
  } catch (error) {
    throw toProblem(error)
  }
}

/** Asks for one of the answers that the link shows. */
export const askAsGuest = (asked: object, signal?: AbortSignal): Promise<Response> =>
  request({ method: 'POST', body: JSON.stringify(asked), ...(signal ? { signal } : {}) })
