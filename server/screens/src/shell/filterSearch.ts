import { filterParameter } from '../data/filters'
import { place } from './location'
import { scopeSearch } from './scopeSearch'

/** The parameters for a link to another page that heeds the filters: what the header sets, the filters, and `more`. */
export function filterSearch(more: Record<string, string> = {}): URLSearchParams {
  const search = scopeSearch(more)
  for (const filter of place.get().search.getAll(filterParameter)) search.append(filterParameter, filter)
  return search
}
