import { sql } from '../data/sql'
import { useAnswer } from '../data/useAnswer'
import { useScope } from './scope'
import { useSearch } from './useSearch'

/** The switch for visitors without consent, where there are any: most sites have none. */
export function AnonymousSwitch() {
  const { environment, range, anonymous, now } = useScope()
  const [, setSearch] = useSearch()
  const { answer } = useAnswer(
    sql`SELECT EXISTS (FROM analytics.events
WHERE environment = ${environment} AND "timestamp" >= ${range.from} AND "timestamp" < ${range.until}
  AND anonymous)`,
    { askedAt: now },
  )
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
