import { isDeepStrictEqual } from 'node:util'
import type { Ask, Asked } from '../answers/Answer.js'
import { readAsk } from '../answers/answers.js'
import type { Parameter, Period, Scope } from '../answers/Parameter.js'
import { HttpError, refuse } from '../http/HttpError.js'

/** What a link shows. */
export interface Shown {
  environment: string
  /** Answers with the parameters that are not free; null: all that guests may ask. */
  answers: readonly Ask[] | null
}

const parametersOf = ({
  answer,
  given,
}: Asked): [name: string, parameter: Parameter<unknown>, value: unknown][] =>
  Object.entries(answer.parameters).map(([name, parameter]) => [name, parameter, given[name]])

const findRefusal = (asked: Asked, isOfGuest: boolean): string | undefined =>
  parametersOf(asked)
    .map(([, { refuse: find }, value]) => find?.(value as never, isOfGuest))
    .find(Boolean)

/**
 * Guests may ask some of the answers of a page, without what is free: they choose it.
 *
 * @throws HttpError when one is wrong, asks for a person, or none is left
 */
export const keepForGuests = ({ environment, answers }: Shown): Ask[] | null => {
  if (answers === null) return null
  const wrong = (message: string) => refuse(400, 'invalid-body', message)
  const kept = answers.flatMap((ask) => {
    const asked = readAsk(ask)
    if (asked.answer.isForGuests !== true) return []
    const refusal = findRefusal(asked, false)
    if (refusal !== undefined) throw wrong(refusal)
    if (asked.given['environment'] !== environment) throw wrong('An answer is of another environment.')
    const isFixed = ([name]: [string, unknown]) => asked.answer.parameters[name]?.isFree !== true
    return [Object.fromEntries(Object.entries(ask).filter(isFixed)) as Ask]
  })
  if (kept.length === 0) throw wrong('Guests may not see this page.')
  return kept
}

const hourMs = 3_600_000
/** Every time zone is so many minutes, or a multiple, from UTC: no question tells a time more precisely. */
const stepMs = hourMs / 4
/** The day on which clocks change may have so few. */
const leastHours = 23

const isWhole = ({ from, until }: Period): boolean => {
  const [begin, end] = [from, until].map((moment) => Date.parse(moment?.text ?? ''))
  return [begin, end].every((each) => each! % stepMs === 0) && end! - begin! >= leastHours * hourMs
}
/** Whether the time is one that a page shows. */
const isOfPage = ({ from, until, before }: Scope & { before?: Period | null }) =>
  isWhole({ from, until }) &&
  (!before || [before.from, before.until].every((each) => Date.parse(each!.text) % stepMs === 0))

/** Whether an answer of a link is the one that is asked for, but for what is free. */
const isThatOf = (asked: Asked, ask: Ask): boolean => {
  if (ask.name !== asked.answer.name) return false
  try {
    const { given } = readAsk(ask)
    return parametersOf(asked).every(
      ([name, { isFree }, value]) => isFree === true || isDeepStrictEqual(value, given[name]),
    )
  } catch (error) {
    // It was kept by another version of the service, whose answer had other parameters.
    if (error instanceof HttpError) return false
    throw error
  }
}

/** Whether a link shows an answer. */
export const isShown = ({ environment, answers }: Shown, asked: Asked): boolean => {
  const given = asked.given as unknown as Scope
  if (asked.answer.isForGuests !== true || given.environment !== environment || !isOfPage(given)) return false
  return answers === null
    ? findRefusal(asked, true) === undefined
    : answers.some((each) => isThatOf(asked, each))
}
