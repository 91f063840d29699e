import { useMemo } from 'preact/hooks'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { addressOf } from '../../shell/location'
import { useScope } from '../../shell/scope'
import { scopeSearch } from '../../shell/scopeSearch'
import { PersonCard } from './PersonCard'
import { onePerson } from './statements'
import { Timeline } from './Timeline'

/** One person: who it is, and everything that was done. */
export function Person({ id }: { id: string }) {
  const { environment, now } = useScope()
  const statement = useMemo(() => onePerson(environment, id), [environment, id])
  const asked = useAnswer(statement, { askedAt: now })
  return (
    <>
      <p>
        <a href={addressOf('/app/persons', scopeSearch())}>All people</a>
      </p>
      <AnswerBody asked={asked} empty={`Nobody in the environment ${environment} has the id ${id}.`}>
        {(answer) => {
          const row = answer.rows[0] ?? []
          return (
            <>
              <PersonCard row={row} statement={statement} />
              <Timeline personId={String(row[0])} count={Number(row[3])} />
            </>
          )
        }}
      </AnswerBody>
    </>
  )
}
