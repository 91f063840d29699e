import { useMemo } from 'preact/hooks'
import type { Asking } from '../../data/conditions'
import { fieldOf } from '../../data/fields'
import { AnswerCard } from '../../parts/AnswerCard'
import { Chart } from '../../parts/Chart'
import { ChartAside } from '../../parts/ChartAside'
import { FilterBar } from '../../parts/FilterBar'
import { formatCount } from '../../parts/format'
import { nameTime } from '../../parts/nameTime'
import { Tabs } from '../../parts/Tabs'
import { toLines } from '../../parts/toLines'
import { useMarks } from '../../parts/useMarks'
import { ValueTable } from '../../parts/ValueTable'
import { useScope } from '../../shell/scope'
import { useFilters } from '../../shell/useFilters'
import { useSearch } from '../../shell/useSearch'
import { ErrorTable } from './ErrorTable'
import { NewestErrors } from './NewestErrors'
import { byTime, byValue, errors, mostErrors, newestErrors } from './statements'

const none = 'No errors in this time. The plugin waymark/errors records them.'
const fields = ['release', 'path', 'browser', 'os', 'device'].map(fieldOf)
const [usualField] = fields

/** Which errors people met, since which release, and where. */
export function Errors() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const { filters } = useFilters()
  const { range, now } = scope
  const marks = useMarks(range)
  const field = fields.find(({ name }) => name === search.get('by')) ?? usualField
  const asking = useMemo<Asking>(() => ({ ...scope, filters }), [scope, filters])
  const statements = useMemo(
    () => ({ errors: errors(asking), time: byTime(asking), newest: newestErrors(asking) }),
    [asking],
  )
  const values = useMemo(() => field && byValue(asking, field), [asking, field])
  return (
    <>
      <FilterBar of="events" />
      <AnswerCard title="Errors over time" statement={statements.time} empty={none} aside={<ChartAside />}>
        {({ rows }) => (
          <Chart
            caption={`Errors by ${range.unit}`}
            {...toLines(
              rows.map(([time, times]) => [time ?? null, times ?? null]),
              { range, now, unit: range.unit, empty: 0, nameOf: () => 'Errors' },
            )}
            nameX={(time) => nameTime(time, range.unit)}
            marks={marks}
            height={140}
          />
        )}
      </AnswerCard>
      <AnswerCard title="Errors" statement={statements.errors} empty={none}>
        {({ rows }) => (
          <>
            <ErrorTable rows={rows} />
            {rows.length === mostErrors && (
              <p class="soft">The first {mostErrors} are shown. A higher LIMIT in the SQL gives more.</p>
            )}
          </>
        )}
      </AnswerCard>
      <div class="card-grid">
        {field && values && (
          <AnswerCard
            key={field.name}
            title="Where"
            statement={values}
            empty={none}
            aside={
              <Tabs
                name="Errors"
                tabs={fields}
                chosen={field.name}
                choose={(name) =>
                  setSearch({ by: name === usualField?.name ? undefined : name }, { replace: true })
                }
              />
            }
          >
            {({ rows }) => (
              <ValueTable
                caption={`Errors by ${field.title}`}
                field={field}
                rows={rows}
                figures={[
                  { title: 'Times', format: formatCount },
                  { title: 'People', format: formatCount },
                ]}
              />
            )}
          </AnswerCard>
        )}
        <AnswerCard title="Newest" statement={statements.newest} empty={none}>
          {({ rows }) => <NewestErrors rows={rows} />}
        </AnswerCard>
      </div>
    </>
  )
}
