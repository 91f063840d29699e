import { addFilter, changeFilter, type Filter, filterParameter, writeFilter } from '../data/filters'
import { setSearch } from './location'
import { useScope } from './scope'

/** What the address filters by, and ways to change it. */
export function useFilters() {
  const { filters } = useScope()
  const set = (next: readonly Filter[]) => setSearch({ [filterParameter]: next.map(writeFilter) })
  return {
    filters,
    add: (filter: Filter) => set(addFilter(filters, filter)),
    change: (filter: Filter, other: Filter) => set(changeFilter(filters, filter, other)),
    remove: (filter: Filter) => set(changeFilter(filters, filter)),
    set,
  }
}
