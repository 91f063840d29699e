import { useId, useMemo } from 'preact/hooks'
import { isGuest } from '../../data/guest'
import { askOf } from '../../data/asks'
import { AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { ChoiceList } from '../../parts/ChoiceList'
import { Question } from '../../parts/Question'
import { Empty } from '../../parts/Empty'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { BreakdownSelect } from './BreakdownSelect'
import { FunnelBars } from './FunnelBars'
import { FunnelGroups } from './FunnelGroups'
import { FunnelPeople } from './FunnelPeople'
import { askFunnel, type FunnelAsking, readFunnel, withins, writeWithin } from './funnelSearch'
import { readAnswer } from './readAnswer'
import { StepList } from './StepList'

/** How many people took the steps that are chosen here, one after the other. All of it is in the address. */
export function Funnel() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const list = useId()
  const { steps, within, by, people } = readFunnel(search)
  const key = JSON.stringify([steps, within])
  const asking = useMemo<FunnelAsking>(
    () => ({ ...scope, steps: steps.filter(Boolean), within }),
    [scope, key],
  )
  const isReady = asking.steps.length >= 2
  return (
    <>
      <ChoiceList id={list} ask={askOf('event_choices', scope)} />
      <Card title="Question" class="funnel-question">
        <Question>
          <StepList
            steps={steps}
            list={list}
            change={(next) => setSearch({ step: next, people: undefined })}
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
        <Card title="Funnel">
          <Empty>
            Choose two steps or more: names of events, or paths of pages. A step counts the people who did it
            after the step before. “within” says how much time they have for all steps.
          </Empty>
        </Card>
      )}
      {isReady && (
        <AnswerCard
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
