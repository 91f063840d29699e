import { useMemo } from 'preact/hooks'
import { type Asking, askOf, beforeOf, periodOf } from '../../data/asks'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { metrics, readMetric, type Metric } from './metrics'
import { Totals } from './Totals'
import type { Answer } from '../../data/query'
import { Chart } from '../../parts/Chart'
import { ChartAside } from '../../parts/ChartAside'
import { Empty } from '../../parts/notes'
import { useIsShown } from '../../parts/oneCard'
import { useMarks } from '../../parts/marks'
import { nameDays, nameTime } from '../../parts/format'
import { type TimeRange, comparisons, readComparison, toDay } from '../../address/timeRange'
import { readTime } from '../../address/listTimes'
import { toOthers, toSeries } from './toSeries'

/** What the time is compared with. */
function Comparison() {
  const { range } = useScope()
  const [search, setSearch] = useSearch()
  const chosen = readComparison(search)
  if (range.name === 'all') return null
  const start = range.before && toDay(range.before.from)
  const choose = (name: string) =>
    setSearch({
      vs: name === 'before' ? undefined : name,
      vs_from: name === 'custom' ? start : undefined,
    })
  return (
    <div class="fields comparison">
      <label class="field">
        <span class="field-name">compared with</span>
        <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          {comparisons.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {chosen === 'custom' && (
        <label class="field">
          <span class="visually-hidden">from</span>
          <input
            type="date"
            value={search.get('vs_from') ?? start}
            onChange={(event) => setSearch({ vs_from: event.currentTarget.value })}
          />
        </label>
      )}
      {chosen !== 'none' && (
        <label class="field check" title="Moves by whole weeks, so that a Monday is compared with a Monday.">
          <input
            type="checkbox"
            checked={search.get('weekdays') === '1'}
            onChange={(event) => setSearch({ weekdays: event.currentTarget.checked ? '1' : undefined })}
          />
          by weekday
        </label>
      )}
    </div>
  )
}

interface Props {
  answer: Answer
  /** What was imported as sums, if anything. */
  others: Answer | undefined
  title: string
  metric: Metric
  range: TimeRange
}

function TimeChart({ answer, others, title, metric, range }: Props) {
  const { now } = useScope()
  const marks = useMarks(range)
  const column = answer.columns.findIndex(({ name }) => name === metric)
  const times = (others?.rows ?? []).map((row) => readTime(row[1]))
  const lines = useMemo(
    () => toSeries(answer.rows, column, range, { now, times }),
    [answer, others, column, range],
  )
  const ofOthers = useMemo(
    () =>
      others === undefined
        ? []
        : toOthers(
            others.rows,
            others.columns.findIndex(({ name }) => name === metric),
            lines.x,
          ),
    [others, metric, lines],
  )
  const drawn = useMemo(
    () => [
      { title, values: lines.now },
      ...(range.before
        ? [{ title: `Before: ${nameDays(range.before, now)}`, values: lines.before, isBefore: true }]
        : []),
      ...ofOthers,
    ],
    [lines, ofOthers, title, range],
  )
  if (ofOthers.length === 0 && ![...lines.now, ...lines.before].some(Boolean))
    return <Empty>There is nothing in this time{range.before && ', nor in what it is compared with'}.</Empty>
  return (
    <Chart
      caption={`${title} by ${range.unit}${range.before ? ', with what it is compared with' : ''}`}
      isOpen={now < range.until}
      x={lines.x}
      series={drawn}
      marks={marks}
      nameX={(time) => nameTime(time, range.unit)}
      unit={range.unit}
      people={{ of: 'series' }}
    />
  )
}

/** The totals, and the one that is chosen over time. */
export function TimeCard({ asking }: { asking: Asking }) {
  const [search] = useSearch()
  const scope = useScope()
  const { now, range } = scope
  const metric = readMetric(search)
  const before = beforeOf(asking)
  const totals = askOf('totals', asking, before)
  const series = askOf('series', asking, { ...before, unit: range.unit })
  const askedTotals = useAnswer(useIsShown('totals') ? totals : undefined, { askedAt: now })
  const askedSeries = useAnswer(useIsShown('time') ? series : undefined, { askedAt: now })
  // Nobody can filter sums; guests see what the maker of their link saw of events.
  const hasSums = useIsShown('time') && scope.filters.length === 0 && !isGuest && range.unit !== 'hour'
  const { from, until } = periodOf(range)
  const sums = { name: 'imported_sums', environment: asking.environment, from, until, unit: range.unit }
  const others = useAnswer(hasSums ? sums : undefined, { askedAt: now }).answer
  const shown = hasSums && others !== undefined && others.rows.length > 0 ? others : undefined
  const title = metrics.find(({ name }) => name === metric)?.title ?? ''
  return (
    <>
      <Card
        name="totals"
        title="Totals"
        class="totals-card"
        ask={totals}
        aside={<Comparison />}
        isStale={askedTotals.isStale}
      >
        <AnswerBody asked={askedTotals} empty="Nothing is known of this time.">
          {(answer) => <Totals answer={answer} chosen={metric} isCompared={range.before !== undefined} />}
        </AnswerBody>
      </Card>
      <Card
        name="time"
        title={`${title} over time`}
        ask={series}
        aside={<ChartAside />}
        isStale={askedSeries.isStale}
      >
        <AnswerBody
          asked={askedSeries}
          isShownEmpty={shown !== undefined}
          empty={
            scope.filters.length > 0 ? 'Nothing matches the filters.' : 'There are no events in this time.'
          }
        >
          {(answer) => (
            <TimeChart answer={answer} others={shown} title={title} metric={metric} range={range} />
          )}
        </AnswerBody>
        {shown && (
          <p class="soft">
            Dotted is what another program has counted by its own rules; it is in no other figure here.
          </p>
        )}
      </Card>
    </>
  )
}
