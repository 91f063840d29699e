import { useStore } from '../data/createStore'
import { place, type SearchChange, setSearch } from './location'

/**
 * The parameters of the address, which hold what a link must restore, and a way to change some of them. `replace`
 * changes without a step in the browser's history.
 */
export function useSearch(): [
  search: URLSearchParams,
  set: (change: SearchChange, options?: { replace?: boolean }) => void,
] {
  return [useStore(place).search, setSearch]
}
