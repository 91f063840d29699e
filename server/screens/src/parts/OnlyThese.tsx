import { setSearch } from '../address/location'
import { filterParameter, writeFilter } from '../data/filters'
import { isFixed } from '../data/guest'

/** As many ids as fit an address, and a segment that is kept. */
const mostIds = 150

/** Makes the people that are shown the segment, by their ids: what they were searched by, or a funnel, says it no other way. */
export function OnlyThese({ ids, all, without }: { ids: readonly string[]; all: number; without: string }) {
  if (isFixed() || ids.length === 0 || all > ids.length || ids.length > mostIds) return null
  const filter = { field: 'person_id', operator: 'in', values: ids } as const
  return (
    <button
      class="button"
      type="button"
      title="The segment is then these people, as they are now: it can be kept by a name, and holds on every page."
      onClick={() =>
        setSearch({
          [filterParameter]: [writeFilter(filter)],
          [without]: undefined,
        })
      }
    >
      Make {ids.length === 1 ? 'this person' : `these ${ids.length} people`} the segment
    </button>
  )
}
