import { useId, useState } from 'preact/hooks'
import { askChoices } from '../../data/asks'
import { builtInProperties } from '../../data/fields'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { ChoiceInput } from '../../parts/ChoiceInput'
import { FilterForm } from '../../parts/FilterForm'
import { addFilter, changeFilter, describeFilter, type Filter, writeFilter } from '../../data/filters'
import { useScope } from '../../address/scope'
import { mostSteps } from './funnelSearch'

/** A step that is shown: an empty name is not filled yet. */
interface StepRow {
  name: string
  filters: readonly Filter[]
}

interface Props {
  steps: readonly string[]
  /** For each of them, what its events must be. */
  conditions: readonly (readonly Filter[])[]
  /** The id of the `ChoiceList`. */
  list: string
  change: (rows: StepRow[]) => void
}

/** A new list with the entry of one place at another. */
export function moveStep<Row>(steps: readonly Row[], from: number, to: number): Row[] {
  const moved = steps.filter((_, at) => at !== from)
  moved.splice(to, 0, ...steps.slice(from, from + 1))
  return moved
}

interface ConditionsProps {
  row: StepRow
  /** What a screen reader calls the step. */
  title: string
  change: (filters: Filter[]) => void
}

/** What the events of a step must be, each with a button that ends it, and a field for one more. */
function StepConditions({ row: { name, filters }, title, change }: ConditionsProps) {
  return (
    <div class="filters funnel-conditions" role="group" aria-label={`Conditions of ${title}`}>
      {filters.map((filter, at) => (
        <span key={writeFilter(filter)}>
          <span class="soft">{at === 0 ? 'with' : (filter.join ?? 'and')} </span>
          <button
            class="button"
            type="button"
            aria-label={`Remove the condition ${describeFilter(filter)}`}
            onClick={() => change(changeFilter(filters, filter))}
          >
            {describeFilter(filter)} <span aria-hidden="true">×</span>
          </button>
        </span>
      ))}
      <FilterForm
        of="events"
        label={`Condition of ${title}`}
        event={name || undefined}
        add={(filter) => change(addFilter(filters, filter))}
      />
    </div>
  )
}

const none: StepRow = { name: '', filters: [] }

/** The steps in their order. At least two rows are there, so that it shows what is missing. */
export function StepList({ steps, conditions, list, change }: Props) {
  const title = useId()
  const [opened, setOpened] = useState<number>()
  const filled = steps.map((name, at): StepRow => ({ name, filters: conditions[at] ?? [] }))
  const rows = [...filled, ...[none, none].slice(filled.length)]
  const keepFilled = (next: StepRow[]) => change(next.length > 2 ? next : next.filter(({ name }) => name))
  const set = (at: number, part: Partial<StepRow>) =>
    change(rows.map((each, place) => (place === at ? { ...each, ...part } : each)))
  return (
    <div class="funnel-steps">
      <h3 id={title}>Steps, in their order</h3>
      <ol aria-labelledby={title}>
        {rows.map((row, at) => (
          // A row is its place: the field keeps the focus while its text changes.
          <li key={at}>
            <span class="funnel-number" aria-hidden="true">
              {at + 1}
            </span>
            <ChoiceInput
              label={`Step ${at + 1}`}
              value={row.name}
              list={list}
              placeholder={at === 0 ? '/pricing or Signed Up' : 'and then …'}
              choose={(name) => set(at, { name })}
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
              disabled={rows.length <= 2 && row.name === ''}
              onClick={() => keepFilled(rows.filter((_, place) => place !== at))}
            >
              ×
            </button>
            {opened === at || row.filters.length > 0 ? (
              <StepConditions row={row} title={`step ${at + 1}`} change={(filters) => set(at, { filters })} />
            ) : (
              <button
                class="button quiet"
                type="button"
                aria-label={`Add a condition to step ${at + 1}`}
                disabled={row.name === ''}
                onClick={() => setOpened(at)}
              >
                with …
              </button>
            )}
          </li>
        ))}
      </ol>
      <button
        class="button"
        type="button"
        disabled={rows.length >= mostSteps}
        onClick={() => change([...rows, none])}
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
    step && !isGuest ? askChoices('property_choices', scope, { event: step }) : undefined,
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
