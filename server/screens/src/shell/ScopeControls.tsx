import { isGuest } from '../data/guest'
import { browserTimeZone } from '../data/query'
import { AnonymousSwitch } from './AnonymousSwitch'
import { BotsNote } from './BotsNote'
import { LagNote } from './LagNote'
import { useScope } from './scope'
import { ranges, toDay } from './timeRange'
import { useSearch } from './useSearch'
import type { Controls } from './Page'

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

/** Environment, time and bots: what the answers of every page are of. */
export function ScopeControls({ controls }: { controls: Controls }) {
  const { environment, environments, bots, reload } = useScope()
  const [, setSearch] = useSearch()
  if (controls.length === 0) return null
  return (
    <form class="scope" aria-label="What is shown" onSubmit={(event) => event.preventDefault()}>
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
      {controls.includes('bots') && !bots && <BotsNote />}
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
}
