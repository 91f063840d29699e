import { useMemo } from 'preact/hooks'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { addressOf } from '../../shell/location'
import { useScope } from '../../shell/scope'
import { scopeSearch } from '../../shell/scopeSearch'
import { PersonCard } from './PersonCard'
import { readPerson } from './readPerson'
import { Timeline } from './Timeline'

/** One person: who it is, and everything that was done. */
export function Person({ id }: { id: string }) {
  const { environment, now } = useScope()
  const ask = { name: 'person', environment, id }
  const asked = useAnswer(ask, { askedAt: now })
  const row = asked.answer?.rows[0]
  const person = useMemo(() => row && readPerson(row), [row])
  return (
    <>
      <p>
        <a href={addressOf('/app/persons', scopeSearch())}>All people</a>
      </p>
      <AnswerBody asked={asked} empty={`Nobody in the environment ${environment} has the id ${id}.`}>
        {() =>
          person && (
            <>
              <PersonCard person={person} ask={ask} />
              <Timeline person={person} />
            </>
          )
        }
      </AnswerBody>
    </>
  )
}
