import { useMemo } from 'preact/hooks'
import { addFilter, type Filter, filterParameter, readFilters, writeFilter } from '../data/filters'
import { useSearch } from './useSearch'

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
