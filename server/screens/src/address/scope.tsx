import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { type Filter, filterParameter, readFilters } from '../data/filters'
import { isGuest } from '../data/guest'
import { login } from '../data/login'
import { loadSaved } from '../data/saved'
import { changeSearch, useSearch } from './location'
import { readTimeRange, type TimeRange } from './timeRange'

/** What the header and the filters set for every page. */
export interface Scope {
  environment: string
  environments: readonly string[]
  range: TimeRange
  /** Whether bots count, too. */
  bots: boolean
  /** Whether answers about people over days count visitors without consent, too. */
  anonymous: boolean
  /** The segment: what pages leave some by. */
  filters: readonly Filter[]
  /** When the answers were asked for. */
  now: Date
  /** Asks everything anew. */
  reload: () => void
}

/** The parameters of the address that stay when another page is opened. */
export const scopeParameters = [
  'env',
  'range',
  'from',
  'until',
  'each',
  'vs',
  'vs_from',
  'weekdays',
  'bots',
  'anonymous',
  'goal',
  filterParameter,
] as const

/** A guest's questions tell no time more precisely than this. */
const guestStepMs = 900_000

const readNow = () => {
  const now = Date.now()
  return new Date(isGuest ? now - (now % guestStepMs) : now)
}

const Context = createContext<Scope | undefined>(undefined)

/** What an address says, of what is asked for anew with all else. */
function CardScope({
  now,
  reload,
  children,
}: Pick<Scope, 'now' | 'reload'> & { children: ComponentChildren }) {
  const [search] = useSearch()
  const environments = useStore(login).user?.environments
  const key = pickScope(search).toString()

  const scope = useMemo<Scope>(() => {
    const known = environments ?? []
    const environment = search.get('env') ?? known[0] ?? 'production'
    return {
      environment,
      environments: known.includes(environment) ? known : [...known, environment],
      range: readTimeRange(search, now),
      bots: search.get('bots') === '1',
      anonymous: search.get('anonymous') === '1',
      filters: readFilters(search),
      now,
      reload,
    }
  }, [key, now, environments])

  return <Context.Provider value={scope}>{children}</Context.Provider>
}

/** The scope of the page's address; below it, that of an address of its own, such as a card's. */
export function ScopeProvider({ children }: { children: ComponentChildren }) {
  const above = useContext(Context)
  const [now, setNow] = useState(readNow)
  const isPage = above === undefined
  useEffect(() => {
    if (isPage) void loadSaved()
  }, [now])
  const { now: asked, reload } = above ?? { now, reload: () => setNow(readNow()) }
  return (
    <CardScope now={asked} reload={reload}>
      {children}
    </CardScope>
  )
}

export function useScope(): Scope {
  const scope = useContext(Context)
  if (!scope) throw new Error('useScope is called outside of ScopeProvider.')
  return scope
}

/** Some parameters of an address, by default those that stay when another page is opened. */
export function pickScope(
  address: URLSearchParams,
  names: readonly string[] = scopeParameters,
): URLSearchParams {
  const search = new URLSearchParams()
  for (const name of names) for (const value of address.getAll(name)) search.append(name, value)
  return search
}

/** Makes the parameters for a link to another page: what the header and the filters set, and `more`. */
export function useScopeSearch(): (more?: Record<string, string>) => URLSearchParams {
  const [address] = useSearch()
  return (more = {}) => changeSearch(pickScope(address), more)
}
