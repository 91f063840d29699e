import { useMemo } from 'preact/hooks'
import { useAnswer } from '../../data/useAnswer'
import type { Asking } from './statements'
import { propertyChoices } from './propertyChoices'

interface Props {
  asking: Asking
  by: string | undefined
  choose: (by: string | undefined) => void
}

/** The properties that the events of the first step have. */
export function BreakdownSelect({ asking, by, choose }: Props) {
  const statement = useMemo(() => (asking.steps[0] ? propertyChoices(asking) : undefined), [asking])
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
