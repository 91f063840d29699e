import { useId } from 'preact/hooks'
import { ChoiceInput } from '../../parts/ChoiceInput'
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
