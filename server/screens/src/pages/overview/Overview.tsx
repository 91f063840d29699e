import { useMemo } from 'preact/hooks'
import { useAnswer } from '../../data/useAnswer'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { EmptyStore } from '../setup/FirstEvent'
import { hasEvents } from '../setup/statements'
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
  const { answer: found } = useAnswer(hasEvents(scope), { askedAt: scope.now })
  if (Number(found?.rows[0]?.[0]) === 0) return <EmptyStore />
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
