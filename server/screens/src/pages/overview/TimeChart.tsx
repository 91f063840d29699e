import { useMemo } from 'preact/hooks'
import type { Answer } from '../../data/query'
import { Chart } from '../../parts/Chart'
import { Empty } from '../../parts/Empty'
import { useMarks } from '../../parts/useMarks'
import { nameTime } from '../../parts/nameTime'
import { useScope } from '../../shell/scope'
import type { Period, TimeRange } from '../../shell/timeRange'
import { type Metric } from './metrics'
import { toSeries } from './toSeries'

interface Props {
  answer: Answer
  title: string
  metric: Metric
  range: TimeRange
}

const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const longDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** `24 Sept – 23 Oct`, both days included. */
const nameDays = ({ from, until }: Period, now: Date) =>
  (from.getFullYear() === now.getFullYear() ? shortDay : longDay).formatRange(
    from,
    new Date(until.getTime() - 1),
  )

export function TimeChart({ answer, title, metric, range }: Props) {
  const { now } = useScope()
  const marks = useMarks(range)
  const column = answer.columns.findIndex(({ name }) => name === metric)
  const lines = useMemo(() => toSeries(answer.rows, column, range, now), [answer, column, range])
  const series = useMemo(
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
      series={series}
      marks={marks}
      nameX={(time) => nameTime(time, range.unit)}
    />
  )
}
