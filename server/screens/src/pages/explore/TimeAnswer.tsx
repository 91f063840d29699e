import { useMemo } from 'preact/hooks'
import type { Answer } from '../../data/query'
import { Chart } from '../../parts/Chart'
import { useMarks } from '../../parts/useMarks'
import { nameTime } from '../../parts/nameTime'
import { useScope } from '../../shell/scope'
import type { Question } from './exploreSearch'
import { mostLines } from './exploreSearch'
import { toLines } from '../../parts/toLines'

/** The figure over time, with a line for each value. */
export function TimeAnswer({
  answer,
  question,
  title,
}: {
  answer: Answer
  question: Question
  title: string
}) {
  const { range, now } = useScope()
  const { measure, by, interval = 'day', shape } = question
  const marks = useMarks(range)
  const { x, series, isOpen } = useMemo(
    () =>
      toLines(answer.rows, {
        range,
        now,
        unit: interval,
        empty: measure.isCount ? 0 : null,
        nameOf: (value) => (by ? (value ?? by.none) : measure.title),
      }),
    [answer],
  )
  return (
    <>
      <Chart
        caption={title}
        x={x}
        series={series}
        isOpen={isOpen}
        marks={marks}
        kind={shape === 'bars' && !by ? 'bar' : 'line'}
        isCount={measure.isCount === true && !measure.needsProperty}
        nameX={(time) => nameTime(time, interval)}
        formatY={measure.format}
        height={280}
      />
      {series.length === mostLines && <p class="soft">The {mostLines} most frequent values are shown.</p>}
    </>
  )
}
