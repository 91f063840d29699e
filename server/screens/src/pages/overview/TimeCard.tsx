import { type Asking, askOf, beforeOf } from '../../data/asks'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { ChartAside } from '../../parts/ChartAside'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { Comparison } from './Comparison'
import { metrics, readMetric } from './metrics'
import { TimeChart } from './TimeChart'
import { Totals } from './Totals'

/** The totals, and the one that is chosen over time. */
export function TimeCard({ asking }: { asking: Asking }) {
  const [search] = useSearch()
  const { now } = useScope()
  const metric = readMetric(search)
  const before = beforeOf(asking)
  const totals = askOf('totals', asking, before)
  const series = askOf('series', asking, { ...before, unit: asking.range.unit })
  const askedTotals = useAnswer(totals, { askedAt: now })
  const askedSeries = useAnswer(series, { askedAt: now })
  const title = metrics.find(({ name }) => name === metric)?.title ?? ''
  return (
    <>
      <Card
        title="Totals"
        class="totals-card"
        ask={totals}
        aside={<Comparison />}
        isStale={askedTotals.isLoading && Boolean(askedTotals.answer)}
      >
        <AnswerBody asked={askedTotals} empty="Nothing is known of this time.">
          {(answer) => (
            <Totals answer={answer} chosen={metric} isCompared={asking.range.before !== undefined} />
          )}
        </AnswerBody>
      </Card>
      <Card
        title={`${title} over time`}
        ask={series}
        aside={<ChartAside />}
        isStale={askedSeries.isLoading && Boolean(askedSeries.answer)}
      >
        <AnswerBody asked={askedSeries} empty="There are no events in this time.">
          {(answer) => <TimeChart answer={answer} title={title} metric={metric} range={asking.range} />}
        </AnswerBody>
      </Card>
    </>
  )
}
