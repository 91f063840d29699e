import { shorten } from '../http/HttpError.js'
import { refuseField } from '../sql/refuse.js'
import { type Answer, type Ask, type Asked, readGiven } from './Answer.js'
import { choices } from './choices.js'
import { exploring } from './explore.js'
import { journeys } from './journeys.js'
import { overview } from './overview.js'
import { ofPeople } from './people.js'
import { quality } from './quality.js'
import { traffic } from './traffic.js'

/** Every answer that can be asked for by its name. */
export const answers: readonly Answer[] = [
  ...overview,
  ...exploring,
  ...journeys,
  ...ofPeople,
  ...quality,
  ...traffic,
  ...choices,
]

const byName = new Map(answers.map((each) => [each.name, each]))

/** @throws HttpError when there is none of this name */
export const answerOf = (name: string): Answer => {
  const answer = byName.get(name)
  if (answer === undefined)
    throw refuseField(
      `There is no answer ${JSON.stringify(shorten(name))}; there are ${[...byName.keys()].join(', ')}.`,
    )
  return answer
}

/**
 * @param timezone counts where the answer has days
 * @throws HttpError one sentence that says what is wrong
 */
export const readAsk = ({ name, ...values }: Ask, timezone?: string | null): Asked => {
  const answer = answerOf(name)
  const hasDays = typeof timezone === 'string' && Object.hasOwn(answer.parameters, 'timezone')
  return { answer, given: readGiven(answer, hasDays ? { timezone, ...values } : values) }
}

/** The statement of DuckDB's SQL that answers; `fewest` is how many people a name, a value or a time must have to be told. */
export const statementOf = ({ answer, given }: Asked, fewest?: number): string =>
  answer.sql(given, fewest).text
