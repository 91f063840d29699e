import { isGuest } from '../data/guest'
import { addressOf, changeSearch, type SearchChange, useSearch } from './location'
import { pickScope } from './scope'

/** Makes the address that lists the people whom a figure counts; guests see no lists. */
export function usePeopleOf(): ((figure: SearchChange) => string) | undefined {
  const [search] = useSearch()
  if (isGuest) return undefined
  return (figure) => addressOf('/app/persons', changeSearch(pickScope(search), figure))
}
