import { addFilter, type Filter, filterParameter, writeFilter } from '../data/filters'
import { setSearch } from './location'
import { useScope } from './scope'

/** What the address filters by, and ways to change it. */
export function useFilters() {
  const { filters } = useScope()
  const set = (next: readonly Filter[]) => setSearch({ [filterParameter]: next.map(writeFilter) })
  return {
    filters,
    add: (filter: Filter) => set(addFilter(filters, filter)),
    remove: (filter: Filter) => set(filters.filter((each) => each !== filter)),
    clear: () => set([]),
  }
}
