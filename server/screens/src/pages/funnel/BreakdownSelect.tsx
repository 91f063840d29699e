import { useMemo } from 'preact/hooks'
import { propertyChoices } from '../../data/choices'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { useScope } from '../../shell/scope'
import { builtIn } from './funnelSearch'

interface Props {
  /** Whose properties are offered. */
  step: string | undefined
  by: string | undefined
  choose: (by: string | undefined) => void
}

/** Built-in properties, and those that the events of the first step have. */
export function BreakdownSelect({ step, by, choose }: Props) {
  const scope = useScope()
  const statement = useMemo(
    () => (step && !isGuest ? propertyChoices(scope, step) : undefined),
    [scope, step],
  )
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
