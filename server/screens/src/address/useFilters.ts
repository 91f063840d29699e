import { useMemo } from 'preact/hooks'
import { addFilter, type Filter, filterParameter, readFilters, writeFilter } from '../data/filters'
import { place, useSearch } from './location'
import { scopeSearch } from './scope'

/** What the address filters by, and ways to change it. */
export function useFilters() {
  const [search, setSearch] = useSearch()
  const key = search.getAll(filterParameter).join('\n')
  const filters = useMemo(() => readFilters(search), [key])
  const set = (next: readonly Filter[]) => setSearch({ [filterParameter]: next.map(writeFilter) })
  return {
    filters,
    add: (filter: Filter) => set(addFilter(filters, filter)),
    remove: (filter: Filter) => set(filters.filter((each) => each !== filter)),
    clear: () => set([]),
  }
}

/** The parameters for a link to another page that heeds the filters: what the header sets, the filters, and `more`. */
export function filterSearch(more: Record<string, string> = {}): URLSearchParams {
  const search = scopeSearch(more)
  for (const filter of place.get().search.getAll(filterParameter)) search.append(filterParameter, filter)
  return search
}
