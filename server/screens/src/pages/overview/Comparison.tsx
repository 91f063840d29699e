import { useScope } from '../../shell/scope'
import { comparisons, readComparison, toDay } from '../../shell/timeRange'
import { useSearch } from '../../shell/useSearch'

/** What the time is compared with. */
export function Comparison() {
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
