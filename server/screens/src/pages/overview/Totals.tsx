import { isFixed } from '../../data/guest'
import type { Answer } from '../../data/query'
import { formatChange, formatCount, formatDuration, formatMean, formatShare } from '../../parts/format'
import { useScopeSearch } from '../../address/scope'
import { addressOf, useSearch } from '../../address/location'
import { type Metric, metrics } from './metrics'

/** What is said of sessions, in the order of the columns behind those of `metrics`. Each leads to Explore. */
const ofSessions = [
  { name: 'duration', title: 'Median session', format: formatDuration },
  { name: 'bounce_rate', title: 'Bounce rate', format: formatShare },
  { name: 'pages_per_session', title: 'Pages a session', format: formatMean },
  { name: 'engaged', title: 'Engaged time', format: formatDuration },
] as const

/** In the order of the columns behind `period`. */
const readFigures = (answer: Answer, period: string): (number | undefined)[] =>
  (answer.rows.find(([name]) => name === period) ?? [])
    .slice(1)
    .map((figure) => (figure === null ? undefined : Number(figure)))

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

interface Props {
  answer: Answer
  chosen: Metric
  isCompared: boolean
}

/** One figure each, with the change from what is compared with; a click draws it over time. */
export function Totals({ answer, chosen, isCompared }: Props) {
  const [, setSearch] = useSearch()
  const scopeSearch = useScopeSearch()
  const now = readFigures(answer, 'now')
  const before = readFigures(answer, 'before')
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
            {isCompared && <Change now={now[at] ?? 0} before={before[at] ?? 0} />}
          </button>
        </li>
      ))}
      {ofSessions.map(({ name, title, format }, at) => {
        const [figure, earlier] = [now[metrics.length + at], before[metrics.length + at]]
        return (
          <li key={name}>
            <a
              class="total"
              // Without an address it is no link.
              {...(isFixed() ? {} : { href: addressOf('/app/explore', scopeSearch({ show: name })) })}
              title={
                figure === undefined && name === 'engaged' ? 'The plugin engagement records it.' : undefined
              }
            >
              <span class="soft">{title}</span>
              <span class="figure">{figure === undefined ? '–' : format(figure)}</span>
              <span class="change soft">
                {figure === undefined
                  ? 'not recorded'
                  : !isCompared
                    ? ''
                    : earlier === undefined
                      ? 'none before'
                      : `${format(earlier)} before`}
              </span>
            </a>
          </li>
        )
      })}
    </ul>
  )
}
