import {
  addFilter,
  changeFilter,
  type Filter,
  filterParameter,
  readFilters,
  writeFilter,
} from '../data/filters'
import { usePlace } from './location'
import { useScope } from './scope'

/** What the address filters by, and ways to change it. */
export const useFilters = () => {
  const { now: address, setSearch } = usePlace()
  /** As they are when something is changed: a name that was typed may be looked up for a while before. */
  const now = () => readFilters(address())
  const set = (next: readonly Filter[]) => setSearch({ [filterParameter]: next.map(writeFilter) })
  return {
    filters: useScope().filters,
    add: (filter: Filter) => set(addFilter(now(), filter)),
    change: (filter: Filter, other: Filter) => set(changeFilter(now(), filter, other)),
    remove: (filter: Filter) => set(changeFilter(now(), filter)),
    set,
  }
}
