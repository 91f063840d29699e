import { useId, useMemo } from 'preact/hooks'
import { isGuest } from '../../data/guest'
import { askChoices } from '../../data/asks'
import { conditionParameter, writeConditions } from '../../data/filters'
import { AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { ChoiceList } from '../../parts/ChoiceInput'
import { Question } from '../../parts/Question'
import { Empty } from '../../parts/notes'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { FunnelBars } from './FunnelBars'
import { FunnelLuck } from './FunnelLuck'
import {
  askFunnel,
  type FunnelAsking,
  readFunnel,
  withins,
  writeWithin,
  type PeopleChoice,
} from './funnelSearch'
import { readAnswer, type Group } from './readAnswer'
import { BreakdownSelect, StepList } from './StepList'
import { formatCount, formatShare } from '../../parts/format'
import { Table } from '../../parts/Table'
import { Moment } from '../../parts/Moment'
import { OnlyThese } from '../../parts/OnlyThese'
import { PersonLink } from '../../parts/cells'

const mostPeople = 150

/** Who did a step, or did it and none after it. */
function FunnelPeople({ asking, choice }: { asking: FunnelAsking; choice: PeopleChoice }) {
  const { step, kind } = choice
  const ask = askFunnel('funnel_people', asking, { step, dropped: kind === 'dropped', most: mostPeople })
  const name = asking.steps[step - 1] ?? ''
  const next = asking.steps[step] ?? ''
  const title = kind === 'reached' ? `People who did ${name}` : `People who did ${name}, but not ${next}`
  return (
    <AnswerCard name="people" title={title} ask={ask} empty="There is nobody.">
      {({ rows }) => {
        const all = Number(rows[0]?.[4])
        return (
          <>
            <OnlyThese ids={rows.map(([id]) => String(id))} all={all} without="people" />
            <Table
              caption={title}
              rows={rows}
              rowKey={([id]) => String(id)}
              columns={[
                {
                  title: 'Person',
                  value: ([id, called]) => <PersonLink id={String(id)} name={String(called)} />,
                },
                {
                  title: 'Got as far as',
                  value: ([, , depth]) => `${String(depth)} ${asking.steps[Number(depth) - 1] ?? ''}`,
                },
                { title: 'When', value: ([, , , time]) => <Moment time={String(time)} /> },
              ]}
            />
            {all > rows.length && (
              <p class="soft">
                The newest {formatCount(rows.length)} of {formatCount(all)} are shown. A higher LIMIT in the
                SQL gives more.
              </p>
            )}
          </>
        )
      }}
    </AnswerCard>
  )
}

const mostGroups = 50

/** The funnel once for each value of a property at the first step. */
function FunnelGroups({ asking, by }: { asking: FunnelAsking; by: string }) {
  return (
    <AnswerCard
      name="groups"
      title={`By ${by} at the first step`}
      class="funnel-groups"
      ask={askFunnel('funnel', asking, { breakdown: by })}
      empty="Nobody did the first step."
    >
      {({ rows }) => {
        const groups = readAnswer(rows)
        return (
          <>
            <Table
              caption={`Funnel by ${by}`}
              rows={groups.slice(0, mostGroups)}
              rowKey={({ value }) => (value === null ? 'none' : `value ${value}`)}
              columns={[
                { title: by, value: ({ value }) => value ?? <span class="soft">(none)</span> },
                ...asking.steps.map((name, at) => ({
                  title: `${at + 1} ${name}`,
                  isNumber: true,
                  ...(at > 0 ? { bar: ({ steps }: Group) => steps[at]?.conversion ?? 0 } : {}),
                  value: ({ steps }: Group) => (
                    <>
                      {formatCount(steps[at]?.people ?? 0)}
                      {at > 0 && <span class="soft"> {formatShare(steps[at]?.conversion ?? 0)}</span>}
                    </>
                  ),
                })),
              ]}
            />
            {asking.steps.length > 1 && <FunnelLuck groups={groups.slice(0, mostGroups)} by={by} />}
            {groups.length > mostGroups && (
              <p class="soft">
                The {mostGroups} values with most people are shown, of {formatCount(groups.length)}. SQL gives
                all.
              </p>
            )}
          </>
        )
      }}
    </AnswerCard>
  )
}

/** How many people took the steps that are chosen here, one after the other. All of it is in the address. */
export function Funnel() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const list = useId()
  const { steps, conditions, within, by, people } = readFunnel(search)
  const key = JSON.stringify([steps, conditions, within])
  const asking = useMemo<FunnelAsking>(
    () => ({
      ...scope,
      steps: steps.filter(Boolean),
      conditions: conditions.filter((_, at) => steps[at]),
      within,
    }),
    [scope, key],
  )
  const isReady = asking.steps.length >= 2
  return (
    <>
      <ChoiceList id={list} ask={askChoices('event_choices', scope)} />
      <Card title="Question" class="funnel-question">
        <Question>
          <StepList
            steps={steps}
            list={list}
            conditions={conditions}
            change={(next) =>
              setSearch({
                step: next.map(({ name }) => name),
                [conditionParameter]: writeConditions(next.map(({ filters }) => filters)),
                people: undefined,
              })
            }
          />
          <div class="fields">
            <label class="field">
              <span class="field-name">within</span>
              <select
                value={within}
                onChange={(event) => setSearch({ within: writeWithin(event.currentTarget.value) })}
              >
                {withins.map(([name, title]) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
            <BreakdownSelect step={asking.steps[0]} by={by} choose={(next) => setSearch({ by: next })} />
          </div>
        </Question>
      </Card>
      {!isReady && (
        <Card name="funnel" title="Funnel">
          <Empty>
            Choose two steps or more: names of events, or paths of pages. A step counts the people who did it
            after the step before. “within” says how much time they have for all steps.
          </Empty>
        </Card>
      )}
      {isReady && (
        <AnswerCard
          name="funnel"
          title="Funnel"
          ask={askFunnel('funnel', asking)}
          empty="Nobody did the first step in this time."
        >
          {({ rows }) => {
            const counted = readAnswer(rows)[0]?.steps ?? []
            if (!counted[0]?.people) return <Empty>Nobody did {asking.steps[0]} in this time.</Empty>
            return <FunnelBars steps={counted} chosen={people} />
          }}
        </AnswerCard>
      )}
      {isReady && people && !isGuest && <FunnelPeople asking={asking} choice={people} />}
      {isReady && by !== undefined && <FunnelGroups asking={asking} by={by} />}
    </>
  )
}
