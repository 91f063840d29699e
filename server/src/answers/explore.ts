import { refuseField } from '../sql/refuse.js'
import { answer } from './Answer.js'
import { choiceOf, eventsIn, isNamed, segmentOf, sessionConditions, sessionsOf } from './conditions.js'
import {
  count,
  field,
  fieldOf,
  fieldSql,
  flag,
  free,
  oneOf,
  optional,
  type Scope,
  scope,
  text,
  timezone,
  usually,
} from './Parameter.js'
import { and, identifier, joinSql, type Sql, sql, when, whereAll } from './sql.js'

interface Measure {
  /** What is counted: events, each with its person and session, or sessions that began in the time. */
  of: 'events' | 'sessions'
  /** Over the rows of `counted`. */
  figure: Sql
  /** It is of the values of a property. */
  needsProperty?: true
  /** Without any event it is 0, and not unknown. */
  isCount?: true
}

const ofNumber = (figure: Sql): Measure => ({ of: 'events', figure, needsProperty: true })
const ofSessions = (figure: Sql): Measure => ({ of: 'sessions', figure })

const measures = {
  events: { of: 'events', figure: sql`count(*)`, isCount: true },
  people: { of: 'events', figure: sql`count(DISTINCT person_id)`, isCount: true },
  sessions: { of: 'events', figure: sql`count(DISTINCT session_id)`, isCount: true },
  sum: { ...ofNumber(sql`sum(number)`), isCount: true },
  average: ofNumber(sql`avg(number)`),
  median: ofNumber(sql`median(number)`),
  p75: ofNumber(sql`quantile_cont(number, 0.75)`),
  bounce_rate: ofSessions(sql`avg(bounced::INTEGER)`),
  pages_per_session: ofSessions(sql`avg(page_views)`),
  engaged: ofSessions(sql`median(engaged_seconds)`),
  duration: ofSessions(sql`median(duration_seconds)`),
} as const satisfies Record<string, Measure>
type MeasureName = keyof typeof measures

interface Question extends Scope {
  property: string | null
  event: string | null
  by: string | null
  interval: string | null
  highest_first: boolean
  most: number
}

/** The value of each session of a field that only sessions have, or that only events have. */
const valuesBySession = (asked: Scope, by: string): Sql => {
  const column = sql`SELECT DISTINCT session_id, ${fieldSql(by)} AS value`
  if (fieldOf(by) === 'sessions') return sql`(${column} FROM ${sessionsOf(asked, asked)})`
  return sql`(${column} FROM analytics.events WHERE ${and(eventsIn(asked, asked))})`
}

/** The rows that are counted, with the time and the value that they count for. */
const counted = (asked: Question, { of }: Measure): Sql => {
  const { property, event, by, interval } = asked
  const isOfEvents = of === 'events'
  const fieldIsOf = by === null ? undefined : fieldOf(by)
  const isOwn = fieldIsOf === undefined || fieldIsOf === 'both' || fieldIsOf === of
  const moment = isOfEvents ? sql`"timestamp"` : sql`started_at`
  const columns = isOfEvents
    ? [
        sql`person_id`,
        sql`session_id`,
        ...(property === null ? [] : [sql`analytics.prop_number(properties, ${property}) AS number`]),
      ]
    : [sql`bounced`, sql`page_views`, sql`engaged_seconds`, sql`duration_seconds`]
  const list = [
    ...(interval === null ? [] : [sql`date_trunc(${interval}, ${moment}) AS "time"`]),
    ...(by === null ? [] : [isOwn ? sql`${fieldSql(by)} AS value` : sql`value`]),
    ...columns,
  ]
  const source = isOfEvents ? sql`analytics.events` : sessionsOf(asked, asked)
  const joined =
    by !== null && !isOwn ? sql`${source}\nJOIN ${valuesBySession(asked, by)} USING (session_id)` : source
  const conditions = isOfEvents
    ? [
        segmentOf(
          asked,
          ...(event === null ? [] : [isNamed(event)]),
          ...(property === null ? [] : [sql`number IS NOT NULL`]),
        ),
      ]
    : sessionConditions(asked, asked)
  return sql`SELECT ${joinSql(list, ', ')}\nFROM ${joined}${whereAll(conditions)}`
}

/** `[value, figure, rows]`, and for people their traits. */
const byValue = (asked: Question, { figure, isCount }: Measure, rows: Sql): Sql => {
  const order = asked.highest_first || isCount ? sql`figure DESC NULLS LAST, "rows" DESC` : sql`"rows" DESC`
  const values = sql`SELECT value, ${figure} AS figure, count(*) AS "rows"
FROM (
${rows}
)
GROUP BY value
ORDER BY ${order}, value
LIMIT ${asked.most}`
  if (asked.by !== 'person_id') return values
  return sql`SELECT value, figure, "rows", traits
FROM (
${values}
)
LEFT JOIN (
  SELECT person_id AS value, traits FROM analytics.persons WHERE environment = ${asked.environment}
) USING (value)
ORDER BY ${order}, value`
}

/** More lines cannot be told apart. */
const mostLines = 6

/** `[time, figure]`, or `[time, figure, value]` of the values with most rows. */
const byTime = ({ by }: Question, { figure }: Measure, rows: Sql): Sql =>
  by === null
    ? sql`SELECT "time", ${figure} AS figure
FROM (
${rows}
)
GROUP BY "time"
ORDER BY "time"`
    : sql`WITH counted AS (
${rows}
), top AS (
  SELECT value, count(*) AS "rows" FROM counted GROUP BY value ORDER BY "rows" DESC, value LIMIT ${mostLines}
)
SELECT c."time", ${figure} AS figure, c.value
FROM counted c JOIN top ON top.value IS NOT DISTINCT FROM c.value
GROUP BY c."time", c.value, top."rows"
ORDER BY top."rows" DESC, c.value, c."time"`

const noneToGuests = (value: string | null, isOfGuest: boolean) =>
  value !== null && isOfGuest ? 'Guests may not ask for a property.' : undefined

const explore = answer({
  name: 'explore',
  about: 'A figure of events or sessions: in all, over time, or by the values of a field.',
  parameters: {
    ...scope,
    measure: usually(
      oneOf(
        'Which figure. Those from `bounce_rate` on are of sessions.',
        Object.keys(measures) as MeasureName[],
      ),
      'events',
    ),
    property: {
      ...optional(text('The property whose numbers `sum`, `average`, `median` and `p75` are of.')),
      refuse: noneToGuests,
    },
    event: optional(text('Only events of this name or, from / on, views of this path.')),
    by: optional(field('A row for each value of this field.')),
    interval: free(optional(oneOf('A row for each of these.', ['hour', 'day', 'week', 'month']))),
    highest_first: free(
      flag('Values with the highest figure first; else those with most events or sessions.'),
    ),
    most: count('How many values.', 50, 10_000),
    timezone,
  },
  columns: ['figure'],
  isForGuests: true,
  sql(given) {
    const measure: Measure = measures[given.measure]
    if (measure.needsProperty && given.property === null)
      throw refuseField(`property must be given for ${given.measure}.`)
    if (given.by !== null && fieldOf(given.by) === 'people') throw refuseField('by must not be a trait.')
    const question = {
      ...given,
      property: measure.needsProperty ? given.property : null,
      event: measure.of === 'events' ? given.event : null,
    }
    const rows = counted(question, measure)
    if (given.interval !== null) return byTime(question, measure, rows)
    if (given.by !== null) return byValue(question, measure, rows)
    return sql`SELECT ${measure.figure} AS figure
FROM (
${rows}
)`
  },
})

const breakdown = answer({
  name: 'breakdown',
  about: 'The values of a property of an event, with people and events.',
  parameters: {
    ...scope,
    event: optional(text('An event or a path. Without it: any event.')),
    property: text('Its property, such as plan or $utm_source.'),
  },
  columns: ['value', 'people', 'events'],
  example: { property: '$utm_source' },
  sql(given, fewest) {
    const { event, property } = given
    const isTold = when(fewest, sql`people >= ${fewest ?? null}`)
    if (given.where.length === 0)
      return sql`SELECT value, people, events
FROM analytics.breakdown(${event}, ${property}, ${choiceOf(given, given)})${when(fewest, sql`\nWHERE ${isTold}`)}
ORDER BY events DESC, value`
    const column = property.slice(1)
    const hasColumn = property.startsWith('$') && ['events', 'both'].includes(fieldOf(column) ?? '')
    return sql`SELECT ${fieldSql(hasColumn ? column : `prop.${property}`)} AS value,
  count(DISTINCT person_id) AS people, count(*) AS events
FROM analytics.events
WHERE ${segmentOf(given, ...(event === null ? [] : [isNamed(event)]))}
GROUP BY value${when(fewest, sql`\nHAVING ${isTold}`)}
ORDER BY events DESC, value`
  },
})

const sessionColumns =
  'channel referrer_host utm_source utm_medium utm_campaign entry exit browser os device country language screen_class'

const sessions = answer({
  name: 'sessions',
  about: 'Visits told apart by a column: how many, by how many people, bounce rate, pages and seconds.',
  parameters: { ...scope, by: oneOf('What the sessions are told apart by.', sessionColumns.split(' ')) },
  columns: ['channel', 'sessions', 'people', 'bounce_rate', 'pages', 'seconds'],
  example: { by: 'channel' },
  sql: (
    given,
    fewest,
  ) => sql`SELECT ${identifier(given.by)}, count(*) AS sessions, count(DISTINCT person_id) AS people,
  avg(bounced::INTEGER) AS bounce_rate, avg(page_views) AS pages, median(duration_seconds) AS seconds
FROM ${sessionsOf(given, given)}${whereAll(sessionConditions(given, given))}
GROUP BY 1${when(fewest, sql`\nHAVING people >= ${fewest ?? null}`)}
ORDER BY sessions DESC, 1`,
})

export const exploring = [explore, breakdown, sessions]
