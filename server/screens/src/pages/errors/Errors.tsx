import { askOf } from '../../data/asks'
import { fieldOf } from '../../data/fields'
import { isGuest } from '../../data/guest'
import { AnswerCard } from '../../parts/AnswerCard'
import { CardColumns } from '../../parts/Card'
import { Chart } from '../../parts/Chart'
import { ChartAside } from '../../parts/ChartAside'
import { formatCount, nameTime } from '../../parts/format'
import { Tabs } from '../../parts/Tabs'
import { toLines } from '../../parts/toLines'
import { useMarks } from '../../parts/marks'
import { ValueTable } from '../../parts/ValueTable'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { ErrorTable } from './ErrorTable'
import type { Json } from '../../data/query'
import { Moment } from '../../parts/Moment'
import { PersonLink } from '../../parts/cells'

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** The newest errors, each with its place, its person and its stack. */
const NewestErrors = ({ rows }: { rows: readonly Json[][] }) => (
  <ul class="error-list">
    {rows.map(([time, name, message, path, browser, release, person, stack, id]) => (
      <li key={String(id)}>
        <details>
          <summary>
            <Moment time={text(time)} show="recent" /> {text(name) && `${text(name)}: `}
            {text(message)}
          </summary>
          <p class="soft">
            {[text(path), text(browser), text(release) && `release ${text(release)}`]
              .filter(Boolean)
              .join(' · ')}
            {text(person) && (
              <>
                {' · '}
                <PersonLink id={text(person)} />
              </>
            )}
          </p>
          <pre class="error-stack" tabIndex={0} role="region" aria-label="Stack">
            {text(stack) || 'No stack was recorded.'}
          </pre>
        </details>
      </li>
    ))}
  </ul>
)

const mostErrors = 100
/** What errors are counted by, on the card “Where”. */
const places = ['release', 'path', 'browser', 'os', 'device'].map(fieldOf)
const none = 'No errors in this time. The plugin waymark/errors records them.'
const [usualField] = places

function ErrorChart({ rows }: { rows: readonly Json[][] }) {
  const { range, now } = useScope()
  return (
    <Chart
      caption={`Errors by ${range.unit}`}
      {...toLines(
        rows.map(([time, times]) => [time ?? null, times ?? null]),
        { range, now, unit: range.unit, empty: 0, nameOf: () => 'Errors' },
      )}
      nameX={(time) => nameTime(time, range.unit)}
      unit={range.unit}
      people={{ of: 'explore', event: 'Error Caught' }}
      marks={useMarks(range)}
      height={140}
    />
  )
}

/** Which errors people met, since which release, and where. */
export function Errors() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const { range } = scope
  const field = places.find(({ name }) => name === search.get('by')) ?? usualField
  return (
    <>
      <AnswerCard
        name="time"
        title="Errors over time"
        ask={askOf('errors_over_time', scope, { unit: range.unit })}
        empty={none}
        aside={<ChartAside />}
      >
        {({ rows }) => <ErrorChart rows={rows} />}
      </AnswerCard>
      <AnswerCard
        name="errors"
        title="Errors"
        ask={askOf('errors', scope, { most: mostErrors })}
        empty={none}
      >
        {({ rows }) => (
          <>
            <ErrorTable rows={rows} />
            {rows.length === mostErrors && (
              <p class="soft">The first {mostErrors} are shown. A higher LIMIT in the SQL gives more.</p>
            )}
          </>
        )}
      </AnswerCard>
      <CardColumns>
        {field && (
          <AnswerCard
            name="where"
            title="Where"
            ask={askOf('errors_by_value', scope, { by: field.name })}
            empty={none}
            aside={
              <Tabs
                name="Errors"
                tabs={places}
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
        {!isGuest && (
          <AnswerCard name="newest" title="Newest" ask={askOf('newest_errors', scope)} empty={none}>
            {({ rows }) => <NewestErrors rows={rows} />}
          </AnswerCard>
        )}
      </CardColumns>
    </>
  )
}
