import { useId } from 'preact/hooks'
import { askChoices } from '../../data/asks'
import { AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { ChoiceInput, ChoiceList } from '../../parts/ChoiceInput'
import { Question } from '../../parts/Question'
import { Tabs } from '../../parts/Tabs'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { CohortTable } from './CohortTable'
import { askRetention, mostCohorts, mostPeriods, readRetention, units } from './retentionSearch'
import { toCohorts } from './toCohorts'

const tabs = units.map(([name, title]) => ({ name, title: `By ${title}` }))

/** Who did something for the first time, and how many of them came back. */
export function Retention() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const list = useId()
  const question = readRetention(search)
  const { first, again, unit, everybody } = question
  const end = scope.now < scope.range.until ? scope.now : scope.range.until
  return (
    <>
      <ChoiceList id={list} ask={askChoices('event_choices', scope)} />
      <Card title="Question">
        <Question>
          <div class="fields retention-question">
            <label class="field">
              <span class="field-name">People who did</span>
              <ChoiceInput
                label="People who did"
                value={first}
                list={list}
                placeholder="any event"
                choose={(value) => setSearch({ first: value || undefined })}
              />
            </label>
            <label class="field">
              <span class="field-name">and came back with</span>
              <ChoiceInput
                label="and came back with"
                value={again}
                list={list}
                placeholder="any event"
                choose={(value) => setSearch({ again: value || undefined })}
              />
            </label>
            <label class="field check">
              <input
                type="checkbox"
                checked={everybody}
                onChange={(event) => setSearch({ everybody: event.currentTarget.checked ? '1' : undefined })}
              />
              also those who did it before this time
            </label>
            <Tabs
              name="Periods"
              tabs={tabs}
              chosen={unit}
              choose={(name) => setSearch({ unit: name === 'week' ? undefined : name }, { replace: true })}
            />
          </div>
        </Question>
      </Card>
      <AnswerCard
        name="retention"
        title="Retention"
        ask={askRetention(question, scope)}
        empty={`Nobody did ${first || 'anything'}${everybody ? '' : ' for the first time ever'} in this time.`}
      >
        {({ rows }) => {
          const cohorts = toCohorts(rows, unit, end)
          const isCut =
            cohorts.length === mostCohorts || cohorts.some(({ cells }) => cells.length === mostPeriods)
          return (
            <>
              <CohortTable cohorts={cohorts} unit={unit} />
              <p class="soft retention-note">
                Each row has the people who did {first || 'anything'} for the first time{' '}
                {everybody ? 'in the time above' : 'ever'} in that {unit}. Column 0 counts those who came back
                in the same {unit}. A dashed cell belongs to a {unit} that goes on.
                {isCut &&
                  ` The newest ${mostCohorts} rows and the first ${mostPeriods} ${unit}s are shown at most.`}
              </p>
            </>
          )
        }}
      </AnswerCard>
    </>
  )
}
