import { useState } from 'preact/hooks'
import { isGuest } from '../data/guest'
import { browserTimeZone } from '../data/query'
import { useScope } from '../address/scope'
import { ranges, toDay } from '../address/timeRange'
import { useSearch } from '../address/location'
import type { Controls } from './Page'
import { askOf } from '../data/asks'
import { useAnswer } from '../data/useAnswer'
import { useShown } from '../data/shownAsks'
import { formatCount, formatDuration } from '../parts/format'
import { base } from '../data/base'
import { usePolling } from '../data/usePolling'

const everyMs = 10_000
/** Accepted events are usually stored within 3 s. */
const lateSeconds = 5

/** Events that were accepted and are not in the figures yet: somebody who looks for them would miss them. */
export function LagNote() {
  const [seconds, setSeconds] = useState(0)
  usePolling(
    async (signal) => {
      try {
        const health = (await (await fetch(`${base}/healthz`, { signal })).json()) as { lag_seconds: number }
        setSeconds(health.lag_seconds)
      } catch {
        // The service is away, which the cards tell.
      }
    },
    everyMs,
    [],
  )
  if (!(seconds >= lateSeconds)) return null
  return (
    <span class="soft" role="status">
      Events of the last {formatDuration(Math.round(seconds))} are not stored yet
    </span>
  )
}

/** How much is left out: whoever tries the screens with a driven browser would see nothing, and not why. */
function BotsNote({ isFiltered }: Pick<Props, 'isFiltered'>) {
  const scope = useScope()
  const filters = isFiltered ? scope.filters : []
  const ask = askOf('bot_events', { ...scope, bots: false, filters })
  useShown(ask)
  const { answer } = useAnswer(ask, { askedAt: scope.now })
  const count = Number(answer?.rows[0]?.[0] ?? 0)
  if (count === 0) return null
  return (
    <span class="soft" role="status">
      {formatCount(count)} {count === 1 ? 'event' : 'events'} of bots left out
    </span>
  )
}

/** The switch for visitors without consent, where there are any: most sites have none. */
function AnonymousSwitch() {
  const scope = useScope()
  const [, setSearch] = useSearch()
  const { anonymous } = scope
  const ask = isGuest
    ? undefined
    : askOf('has_events', { ...scope, bots: true, filters: [] }, { anonymous: true })
  const { answer } = useAnswer(ask, { askedAt: scope.now })
  if (!anonymous && answer?.rows[0]?.[0] !== true) return null
  return (
    <label class="field check" title="Who did not consent is a new person each day.">
      <input
        type="checkbox"
        role="switch"
        checked={anonymous}
        onChange={(event) => setSearch({ anonymous: event.currentTarget.checked ? '1' : undefined })}
      />
      With visitors without consent
    </label>
  )
}

const dayBefore = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1)

function RangeControls() {
  const { range } = useScope()
  const [, setSearch] = useSearch()
  const from = toDay(range.from)
  const last = toDay(dayBefore(range.until))

  const choose = (name: string) =>
    setSearch(
      name === 'custom'
        ? { range: name, from, until: last }
        : { range: name === '30d' ? undefined : name, from: undefined, until: undefined },
    )

  return (
    <>
      <label class="field">
        <span class="field-name">Time</span>
        <select value={range.name} onChange={(event) => choose(event.currentTarget.value)}>
          {ranges.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {range.name === 'custom' && (
        <>
          <label class="field">
            <span class="field-name">From</span>
            <input
              type="date"
              value={from}
              max={last}
              onChange={(event) => setSearch({ from: event.currentTarget.value })}
            />
          </label>
          <label class="field">
            <span class="field-name">to</span>
            <input
              type="date"
              value={last}
              min={from}
              onChange={(event) => setSearch({ until: event.currentTarget.value })}
            />
          </label>
        </>
      )}
    </>
  )
}

interface Props {
  controls: Controls
  /** Whether the filters hold on the page. */
  isFiltered: boolean
}

/** Environment, time and bots: what the answers of every page are of. */
export function ScopeControls({ controls, isFiltered }: Props) {
  const { environment, environments, range, bots, reload } = useScope()
  const [, setSearch] = useSearch()
  if (controls.length === 0) return null
  const form = (
    <form
      id="scope"
      class="scope"
      popover="auto"
      aria-label="What is shown"
      onSubmit={(event) => event.preventDefault()}
    >
      {controls.includes('environment') && (
        <label class="field">
          <span class="field-name">Environment</span>
          <select value={environment} onChange={(event) => setSearch({ env: event.currentTarget.value })}>
            {environments.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {controls.includes('range') && <RangeControls />}
      {controls.includes('bots') && (
        <label class="field check">
          <input
            type="checkbox"
            role="switch"
            checked={bots}
            onChange={(event) => setSearch({ bots: event.currentTarget.checked ? '1' : undefined })}
          />
          With bots
        </label>
      )}
      {controls.includes('anonymous') && <AnonymousSwitch />}
      {controls.includes('bots') && !bots && <BotsNote isFiltered={isFiltered} />}
      {!isGuest && <LagNote />}
      <span class="scope-rest">
        <span class="soft" title="Days begin and end in this time zone: the browser's.">
          {browserTimeZone}
        </span>
        <button class="button" type="button" onClick={reload}>
          Reload
        </button>
      </span>
    </form>
  )
  return (
    <>
      <button class="button opens" type="button" popovertarget="scope">
        <span class="visually-hidden">What is shown: </span>
        {controls.includes('range') ? range.title : environment}
      </button>
      {form}
    </>
  )
}
