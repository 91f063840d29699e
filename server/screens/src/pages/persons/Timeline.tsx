import { useMemo } from 'preact/hooks'
import { AnswerCard } from '../../parts/AnswerCard'
import { formatCount } from '../../parts/format'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import type { KnownPerson } from './readPerson'
import { personEvents } from './statements'
import { toVisits } from './toVisits'
import { VisitPart } from './VisitPart'

const step = 200
const most = 10_000

/** Everything a person did, session by session, the newest first. */
export function Timeline({ person }: { person: KnownPerson }) {
  const { environment } = useScope()
  const [search, setSearch] = useSearch()
  const limit = Math.min(most, Math.max(step, Math.trunc(Number(search.get('rows'))) || 0))
  const statement = useMemo(() => personEvents(environment, person, limit), [environment, person, limit])
  return (
    <AnswerCard
      title="Timeline"
      statement={statement}
      empty="This person is known by traits alone: there are no events."
    >
      {(answer) => (
        <>
          <ol class="visits">
            {toVisits(answer).map((visit) => (
              <VisitPart key={visit.sessionId} visit={visit} />
            ))}
          </ol>
          {answer.rows.length === limit && (
            <p class="soft">
              {formatCount(limit)} of {formatCount(Math.max(person.events, limit))} events are shown.{' '}
              {limit < most ? (
                <button
                  class="button"
                  type="button"
                  onClick={() => setSearch({ rows: String(limit * 2) }, { replace: true })}
                >
                  Show earlier ones
                </button>
              ) : (
                'SQL gives all.'
              )}
            </p>
          )}
        </>
      )}
    </AnswerCard>
  )
}
