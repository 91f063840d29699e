import { askOf } from '../../data/asks'
import { AnswerCard } from '../../parts/AnswerCard'
import { Chart } from '../../parts/Chart'
import { ChartAside } from '../../parts/ChartAside'
import { toLines } from '../../parts/toLines'
import { useMarks } from '../../parts/marks'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { fewMeasurements, mostPages, readVital, type Vital, vitals } from './metrics'
import { VitalPages } from './VitalPages'
import type { Json } from '../../data/query'
import { formatCount, formatShare, nameTime } from '../../parts/format'
import { Rating } from './Rating'

/** Each metric with its rating, and the shares of its measurements; a click shows it by page. */
function VitalTotals({ rows, chosen }: { rows: readonly Json[][]; chosen: Vital }) {
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

function VitalChart({ rows, vital }: { rows: readonly Json[][]; vital: Vital }) {
  const { range, now } = useScope()
  return (
    <Chart
      caption={`${vital.name}, 75th percentile by ${range.unit}`}
      {...toLines(rows, { range, now, unit: range.unit, empty: null, nameOf: () => vital.name })}
      isCount={false}
      nameX={(time) => nameTime(time, range.unit)}
      unit={range.unit}
      marks={useMarks(range)}
      formatY={vital.format}
    />
  )
}

const none = 'No web vitals in this time. The plugin waymark/web-vitals records them.'

/** How fast pages are for the people who open them. */
export function Vitals() {
  const scope = useScope()
  const [search] = useSearch()
  const { range } = scope
  const vital = readVital(search)
  const ofVital = { metric: vital.name }
  const title = `${vital.title} (${vital.name})`
  return (
    <>
      <AnswerCard name="totals" title="75th percentiles" ask={askOf('vitals', scope)} empty={none}>
        {({ rows }) => (
          <>
            <VitalTotals rows={rows} chosen={vital} />
            <p class="soft">Three of four measurements are as good as the figure, or better.</p>
          </>
        )}
      </AnswerCard>
      <AnswerCard
        name="pages"
        title={`${title} by page and device`}
        ask={askOf('vitals_by_page', scope, ofVital)}
        empty={none}
      >
        {({ rows }) => (
          <>
            <VitalPages rows={rows} vital={vital} />
            <p class="soft">
              First come the pages that cost most: their distance from good, times their measurements. What
              has fewer than {fewMeasurements} is grey, and last. At most {mostPages} pages are shown.
            </p>
          </>
        )}
      </AnswerCard>
      <AnswerCard
        name="time"
        title={`${title} over time`}
        ask={askOf('vitals_over_time', scope, { ...ofVital, unit: range.unit })}
        empty={none}
        aside={<ChartAside />}
      >
        {({ rows }) => <VitalChart rows={rows} vital={vital} />}
      </AnswerCard>
    </>
  )
}
