import { useMemo } from 'preact/hooks'
import { propertyChoices } from '../../data/choices'
import { useAnswer } from '../../data/useAnswer'
import { useScope } from '../../shell/scope'

interface Props {
  /** Whose properties are offered. */
  step: string | undefined
  by: string | undefined
  choose: (by: string | undefined) => void
}

/** What events have columns for. They are offered in any case: most of their values are in no property. */
const columns = ['utm_source', 'utm_medium', 'utm_campaign', 'device', 'os', 'browser', 'country', 'language']
const builtIn = columns.map((name) => `$${name}`)

/** Built-in properties, and those that the events of the first step have. */
export function BreakdownSelect({ step, by, choose }: Props) {
  const scope = useScope()
  const statement = useMemo(() => (step ? propertyChoices(scope, step) : undefined), [scope, step])
  const { answer } = useAnswer(statement)
  const seen = answer?.rows.map(([name]) => String(name)) ?? []
  const names = new Set([...(by === undefined ? [] : [by]), ...builtIn, ...seen])
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
