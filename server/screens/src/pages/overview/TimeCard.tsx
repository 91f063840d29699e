import { useMemo } from 'preact/hooks'
import { type Asking, askOf, beforeOf } from '../../data/asks'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { metrics, readMetric, type Metric } from './metrics'
import { Totals } from './Totals'
import type { Answer, Json } from '../../data/query'
import { Chart, ChartAside } from '../../parts/Chart'
import { Empty } from '../../parts/notes'
import { useIsShown } from '../../parts/oneCard'
import { useMarks } from '../../parts/marks'
import { nameDays, nameTime } from '../../parts/format'
import { type TimeRange, comparisons, readComparison, toDay } from '../../address/timeRange'
import { listShown, listTimes, readTime } from '../../address/listTimes'

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

interface Lines {
  x: number[]
  now: (number | null)[]
  /** By the place in the period, so that both lie above one another. */
  before: (number | null)[]
}

/** Makes lines of the rows `[period, time, …]`: what has no row is 0. `column` is the place of the figure in a row. */
export function toSeries(rows: readonly Json[][], column: number, range: TimeRange, now: Date): Lines {
  const figures = { now: new Map<number, number>(), before: new Map<number, number>() }
  for (const row of rows)
    figures[row[0] === 'now' ? 'now' : 'before'].set(readTime(row[1]), Number(row[column]))
  const x = listShown({ range, unit: range.unit, now }, new Set(figures.now.keys()))
  const before = range.before ? listTimes(range.before, range.unit) : []
  return {
    x,
    now: x.map((time) => figures.now.get(time) ?? 0),
    before: x.map((_, at) => {
      const time = before[at]
      return time === undefined ? null : (figures.before.get(time) ?? 0)
    }),
  }
}

interface Props {
  answer: Answer
  title: string
  metric: Metric
  range: TimeRange
}

function TimeChart({ answer, title, metric, range }: Props) {
  const { now } = useScope()
  const marks = useMarks(range)
  const column = answer.columns.findIndex(({ name }) => name === metric)
  const lines = useMemo(() => toSeries(answer.rows, column, range, now), [answer, column, range])
  const drawn = useMemo(
    () => [
      { title, values: lines.now },
      ...(range.before
        ? [{ title: `Before: ${nameDays(range.before, now)}`, values: lines.before, isBefore: true }]
        : []),
    ],
    [lines, title, range],
  )
  if (![...lines.now, ...lines.before].some(Boolean))
    return <Empty>There is nothing in this time{range.before && ', nor in what it is compared with'}.</Empty>
  return (
    <Chart
      caption={`${title} by ${range.unit}${range.before ? ', with what it is compared with' : ''}`}
      isOpen={now < range.until}
      x={lines.x}
      series={drawn}
      marks={marks}
      nameX={(time) => nameTime(time, range.unit)}
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
          empty={
            scope.filters.length > 0 ? 'Nothing matches the filters.' : 'There are no events in this time.'
          }
        >
          {(answer) => <TimeChart answer={answer} title={title} metric={metric} range={range} />}
        </AnswerBody>
      </Card>
    </>
  )
}
