import { useMemo } from 'preact/hooks'
import { askOf } from '../../data/asks'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody, AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { Empty } from '../../parts/notes'
import { formatCount } from '../../parts/format'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { DriftTable } from './DriftTable'
import { type DriftColumn, mostDrift, readOrder } from './driftOrder'

const formatTimes = (count: number) => (count === 1 ? 'once' : `${formatCount(count)} times`)

const names: readonly DriftColumn[] = ['event', 'property', 'problem', 'first_release']

interface Counts {
  valid: number
  unplanned: number
  invalid: number
}

/** What the events of the time are against the plan, in one sentence. */
function Verdicts({ valid, unplanned, invalid, isFiltered }: Counts & { isFiltered: boolean }) {
  const all = valid + unplanned + invalid
  if (all === 0 && isFiltered)
    return <Empty>None of the events that the filters leave was compared with a plan.</Empty>
  if (all === 0)
    return (
      <Empty>
        No event of this time was compared with a plan. If there is none yet, write one with{' '}
        <code>npx waymark plan</code>, and start the service with <code>--plan plan.json</code>.
      </Empty>
    )
  if (valid === all)
    return <p>{all === 1 ? 'The one event' : `All ${formatCount(all)} events`} of this time fit the plan.</p>
  const wrong = [
    ...(unplanned > 0 ? [`${formatCount(unplanned)} are not in it`] : []),
    ...(invalid > 0 ? [`${formatCount(invalid)} are not as it says`] : []),
  ]
  return (
    <p>
      {formatCount(valid)} of {formatCount(all)} events of this time fit the plan: {wrong.join(', ')}.
    </p>
  )
}

/** Which events and properties are not as the plan has them, since when, how often and from which release. */
export function Plan() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const sorted = search.get('sort')
  const order = useMemo(() => readOrder(sorted), [sorted])
  const counted = askOf('plan_verdicts', scope)
  const drift = askOf('plan_drift', scope, {
    order: order.by,
    ascending: !order.isDescending,
    most: mostDrift,
  })
  const asked = useAnswer(counted, { askedAt: scope.now })
  const [valid = 0, unplanned = 0, invalid = 0, traits = 0] = (asked.answer?.rows[0] ?? []).map(Number)

  const sortBy = (by: DriftColumn) => {
    const isDescending = by === order.by ? !order.isDescending : !names.includes(by)
    setSearch({ sort: `${isDescending ? '-' : ''}${by}` }, { replace: true })
  }
  return (
    <>
      <Card name="verdicts" title="Events and the plan" ask={counted} isStale={asked.isStale}>
        <AnswerBody asked={asked} empty="">
          {() => (
            <>
              <Verdicts {...{ valid, unplanned, invalid }} isFiltered={scope.filters.length > 0} />
              {traits > 0 && <p>What was said of users did not fit it {formatTimes(traits)}.</p>}
            </>
          )}
        </AnswerBody>
      </Card>
      {unplanned + invalid + traits > 0 && (
        <AnswerCard name="drift" title="What drifts" ask={drift} empty="Nothing drifts in this time.">
          {({ rows }) => (
            <>
              <DriftTable rows={rows} order={order} sortBy={sortBy} />
              {rows.length === mostDrift && (
                <p class="soft">The first {mostDrift} are shown. A higher LIMIT in the SQL gives more.</p>
              )}
            </>
          )}
        </AnswerCard>
      )}
    </>
  )
}
