import {
  addFilter,
  changeFilter,
  type Filter,
  filterParameter,
  readFilters,
  writeFilter,
} from '../data/filters'
import { place, setSearch } from './location'
import { useScope } from './scope'

/** As they are when something is changed: a name that was typed may be looked up for a while before. */
const now = () => readFilters(place.get().search)
const set = (next: readonly Filter[]) => setSearch({ [filterParameter]: next.map(writeFilter) })

/** What the address filters by, and ways to change it. */
export const useFilters = () => ({
  filters: useScope().filters,
  add: (filter: Filter) => set(addFilter(now(), filter)),
  change: (filter: Filter, other: Filter) => set(changeFilter(now(), filter, other)),
  remove: (filter: Filter) => set(changeFilter(now(), filter)),
  set,
})
