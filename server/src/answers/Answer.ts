import { shorten } from '../http/HttpError.js'
import { shapeChecker } from '../http/readJson.js'
import { refuseField } from '../sql/refuse.js'
import type { Given, Parameter, Parameters } from './Parameter.js'
import type { Sql } from './sql.js'

/** A question that has a name, and the statement that answers it. */
export interface Answer<P extends Parameters = Parameters> {
  name: string
  about: string
  parameters: P
  /** The columns that the example has; some parameters bring more. */
  columns: readonly string[]
  /** Values of parameters that must be given. */
  example?: Readonly<Record<string, unknown>>
  /** Figures alone, of nobody in particular: guests of a link may ask. */
  isForGuests?: true
  /** `fewest` is how many people a name, a value or a time must have to be told. */
  sql(given: Given<P>, fewest?: number): Sql
}

/** What is asked: the name of an answer and values of its parameters. */
export interface Ask {
  name: string
  [parameter: string]: unknown
}

/** An answer and all of its parameters' values. */
export interface Asked {
  answer: Answer
  given: Readonly<Record<string, unknown>>
}

/** An answer whose parameters' types are those of its statement's. */
export const answer = <P extends Parameters>(each: Answer<P>): Answer => each

const mustHave = ({ fallback }: Parameter<unknown>) => fallback === undefined

/** The JSON schema of an answer's parameters. */
const schemaOf = ({ parameters }: Pick<Answer, 'parameters'>): object => {
  const entries = Object.entries(parameters)
  return {
    type: 'object',
    required: entries.filter(([, each]) => mustHave(each)).map(([name]) => name),
    properties: Object.fromEntries(
      entries.map(([name, { about, schema, fallback }]) => [
        name,
        {
          ...schema,
          description: about,
          ...(fallback !== undefined && fallback !== null && { default: fallback }),
        },
      ]),
    ),
  }
}

/** What has a name and parameters. */
type Asking = Pick<Answer, 'name' | 'parameters'>

const checkers = new WeakMap<Asking, (value: unknown) => void>()

/**
 * Reads the values of an answer's parameters, each of its own type, with the usual ones for those that are left out.
 *
 * @throws HttpError one sentence that names the parameter that is wrong
 */
export const readGiven = (
  asked: Asking,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const { name, parameters } = asked
  const unknown = Object.keys(values).find((each) => !Object.hasOwn(parameters, each))
  if (unknown !== undefined) {
    const known = Object.keys(parameters).join(', ')
    throw refuseField(
      `There is no parameter ${JSON.stringify(shorten(unknown))} of ${name}; there are ${known}.`,
    )
  }
  const check = checkers.get(asked) ?? shapeChecker(schemaOf(asked))
  checkers.set(asked, check)
  check(values)
  return Object.fromEntries(
    Object.entries(parameters).map(([each, { fallback, read }]) => {
      // Null is a value where there may be none: all, where a number is usual.
      const value = values[each] === undefined ? fallback : values[each]
      return [each, read === undefined || value === undefined ? value : read(value as never, each)]
    }),
  )
}
