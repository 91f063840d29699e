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

/** The properties that the events of the first step have. */
export function BreakdownSelect({ step, by, choose }: Props) {
  const scope = useScope()
  const statement = useMemo(() => (step ? propertyChoices(scope, step) : undefined), [scope, step])
  const { answer } = useAnswer(statement)
  const known = answer?.rows.map(([name]) => String(name)) ?? []
  const names = by === undefined || known.includes(by) ? known : [by, ...known]
  return (
    <label class="field">
      <span class="field-name">by</span>
      <select value={by ?? ''} onChange={(event) => choose(event.currentTarget.value || undefined)}>
        <option value="">no property</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
