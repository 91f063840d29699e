import { useId } from 'preact/hooks'
import { askOf } from '../../data/asks'
import { builtInProperties } from '../../data/fields'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { ChoiceInput } from '../../parts/ChoiceInput'
import { useScope } from '../../address/scope'
import { mostSteps } from './funnelSearch'

interface Props {
  steps: readonly string[]
  /** The id of the `ChoiceList`. */
  list: string
  change: (steps: string[]) => void
}

/** A new list with the entry of one place at another. */
export function moveStep(steps: readonly string[], from: number, to: number): string[] {
  const moved = steps.filter((_, at) => at !== from)
  moved.splice(to, 0, steps[from] ?? '')
  return moved
}

/** The steps in their order. At least two rows are there, so that it shows what is missing. */
export function StepList({ steps, list, change }: Props) {
  const title = useId()
  const rows = steps.length < 2 ? [...steps, ...['', ''].slice(steps.length)] : steps
  const keepFilled = (next: string[]) => change(next.length > 2 ? next : next.filter(Boolean))
  return (
    <div class="funnel-steps">
      <h3 id={title}>Steps, in their order</h3>
      <ol aria-labelledby={title}>
        {rows.map((step, at) => (
          // A row is its place: the field keeps the focus while its text changes.
          <li key={at}>
            <span class="funnel-number" aria-hidden="true">
              {at + 1}
            </span>
            <ChoiceInput
              label={`Step ${at + 1}`}
              value={step}
              list={list}
              placeholder={at === 0 ? '/pricing or Signed Up' : 'and then …'}
              choose={(value) => change(rows.map((each, place) => (place === at ? value : each)))}
            />
            <button
              class="button quiet"
              type="button"
              aria-label={`Move step ${at + 1} up`}
              disabled={at === 0}
              onClick={() => change(moveStep(rows, at, at - 1))}
            >
              ↑
            </button>
            <button
              class="button quiet"
              type="button"
              aria-label={`Move step ${at + 1} down`}
              disabled={at === rows.length - 1}
              onClick={() => change(moveStep(rows, at, at + 1))}
            >
              ↓
            </button>
            <button
              class="button quiet"
              type="button"
              aria-label={`Remove step ${at + 1}`}
              disabled={rows.length <= 2 && step === ''}
              onClick={() => keepFilled(rows.filter((_, place) => place !== at))}
            >
              ×
            </button>
          </li>
        ))}
      </ol>
      <button
        class="button"
        type="button"
        disabled={rows.length >= mostSteps}
        onClick={() => change([...rows, ''])}
      >
        Add a step
      </button>
      {rows.length >= mostSteps && <span class="soft"> A funnel has {mostSteps} steps at most.</span>}
    </div>
  )
}

interface BreakdownSelectProps {
  /** Whose properties are offered. */
  step: string | undefined
  by: string | undefined
  choose: (by: string | undefined) => void
}

/** Built-in properties, and those that the events of the first step have. */
export function BreakdownSelect({ step, by, choose }: BreakdownSelectProps) {
  const scope = useScope()
  const { answer } = useAnswer(
    step && !isGuest ? askOf('property_choices', scope, { event: step }) : undefined,
  )
  const seen = answer?.rows.map(([name]) => String(name)) ?? []
  const names = new Set([...(by === undefined ? [] : [by]), ...builtInProperties, ...seen])
  return (
    <label class="field">
      <span class="field-name">by</span>
      <select value={by ?? ''} onChange={(event) => choose(event.currentTarget.value || undefined)}>
        <option value="">no property</option>
        {[...names].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
