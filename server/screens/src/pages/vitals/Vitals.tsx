import { askOf } from '../../data/asks'
import { AnswerCard } from '../../parts/AnswerCard'
import { Chart } from '../../parts/Chart'
import { ChartAside } from '../../parts/ChartAside'
import { FilterBar } from '../../parts/FilterBar'
import { nameTime } from '../../parts/nameTime'
import { toLines } from '../../parts/toLines'
import { useMarks } from '../../parts/useMarks'
import { useScope } from '../../shell/scope'
import { useFilters } from '../../shell/useFilters'
import { useSearch } from '../../shell/useSearch'
import { fewMeasurements, mostPages, readVital } from './metrics'
import { VitalPages } from './VitalPages'
import { VitalTotals } from './VitalTotals'

const none = 'No web vitals in this time. The plugin waymark/web-vitals records them.'

/** How fast pages are for the people who open them. */
export function Vitals() {
  const scope = useScope()
  const [search] = useSearch()
  const { filters } = useFilters()
  const { range, now } = scope
  const marks = useMarks(range)
  const vital = readVital(search)
  const asking = { ...scope, filters }
  const ofVital = { metric: vital.name }
  const title = `${vital.title} (${vital.name})`
  return (
    <>
      <FilterBar of="events" />
      <AnswerCard title="75th percentiles" ask={askOf('vitals', asking)} empty={none}>
        {({ rows }) => (
          <>
            <VitalTotals rows={rows} chosen={vital} />
            <p class="soft">Three of four measurements are as good as the figure, or better.</p>
          </>
        )}
      </AnswerCard>
      <AnswerCard
        key={`pages ${vital.name}`}
        title={`${title} by page and device`}
        ask={askOf('vitals_by_page', asking, ofVital)}
        empty={none}
      >
        {({ rows }) => (
          <>
            <VitalPages rows={rows} vital={vital} />
            <p class="soft">
              The slowest pages come first, those with fewer than {fewMeasurements} measurements last. At most{' '}
              {mostPages} are shown.
            </p>
          </>
        )}
      </AnswerCard>
      <AnswerCard
        key={`time ${vital.name}`}
        title={`${title} over time`}
        ask={askOf('vitals_over_time', asking, { ...ofVital, unit: range.unit })}
        empty={none}
        aside={<ChartAside />}
      >
        {({ rows }) => (
          <Chart
            caption={`${vital.name}, 75th percentile by ${range.unit}`}
            {...toLines(rows, { range, now, unit: range.unit, empty: null, nameOf: () => vital.name })}
            isCount={false}
            nameX={(time) => nameTime(time, range.unit)}
            marks={marks}
            formatY={vital.format}
          />
        )}
      </AnswerCard>
    </>
  )
}
