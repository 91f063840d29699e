import type { Json } from '../../data/query'
import { formatCount, formatShare } from '../../parts/format'
import { useSearch } from '../../shell/useSearch'
import { type Vital, vitals } from './metrics'
import { Rating } from './Rating'

/** Each metric with its rating, and the shares of its measurements; a click shows it by page. */
export function VitalTotals({ rows, chosen }: { rows: readonly Json[][]; chosen: Vital }) {
  const [, setSearch] = useSearch()
  return (
    <ul class="totals">
      {vitals.map((vital) => {
        const [, p75, rating, measurements, ...parts] = rows.find(([metric]) => metric === vital.name) ?? []
        const all = Number(measurements ?? 0)
        return (
          <li key={vital.name}>
            <button
              type="button"
              class="total"
              aria-pressed={vital === chosen}
              title={vital.title}
              onClick={() =>
                setSearch({ vital: vital === vitals[0] ? undefined : vital.name }, { replace: true })
              }
            >
              <span class="soft">{vital.name}</span>
              <span class="figure">{all === 0 ? '–' : vital.format(Number(p75))}</span>
              {all === 0 ? (
                <span class="change soft">not recorded</span>
              ) : (
                <>
                  <Rating of={rating} />
                  <span class="vital-shares" aria-hidden="true">
                    {['good', 'middle', 'poor'].map((name, at) => (
                      <span key={name} class={`is-${name}`} style={{ 'flex-grow': Number(parts[at]) }} />
                    ))}
                  </span>
                  <span class="change soft">
                    {formatShare(Number(parts[0]) / all)} good, {formatShare(Number(parts[2]) / all)} poor,{' '}
                    {formatCount(all)} measured
                  </span>
                </>
              )}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
