import type { Answer } from '../../data/query'
import { formatChange, formatCount, formatDuration } from '../../parts/format'
import { useSearch } from '../../shell/useSearch'
import { type Metric, metrics } from './metrics'

/** In the order of the columns behind `period`. */
const readFigures = (answer: Answer, period: string): number[] =>
  (answer.rows.find(([name]) => name === period) ?? []).slice(1).map(Number)

function Change({ now, before }: { now: number; before: number }) {
  const change = formatChange(now, before)
  const direction = now > before ? 'is-up' : now < before ? 'is-down' : ''
  return (
    <span class={`change ${change ? direction : ''}`}>
      {change ?? (now > 0 ? 'none before' : 'as before')}
      {change && <span class="soft"> from {formatCount(before)}</span>}
    </span>
  )
}

/** One figure each, with the change from the period before; a click draws it over time. */
export function Totals({ answer, chosen }: { answer: Answer; chosen: Metric }) {
  const [, setSearch] = useSearch()
  const now = readFigures(answer, 'now')
  const before = readFigures(answer, 'before')
  const [duration, durationBefore] = [now[metrics.length], before[metrics.length]]
  return (
    <ul class="totals">
      {metrics.map(({ name, title }, at) => (
        <li key={name}>
          <button
            type="button"
            class="total"
            aria-pressed={name === chosen}
            onClick={() => setSearch({ metric: name === 'people' ? undefined : name }, { replace: true })}
          >
            <span class="soft">{title}</span>
            <span class="figure">{formatCount(now[at] ?? 0)}</span>
            <Change now={now[at] ?? 0} before={before[at] ?? 0} />
          </button>
        </li>
      ))}
      <li class="total">
        <span class="soft">Median session</span>
        <span class="figure">{formatDuration(duration ?? 0)}</span>
        <span class="change soft">{formatDuration(durationBefore ?? 0)} before</span>
      </li>
    </ul>
  )
}
