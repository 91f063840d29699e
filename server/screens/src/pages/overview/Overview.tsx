import { useMemo } from 'preact/hooks'
import type { Asking } from '../../data/conditions'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { FilterBar } from '../../parts/FilterBar'
import { useScope } from '../../shell/scope'
import { useFilters } from '../../shell/useFilters'
import { EmptyStore } from '../setup/FirstEvent'
import { hasEvents } from '../setup/statements'
import { groups } from './dimensions'
import { CrawlerCard } from './CrawlerCard'
import { GoalCard } from './GoalCard'
import { RankingCard } from './RankingCard'
import { TimeCard } from './TimeCard'

/** How many came, when, from where, with what, and what they saw. */
export function Overview() {
  const scope = useScope()
  const { filters } = useFilters()
  const asking = useMemo<Asking>(() => ({ ...scope, filters }), [scope, filters])
  const { answer: found } = useAnswer(isGuest ? undefined : hasEvents(scope), { askedAt: scope.now })
  if (Number(found?.rows[0]?.[0]) === 0) return <EmptyStore />
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
