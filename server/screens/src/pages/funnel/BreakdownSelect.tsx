import { askOf } from '../../data/asks'
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
  const { answer } = useAnswer(
    step && !isGuest ? askOf('property_choices', scope, { event: step }) : undefined,
  )
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
