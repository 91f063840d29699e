import { useState } from 'preact/hooks'
import { type Asking, askOf, beforeOf } from '../../data/asks'
import { useMayWrite } from '../../data/login'
import type { Answer } from '../../data/query'
import { useIsKnown, useSaved } from '../../data/saved'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { useIsShown } from '../../parts/oneCard'
import { Loading } from '../../parts/notes'
import { formatCount, formatShare } from '../../parts/format'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { useGoal } from './useGoal'
import { describeGoal, GoalForm } from './GoalForm'

/** What share of all reached the goal; nothing where there is nobody. */
const share = (reached: number, all: number) => (all === 0 ? '–' : formatShare(reached / all))

/** The people and sessions that reached the goal, each with its share, now and before. */
function GoalTotals({ answer }: { answer: Answer }) {
  const figuresOf = (period: string) =>
    (answer.rows.find(([name]) => name === period) ?? []).slice(1).map(Number)
  const [now, before] = [figuresOf('now'), figuresOf('before')]
  return (
    <ul class="totals">
      {['people', 'sessions'].map((title, at) => {
        const [reached = 0, all = 0] = [now[at], now[at + 2]]
        return (
          <li key={title} class="total">
            <span class="soft">Of {title}</span>
            <span class="figure">{share(reached, all)}</span>
            <span class="change soft">
              {formatCount(reached)} of {formatCount(all)}
              {before.length > 0 && `, ${share(before[at] ?? 0, before[at + 2] ?? 0)} before`}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Which goal the cards count, how many reached it, and the way to make one. */
export function GoalCard({ asking }: { asking: Asking }) {
  const goals = useSaved('goal')
  const isKnown = useIsKnown()
  const chosen = useGoal()
  const [, setSearch] = useSearch()
  const { now } = useScope()
  const mayWrite = useMayWrite()
  const [edited, setEdited] = useState<'new' | 'chosen'>()
  const isShown = useIsShown('goal')
  const ask =
    chosen === undefined || !isShown
      ? undefined
      : askOf('goal_totals', asking, { ...beforeOf(asking), goal: chosen })
  const asked = useAnswer(ask, { askedAt: now })
  const goal = goals.find(({ name }) => name === chosen)
  if (goals.length === 0 && !mayWrite) return null

  const choose = (name: string | undefined) => setSearch({ goal: name || undefined }, { replace: true })
  const aside = (
    <div class="buttons">
      {goals.length > 0 && (
        <select
          aria-label="Goal that is counted"
          value={chosen ?? ''}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value="">None</option>
          {goals.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {mayWrite && goal && (
        <button class="button quiet" type="button" onClick={() => setEdited('chosen')}>
          Change
        </button>
      )}
      {mayWrite && (
        <button class="button quiet" type="button" onClick={() => setEdited('new')}>
          New goal
        </button>
      )}
    </div>
  )
  return (
    <Card name="goal" title="Goal" class="goal-card" ask={ask} aside={aside} isStale={asked.isStale}>
      {goal ? (
        <>
          <p class="soft">{describeGoal(goal.value)}. The column “Goal” is the share of the sessions.</p>
          <AnswerBody asked={asked} empty="Nothing is known of this time.">
            {(answer) => <GoalTotals answer={answer} />}
          </AnswerBody>
        </>
      ) : chosen !== undefined && !isKnown ? (
        <Loading />
      ) : (
        <p class="soft">
          {goals.length === 0
            ? 'What should people reach? An event, a page or a property’s value: every card then shows which share did.'
            : 'Choose a goal, and every card shows which share of the sessions reached it.'}
        </p>
      )}
      {edited && (
        <GoalForm
          goal={edited === 'chosen' ? goal : undefined}
          goals={goals}
          choose={choose}
          close={() => setEdited(undefined)}
        />
      )}
    </Card>
  )
}
