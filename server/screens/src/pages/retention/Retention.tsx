import { useId, useMemo } from 'preact/hooks'
import { eventChoices } from '../../data/choices'
import { AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { ChoiceInput } from '../../parts/ChoiceInput'
import { ChoiceList } from '../../parts/ChoiceList'
import { Tabs } from '../../parts/Tabs'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { CohortTable } from './CohortTable'
import { mostCohorts, mostPeriods, readRetention, retention, units } from './statements'
import { toCohorts } from './toCohorts'

const tabs = units.map(([name, title]) => ({ name, title: `By ${title}` }))

/** Who did something for the first time, and how many of them came back. */
export function Retention() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const list = useId()
  const { first, again, unit } = readRetention(search)
  const statement = useMemo(() => retention({ ...scope, first, again, unit }), [scope, first, again, unit])
  const choices = useMemo(() => eventChoices(scope), [scope])
  const end = scope.now < scope.range.until ? scope.now : scope.range.until
  return (
    <>
      <ChoiceList id={list} statement={choices} />
      <Card title="Question">
        <div class="fields retention-question">
          <label class="field">
            <span class="field-name">People who first did</span>
            <ChoiceInput
              label="People who first did"
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
          <Tabs
            name="Periods"
            tabs={tabs}
            chosen={unit}
            choose={(name) => setSearch({ unit: name === 'week' ? undefined : name }, { replace: true })}
          />
        </div>
      </Card>
      <AnswerCard
        title="Retention"
        statement={statement}
        empty={first ? `Nobody did ${first} in this time.` : 'There are no events in this time.'}
      >
        {({ rows }) => {
          const cohorts = toCohorts(rows, unit, end)
          const isCut =
            cohorts.length === mostCohorts || cohorts.some(({ cells }) => cells.length === mostPeriods)
          return (
            <>
              <CohortTable cohorts={cohorts} unit={unit} />
              <p class="soft retention-note">
                Someone belongs to the {unit} of the first time within the time that is set. Period 0 is that{' '}
                {unit}: there, coming back is a second event in it. Dashed: the {unit} goes on, more may come
                back.
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
