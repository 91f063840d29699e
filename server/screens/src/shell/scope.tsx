import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { browserTimeZone } from '../data/query'
import { login } from '../data/login'
import { loadSaved } from '../data/saved'
import { readTimeRange, type TimeRange } from './timeRange'
import { useSearch } from './useSearch'

/** What the header sets for every page. */
export interface Scope {
  environment: string
  environments: readonly string[]
  range: TimeRange
  /** Whether bots count, too. */
  bots: boolean
  /** Whether answers about people over days count visitors without consent, too. */
  anonymous: boolean
  /** Where days begin: the browser's. */
  timeZone: string
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
] as const

const Context = createContext<Scope | undefined>(undefined)

export function ScopeProvider({ children }: { children: ComponentChildren }) {
  const [search] = useSearch()
  const [now, setNow] = useState(() => new Date())
  useEffect(() => void loadSaved(), [now])
  const environments = useStore(login).user?.environments
  const key = scopeParameters.map((name) => search.get(name) ?? '').join('\n')

  const scope = useMemo<Scope>(() => {
    const known = environments ?? []
    const environment = search.get('env') ?? known[0] ?? 'production'
    return {
      environment,
      environments: known.includes(environment) ? known : [...known, environment],
      range: readTimeRange(search, now),
      bots: search.get('bots') === '1',
      anonymous: search.get('anonymous') === '1',
      timeZone: browserTimeZone,
      now,
      reload: () => setNow(new Date()),
    }
  }, [key, now, environments])

  return <Context.Provider value={scope}>{children}</Context.Provider>
}

export function useScope(): Scope {
  const scope = useContext(Context)
  if (!scope) throw new Error('useScope is called outside of ScopeProvider.')
  return scope
}
