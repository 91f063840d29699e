import { refuseField } from '../sql/refuse.js'
import { type Answer, readGiven } from './Answer.js'
import {
  amongPeople,
  conditionsByPeople,
  conditionsOfPicked,
  eventsIn,
  isNamed,
  namedChoiceOf,
  segmentOf,
} from './conditions.js'
import { type Steps, steps, stepsOf, withAnonymous } from './journeys.js'
import {
  anonymous,
  before,
  count,
  flag,
  type Given,
  oneOf,
  optional,
  type Parameter,
  type Parameters,
  type Period,
  type Scope,
  text,
  timezone,
  usually,
} from './Parameter.js'
import { and, type Sql, sql, when } from './sql.js'

/** Says which people an answer counts in one of its figures, so that their number is that figure. */
interface Figure extends Pick<Answer, 'name' | 'parameters'> {
  /** A statement of their ids. */
  people(given: Scope & Readonly<Record<string, unknown>>): Sql
}

const firstDay: Parameter<string> = {
  about: 'The first day of the cohort.',
  schema: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\d$` },
}
const most = { type: 'integer', minimum: 0, maximum: 10_000 }

const figure = <P extends Parameters>(
  name: string,
  parameters: P,
  people: (given: Scope & Given<P>) => Sql,
): Figure => ({ name, parameters, people })

/** A part of the time, such as the day that a point of a chart is of. */
const at: Parameter<Period | null> = { ...before, about: 'A part of the time.' }

const inPart = (part: Period | null): Sql[] =>
  part === null ? [] : [sql`"timestamp" >= ${part.from}`, sql`"timestamp" < ${part.until}`]

const figures: readonly Figure[] = [
  figure('series', { at }, (given) => {
    const all = and([...eventsIn(given, given), ...inPart(given.at), ...conditionsOfPicked(given, given)])
    return sql`SELECT person_id FROM analytics.events WHERE ${all}`
  }),
  figure(
    'explore',
    { at, event: optional(text('Only events of this name, or views of this path.')) },
    (given) => {
      const named = given.event === null ? [] : [isNamed(given.event)]
      return sql`SELECT person_id FROM analytics.events WHERE ${segmentOf(given, ...named, ...inPart(given.at))}`
    },
  ),
  figure(
    'funnel',
    {
      anonymous,
      steps: steps.steps,
      step_where: steps.step_where,
      within_hours: steps.within_hours,
      step: count('Which step, from 1.', 1, 10),
      dropped: flag('Only those who went no further.'),
      breakdown: optional(text('A property of the first step.')),
      value: optional(text('Its value; null: none.')),
    },
    (given) => sql`SELECT person_id FROM analytics.funnel_people(${stepsOf(given as Steps)}${when(
      given.breakdown !== null,
      sql`, breakdown := ${given.breakdown}, breakdown_value := ${given.value}`,
    )})
WHERE step ${given.dropped ? sql`=` : sql`>=`} ${given.step}`,
  ),
  figure(
    'retention',
    {
      anonymous,
      timezone,
      first_event: optional(text('What they began with.')),
      return_event: optional(text('What counts as coming back.')),
      unit: usually(oneOf('What a period is.', ['day', 'week', 'month']), 'week'),
      everybody: flag('Also who did it before the time.'),
      cohort: firstDay,
      period: optional<number>({ about: 'Who came back so many periods later; null: all.', schema: most }),
    },
    (given) => sql`SELECT person_id FROM analytics.retention_people(
  ${given.first_event}, ${given.return_event}, ${given.unit},
  ${namedChoiceOf(given)}, time_zone := ${given.timezone}${when(given.everybody, sql`, everybody := ${true}`)}${withAnonymous(given)}${amongPeople(given)},
  of_cohort := ${given.cohort}, of_period := ${given.period})`,
  ),
  figure(
    'flows',
    {
      start: optional(text('The path that the ways begin at. Without it: where each session begins.')),
      place: usually<number>(
        { about: 'How many steps from there.', schema: { type: 'integer', minimum: 0, maximum: 20 } },
        0,
      ),
      path: optional(text('The page at that place; null: the session had ended.')),
    },
    (given) => {
      const views = and([
        ...eventsIn(given, given),
        ...conditionsByPeople(given),
        sql`event = '$pageview'`,
        sql`session_id IS NOT NULL`,
        sql`path IS NOT NULL`,
      ])
      const isStart = when(given.start !== null, sql` FILTER (path = ${given.start})`)
      const isThere =
        given.path === null
          ? sql`QUALIFY place = ${given.place - 1} AND place = max(place) OVER (PARTITION BY session_id)`
          : sql`WHERE place = ${given.place} AND path = ${given.path}`
      // As `analytics.paths` goes: a page that is seen again at once is one step.
      return sql`SELECT person_id FROM (
  SELECT session_id, person_id, path, nth - min(nth)${isStart} OVER (PARTITION BY session_id) AS place
  FROM (
    SELECT *, row_number() OVER (PARTITION BY session_id ORDER BY "timestamp", event_id) AS nth
    FROM (
      SELECT session_id, person_id, path, "timestamp", event_id,
        lag(path) OVER (PARTITION BY session_id ORDER BY "timestamp", event_id) AS before
      FROM analytics.events WHERE ${views}
    ) WHERE path IS DISTINCT FROM before
  )
) ${isThere}`
    },
  ),
]

/** A figure, and what is said of it. */
export interface AskedFigure {
  figure: Figure
  given: Readonly<Record<string, unknown>>
}

/** The figure whose people are meant, by the name of an answer and what that is asked. */
export const ofFigure: Parameter<AskedFigure | null> = optional({
  about: `Only the people whom an answer counts in one figure: \`name\` is ${figures.map(({ name }) => name).join(', ')}, beside what the answer is asked; a part of the time is \`at\`, a cohort \`cohort\` and \`period\`.`,
  schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  read({ name, ...values }: { name: string }, parameter) {
    const found = figures.find((each) => each.name === name)
    if (found === undefined)
      throw refuseField(`${parameter}.name must be one of ${figures.map((each) => each.name).join(', ')}.`)
    return { figure: found, given: readGiven(found, values) }
  },
})

/** For a row of `persons`: one of the people of a figure. */
export const isOfFigure = (scope: Scope, { figure: of, given }: AskedFigure): Sql =>
  sql`person_id IN (${of.people({ ...scope, ...given })})`
