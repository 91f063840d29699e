import { useMemo } from 'preact/hooks'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { groups, readFilters } from './dimensions'
import { FilterList } from './FilterList'
import { RankingCard } from './RankingCard'
import type { Asking } from './statements'
import { TimeCard } from './TimeCard'

/** How many came, when, from where, with what, and what they saw. */
export function Overview() {
  const scope = useScope()
  const [search] = useSearch()
  const asking = useMemo<Asking>(() => ({ ...scope, filters: readFilters(search) }), [scope, search])
  return (
    <>
      <FilterList filters={asking.filters} />
      <TimeCard asking={asking} />
      <div class="card-grid">
        {groups.map((group) => (
          <RankingCard key={group.title} {...group} asking={asking} />
        ))}
      </div>
    </>
  )
}
