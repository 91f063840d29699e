import { useMemo } from 'preact/hooks'
import type { Asking } from '../../data/asks'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { FilterBar } from '../../parts/FilterBar'
import { useScope } from '../../address/scope'
import { useFilters } from '../../address/filterSearch'
import { EmptyStore } from '../setup/FirstEvent'
import { groups } from './dimensions'
import { CrawlerCard } from './CrawlerCard'
import { GoalCard } from './GoalCard'
import { RankingCard } from './RankingCard'
import { TimeCard } from './TimeCard'

/** How many came, when, from where, with what, and what they saw. */
export function Overview() {
  const scope = useScope()
  const { environment, bots } = scope
  const { filters } = useFilters()
  const asking = useMemo<Asking>(() => ({ ...scope, filters }), [scope, filters])
  const { answer: found } = useAnswer(isGuest ? undefined : { name: 'has_events', environment, bots }, {
    askedAt: scope.now,
  })
  if (found?.rows[0]?.[0] === false) return <EmptyStore />
  return (
    <>
      <FilterBar of="sessions" />
      <TimeCard asking={asking} />
      <GoalCard asking={asking} />
      <div class="card-grid">
        {groups.map((group) => (
          <RankingCard key={group.title} {...group} asking={asking} />
        ))}
        {/* Filters pick sessions, and a crawler has none. */}
        {filters.length === 0 && <CrawlerCard asking={asking} />}
      </div>
    </>
  )
}
