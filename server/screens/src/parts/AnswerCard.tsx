import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useScope } from '../address/scope'
import type { Ask } from '../data/asks'
import type { Answer } from '../data/query'
import { type Asked, useAnswer } from '../data/useAnswer'
import { Card } from './Card'
import { Loading, Empty, ProblemNote } from './notes'
import { useIsShown } from './oneCard'

interface BodyProps {
  asked: Asked
  /** What is said where the answer has no rows. */
  empty: string
  children: (answer: Answer) => ComponentChildren
}

/** What is known of a question: its answer, that it has no rows, why there is none, or that it is on its way. */
export function AnswerBody({ asked, empty, children }: BodyProps) {
  const { answer, problem, isLoading, since } = asked
  // While another question is asked, the picture is of the one before: its columns, units and names with its rows.
  const picture = useRef<ComponentChildren>(null)
  if (answer && !isLoading)
    picture.current = answer.rows.length === 0 ? <Empty>{empty}</Empty> : children(answer)
  return (
    <>
      {isLoading && <Loading since={since} cancel={asked.cancel} />}
      {problem && <ProblemNote problem={problem} again={asked.ask} />}
      {answer && picture.current}
    </>
  )
}

interface Props extends Omit<BodyProps, 'asked'> {
  /** What the card is called among those of its page. */
  name?: string
  title: string
  ask: Ask
  whole?: Ask
  aside?: ComponentChildren
  class?: string
}

/** A card that asks and shows the answer. */
export function AnswerCard({ name, title, ask, whole, aside, class: names, empty, children }: Props) {
  const asked = useAnswer(useIsShown(name) ? ask : undefined, { askedAt: useScope().now })
  return (
    <Card
      name={name}
      title={title}
      ask={ask}
      whole={whole}
      aside={aside}
      isStale={asked.isStale}
      {...(names ? { class: names } : {})}
    >
      <AnswerBody asked={asked} empty={ask['where'] === undefined ? empty : 'Nothing matches the filters.'}>
        {children}
      </AnswerBody>
    </Card>
  )
}
