import { useContext } from 'preact/hooks'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { OneCard } from '../../parts/oneCard'
import { useScope } from '../../address/scope'
import { CardColumns } from '../../parts/Card'
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
  const isPage = useContext(OneCard) === undefined
  const { answer: found } = useAnswer(
    isGuest || !isPage ? undefined : { name: 'has_events', environment, bots },
    {
      askedAt: scope.now,
    },
  )
  if (found?.rows[0]?.[0] === false) return <EmptyStore />
  return (
    <>
      <TimeCard asking={scope} />
      <GoalCard asking={scope} />
      <CardColumns>
        {groups.map((group) => (
          <RankingCard key={group.title} {...group} asking={scope} />
        ))}
        {/* Filters pick sessions, and a crawler has none. */}
        {scope.filters.length === 0 && <CrawlerCard asking={scope} />}
      </CardColumns>
    </>
  )
}
