import { useMemo } from 'preact/hooks'
import { useScope, useScopeSearch } from '../../address/scope'
import { PersonList } from './PersonList'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { addressOf, useSearch } from '../../address/location'
import { PersonCard } from './PersonCard'
import { readPerson } from './readPerson'
import { Timeline } from './Timeline'

/** One person: who it is, and everything that was done. */
function Person({ id }: { id: string }) {
  const { environment, now } = useScope()
  const scopeSearch = useScopeSearch()
  const ask = { name: 'person', environment, id }
  const asked = useAnswer(ask, { askedAt: now })
  const row = asked.answer?.rows[0]
  // What is known stays, dimmed, without a line above it that would push it down.
  const shown = asked.answer ? { ...asked, isLoading: false } : asked
  const person = useMemo(() => row && readPerson(row), [row])
  return (
    <>
      <p>
        <a href={addressOf('/app/persons', scopeSearch())}>All people</a>
      </p>
      <AnswerBody asked={shown} empty={`Nobody in the environment ${environment} has the id ${id}.`}>
        {() =>
          person && (
            <>
              <PersonCard person={person} ask={ask} isStale={asked.isStale} />
              <Timeline person={person} />
            </>
          )
        }
      </AnswerBody>
    </>
  )
}

/** People to look for, or one of them, whose id is in the address. */
export function Persons() {
  const [search] = useSearch()
  const { environment } = useScope()
  const id = search.get('id')
  return id === null ? <PersonList /> : <Person key={`${environment}\n${id}`} id={id} />
}
