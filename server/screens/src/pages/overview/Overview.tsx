import { useMemo } from 'preact/hooks'
import type { Asking } from '../../data/conditions'
import { FilterBar } from '../../parts/FilterBar'
import { useScope } from '../../shell/scope'
import { useFilters } from '../../shell/useFilters'
import { groups } from './dimensions'
import { RankingCard } from './RankingCard'
import { TimeCard } from './TimeCard'

/** How many came, when, from where, with what, and what they saw. */
export function Overview() {
  const scope = useScope()
  const { filters } = useFilters()
  const asking = useMemo<Asking>(() => ({ ...scope, filters }), [scope, filters])
  return (
    <>
      <FilterBar of="sessions" />
      <TimeCard asking={asking} />
      <div class="card-grid">
        {groups.map((group) => (
          <RankingCard key={group.title} {...group} asking={asking} />
        ))}
      </div>
    </>
  )
}
