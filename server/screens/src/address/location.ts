import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { base } from '../data/base'
import { createStore, useStore } from '../data/createStore'
import { guest, guestHash, guestPrefix, type GuestView } from '../data/guest'
import { freeParameters, timeParameters } from './guestAddress'

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
  /** How far the page was scrolled when it was left. */
  top?: number
}
const readEntry = () => history.state as Partial<Entry> | null

export type SearchChange = Record<string, string | readonly string[] | undefined>

/** What stands before the name of a page. */
const prefix = guestPrefix || `${base}/app/`

/** What a guest's address asks: of a link to one page, what the link says, but for what guests may choose. */
function searchOf({ path, search: given }: GuestView, address: URLSearchParams): URLSearchParams {
  const search = new URLSearchParams(given)
  if (path === null) {
    address.set('env', search.get('env') ?? '')
    return address
  }
  const free = [...timeParameters, ...(freeParameters[path] ?? [])]
  for (const name of free) {
    search.delete(name)
    for (const value of address.getAll(name)) search.append(name, value)
  }
  return search
}

const read = (): ScreenLocation => {
  const shown = guest.get()
  const address = new URLSearchParams(location.search)
  return {
    path: shown?.path ?? `/app/${location.pathname.slice(prefix.length)}`,
    search: shown ? searchOf(shown, address) : address,
    isOwn: readEntry()?.isOwn === true,
  }
}

export const place = createStore<ScreenLocation>(read())

// The address of a link says nothing yet of what the page shows.
guest.subscribe(() => {
  const search = guest.get()?.search
  if (!location.search && search)
    history.replaceState({ isOwn: true } satisfies Entry, '', `${location.pathname}?${search}${guestHash}`)
  place.set(read())
})

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
  return `${prefix}${path.slice('/app/'.length)}${text ? `?${text}` : ''}${guestHash}`
}

const keepTop = () => history.replaceState({ ...readEntry(), top: scrollY }, '')

const go = (address: string, { replace = false } = {}) => {
  keepTop()
  const entry: Entry = { isOwn: true, top: scrollY }
  // As a link to the page that is shown makes no step in the browser's history.
  const isSame = address === location.pathname + location.search + guestHash
  if (replace || isSame) history.replaceState(entry, '', address)
  else history.pushState(entry, '', address)
  place.set(read())
}

/** Changes parameters of the page that is shown. */
export const setSearch = (change: SearchChange, options?: { replace?: boolean }): void =>
  go(addressOf(place.get().path, changeSearch(place.get().search, change)), options)

/** Opens another page, by an address that `addressOf` made. */
export const openPage = (address: string): void => {
  const shown = () => `${place.get().path} ${place.get().search.get('id')}`
  const before = shown()
  go(address)
  if (shown() !== before) scrollTo(0, 0)
}

/** Whoever does something has seen the page. */
const signs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/** Scrolls to where a page was left, again whenever an answer makes it longer, until somebody does something. */
function keepScrolled(): void {
  let top = 0
  const observer = new ResizeObserver(() => scrollTo(0, top))
  const restoreTop = () => {
    top = readEntry()?.top ?? 0
    observer.disconnect()
    observer.observe(document.body)
  }
  // Browsers scroll once, when most answers are still to come.
  history.scrollRestoration = 'manual'
  for (const name of signs) addEventListener(name, () => observer.disconnect(), { capture: true })
  addEventListener('pagehide', keepTop)
  addEventListener('scrollend', keepTop)
  addEventListener('popstate', restoreTop)
  restoreTop()
}

/** Follows links between pages without loading the document anew, and goes back and forward with the browser. */
export function listenToLinks(): void {
  keepScrolled()
  addEventListener('popstate', () => place.set(read()))
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || link.target || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !link.pathname.startsWith(prefix)) return
    // A place on this very page.
    if (link.hash && link.hash !== guestHash && link.pathname === location.pathname) return
    event.preventDefault()
    openPage(link.href)
  })
}

/** An address that a part of the screens is shown at. */
export interface Place {
  path: string
  search: URLSearchParams
  /** The parameters at the moment of the call, which may be newer than what is drawn. */
  now: () => URLSearchParams
  /** `replace` changes without a step in the browser's history. */
  setSearch: (change: SearchChange, options?: { replace?: boolean }) => void
}

/** A card of a board has an address of its own. */
export const PlaceContext = createContext<Place | undefined>(undefined)

/** The address that the calling part is shown at: the page's, or that of its card on a board. */
export function usePlace(): Place {
  const ofCard = useContext(PlaceContext)
  const { path, search } = useStore(place)
  return ofCard ?? { path, search, now: () => place.get().search, setSearch }
}

/** The parameters of the address, which hold what a link must restore, and a way to change some of them. */
export function useSearch(): [search: Place['search'], set: Place['setSearch']] {
  const { search, setSearch: set } = usePlace()
  return [search, set]
}
