import { askOf } from '../data/asks'
import { isGuest } from '../data/guest'
import { useAnswer } from '../data/useAnswer'
import { useScope } from './scope'
import { useSearch } from './useSearch'

/** The switch for visitors without consent, where there are any: most sites have none. */
export function AnonymousSwitch() {
  const scope = useScope()
  const [, setSearch] = useSearch()
  const { anonymous } = scope
  const ask = isGuest ? undefined : askOf('has_events', { ...scope, bots: true }, { anonymous: true })
  const { answer } = useAnswer(ask, { askedAt: scope.now })
  if (!anonymous && answer?.rows[0]?.[0] !== true) return null
  return (
    <label class="field check" title="Who did not consent is a new person each day.">
      <input
        type="checkbox"
        role="switch"
        checked={anonymous}
        onChange={(event) => setSearch({ anonymous: event.currentTarget.checked ? '1' : undefined })}
      />
      With visitors without consent
    </label>
  )
}
