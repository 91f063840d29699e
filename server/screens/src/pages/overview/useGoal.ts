import { useIsKnown, useSaved } from '../../data/saved'
import { useSearch } from '../../address/location'

/** The name of the goal that the address asks for, unless it is known that there is none. So no card asks twice. */
export function useGoal(): string | undefined {
  const [search] = useSearch()
  const goals = useSaved('goal')
  const isKnown = useIsKnown()
  const asked = search.get('goal') || undefined
  return isKnown ? goals.find(({ name }) => name === asked)?.name : asked
}
