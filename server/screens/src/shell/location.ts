import { base } from '../data/base'
import { createStore } from '../data/createStore'

export interface ScreenLocation {
  /** Below the base: `/app/funnel`. */
  path: string
  search: URLSearchParams
  /** The screens have led here, and not a link of somebody else, whose statement nobody has seen. */
  isOwn: boolean
}

/** What the browser keeps of an entry of its history. No page of another address can write it. */
interface Entry {
  isOwn: true
}
const own: Entry = { isOwn: true }

export type SearchChange = Record<string, string | readonly string[] | undefined>

const read = (): ScreenLocation => ({
  path: location.pathname.slice(base.length),
  search: new URLSearchParams(location.search),
  isOwn: (history.state as Partial<Entry> | null)?.isOwn === true,
})

export const place = createStore<ScreenLocation>(read())

/** `search` with some parameters set anew; `undefined` and an empty list take one out. */
export function changeSearch(search: URLSearchParams, change: SearchChange): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(change)) {
    next.delete(name)
    for (const each of typeof value === 'string' ? [value] : (value ?? [])) next.append(name, each)
  }
  return next
}

/** The address of a page below the base, for `href`. */
export const addressOf = (path: string, search?: URLSearchParams): string => {
  const text = search?.toString()
  return `${base}${path}${text ? `?${text}` : ''}`
}

const go = (address: string, { replace = false } = {}) => {
  // As a link to the page that is shown makes no step in the browser's history.
  const isSame = address === location.pathname + location.search
  if (replace || isSame) history.replaceState(own, '', address)
  else history.pushState(own, '', address)
  place.set(read())
}

/** Changes parameters of the page that is shown. */
export const setSearch = (change: SearchChange, options?: { replace?: boolean }): void =>
  go(addressOf(place.get().path, changeSearch(place.get().search, change)), options)

/** Opens another page, by an address that `addressOf` made. */
export const openPage = (address: string): void => {
  const before = place.get().path
  go(address)
  if (place.get().path !== before) scrollTo(0, 0)
}

/** Follows links between pages without loading the document anew, and goes back and forward with the browser. */
export function listenToLinks(): void {
  addEventListener('popstate', () => place.set(read()))
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || link.target || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !link.pathname.startsWith(`${base}/app/`)) return
    // A place on this very page.
    if (link.hash && link.pathname === location.pathname) return
    event.preventDefault()
    openPage(link.href)
  })
}
