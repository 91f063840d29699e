import { answer } from './Answer.js'
import { choiceOf, isNamed, segmentOf, sessionConditions, sessionsOf } from './conditions.js'
import {
  bases,
  counted,
  figureOf,
  isSplit,
  measures,
  overDays,
  type Question,
  rowsOf,
  toQuestion,
} from './measures.js'
import {
  anonymous,
  before,
  count,
  field,
  fieldOf,
  fieldSql,
  flag,
  free,
  oneOf,
  optional,
  scope,
  text,
  timezone,
  usually,
} from './Parameter.js'
import { identifier, joinSql, none, type Sql, sql, when, whereAll } from './sql.js'

const mostFrequent = [sql`"rows" DESC`]
const highest = [sql`figure DESC NULLS LAST`, ...mostFrequent]

/** The values by their place. All behind the last that is told share the next one, and have no name; a single one has its own. */
const ranked = (asked: Question, order: readonly Sql[]): Sql => {
  const { most } = asked
  const figure = when(order === highest, sql`, ${figureOf(asked)} AS figure`)
  const sorted = joinSql([...order, sql`value`], ', ')
  if (!asked.rest && !isSplit(asked))
    return sql`SELECT value, value AS shown, 1 AS "values", 0 AS weight, row_number() OVER (ORDER BY ${sorted}) AS place
  FROM (
    SELECT value${figure}, ${rowsOf(asked)} AS "rows" FROM counted GROUP BY value ORDER BY ${sorted} LIMIT ${most}
  )`
  const currency = when(isSplit(asked), sql`, currency`)
  const apart = when(isSplit(asked), sql`PARTITION BY currency `)
  const isTold = sql`(place <= ${most} OR "values" = ${most + 1})`
  return sql`SELECT value${currency}, weight, least(place, ${most + 1}) AS place,
    CASE WHEN ${isTold} THEN value END AS shown, CASE WHEN ${isTold} THEN 1 ELSE "values" - ${most} END AS "values"
  FROM (
    SELECT value${currency}, row_number() OVER (${apart}ORDER BY ${sorted}) AS place,
      count(*) OVER (${apart}) AS "values", sum("rows") OVER (${apart}) AS weight
    FROM (SELECT value${currency}${figure}, ${rowsOf(asked)} AS "rows" FROM counted GROUP BY ALL)
  )${when(!asked.rest, sql` WHERE place <= ${most}`)}`
}

/** The figures of each value that is told, of the others together, and of each currency. */
const byRank = (asked: Question, order: readonly Sql[], figures: Sql): Sql => {
  const currency = when(isSplit(asked), sql`, c.currency`)
  const same = when(isSplit(asked), sql` AND r.currency IS NOT DISTINCT FROM c.currency`)
  const time = when(asked.interval, sql`, c."time"`)
  return sql`WITH counted AS (
${counted(asked)}
), ranked AS (
  ${ranked(asked, order)}
)
SELECT ${figures}${when(asked.rest, sql`, r."values"`)}${currency}
FROM counted c JOIN ranked r ON r.value IS NOT DISTINCT FROM c.value${same}
GROUP BY r.shown, r."values", r.place, r.weight${currency}${time}
ORDER BY r.weight DESC${currency}, r.place${time}`
}

/** `[value, figure, rows]`, and what is to be sorted by. */
const valuesOf = (asked: Question): { rows: Sql; order: readonly Sql[] } => {
  const { measure, most } = asked
  const isCount = measure.isCount === true && asked.per === null
  const order = asked.highest_first || isCount ? highest : mostFrequent
  const [figure, rows] = [figureOf(asked), rowsOf(asked)]
  if (asked.rest || isSplit(asked)) {
    const figures = sql`r.shown AS value, ${figure} AS figure, ${rows} AS "rows", r.weight, r.place`
    const currency = isSplit(asked) ? [sql`currency`] : []
    return { rows: byRank(asked, order, figures), order: [sql`weight DESC`, ...currency, sql`place`] }
  }
  const sorted = [...order, sql`value`]
  const rowsOfDays =
    measure.days &&
    sql`SELECT value, ${figure} AS figure, sum(people)::BIGINT AS "rows"
FROM ${overDays(asked, measure.days, most)}`
  return {
    rows: sql`${
      rowsOfDays ??
      sql`SELECT value, ${figure} AS figure, ${rows} AS "rows"
FROM (
${counted(asked)}
)`
    }
GROUP BY value
ORDER BY ${joinSql(sorted, ', ')}
LIMIT ${most}`,
    order: sorted,
  }
}

/** All values with their figures alone. */
const allValues = (asked: Question): Sql =>
  asked.measure.days
    ? sql`SELECT value, avg(figure) AS figure FROM ${overDays(asked, asked.measure.days, 1_000_000)} GROUP BY value`
    : sql`SELECT value${when(isSplit(asked), sql`, currency`)}, ${figureOf(asked)} AS figure FROM (
${counted(asked)}
) GROUP BY ALL`

/** `[value, figure, rows]`; then how many values the row is of, the currency, the figure before, and traits of people, where there are such. */
const byValue = (asked: Question, earlier: Question | undefined): Sql => {
  const { rows, order } = valuesOf(asked)
  const isRanked = asked.rest || isSplit(asked)
  const isOfPeople = asked.by === 'person_id'
  if (!isRanked && !earlier && !isOfPeople) return rows
  const is = (name: Sql) => sql`b.${name} IS NOT DISTINCT FROM n.${name}`
  const currency = when(isSplit(asked), sql` AND ${is(sql`currency`)}`)
  const single = when(asked.rest, sql` AND n."values" = 1`)
  const compared =
    earlier &&
    sql`
LEFT JOIN (
${allValues(earlier)}
) b ON ${is(sql`value`)}${currency}${single}`
  const traits = sql`
LEFT JOIN (
  SELECT person_id, traits FROM analytics.persons WHERE environment = ${asked.environment}
) p ON p.person_id = n.value`
  return sql`SELECT n.*${when(isRanked, sql` EXCLUDE (weight, place)`)}${when(earlier, sql`, b.figure AS before`)}${when(isOfPeople, sql`, traits`)}
FROM (
${rows}
) n${compared ?? none}${when(isOfPeople, traits)}
ORDER BY ${joinSql(
    order.map((each) => sql`n.${each}`),
    ', ',
  )}`
}

/** More lines cannot be told apart. */
const mostLines = 6

/** `[time, figure]`, or `[time, figure, value]` of the values with most rows or, where it is asked or a sum, the highest figure. */
const byTime = (asked: Question): Sql => {
  const { measure, value, property } = asked
  const isBySum = measure.isCount === true && property !== null && asked.per === null
  const order = asked.highest_first || isBySum ? highest : mostFrequent
  if (measure.days)
    return sql`SELECT "time", figure${when(value, sql`, value`)}
FROM ${overDays(asked, measure.days, mostLines)}
ORDER BY ${when(value, sql`sum(people) OVER (PARTITION BY value) DESC, value, `)}"time"`
  if (value !== null)
    return byRank(
      { ...asked, most: mostLines },
      order,
      sql`c."time", ${figureOf(asked)} AS figure, r.shown AS value`,
    )
  return sql`SELECT "time", ${figureOf(asked)} AS figure
FROM (
${counted(asked)}
)
GROUP BY "time"
ORDER BY "time"`
}

/** `[time, figure, period]`, of what is compared with behind the time. */
const byBothTimes = (asked: Question, earlier: Question): Sql => {
  const of = (name: string, each: Question) => sql`SELECT "time", figure, ${name} AS period FROM (
${byTime(each)}
)`
  return sql`${of('now', asked)}
UNION ALL
${of('before', earlier)}
ORDER BY period DESC, "time"`
}

const inAll = (asked: Question): Sql => sql`SELECT ${figureOf(asked)} AS figure
FROM ${
  asked.measure.days
    ? overDays(asked, asked.measure.days, 1)
    : sql`(
${counted(asked)}
)`
}`

const noneToGuests = (value: string | null, isOfGuest: boolean) =>
  value !== null && isOfGuest ? 'Guests may not ask for a property.' : undefined
const propertyName = (about: string) => ({ ...optional(text(about)), refuse: noneToGuests })

const intervals = ['hour', 'day', 'week', 'month', 'weekday', 'hour_of_day'] as const

const explore = answer({
  name: 'explore',
  about: 'A figure of events or sessions: in all, over time, or by the values of a field.',
  parameters: {
    ...scope,
    measure: usually(
      oneOf(
        'Which figure. Those from `bounce_rate` on are of sessions.',
        Object.keys(measures) as (keyof typeof measures)[],
      ),
      'events',
    ),
    property: propertyName('The property whose numbers `sum`, `average`, `median` and percentiles are of.'),
    event: optional(text('Only events of this name or, from / on, views of this path.')),
    per: optional(oneOf('What the figure is divided by.', Object.keys(bases) as (keyof typeof bases)[])),
    per_event: optional(text('The event, or path, that `per` is of. Without it: any event.')),
    currency: optional<string>({
      about: 'Only amounts in this currency, such as EUR; without `currency_property`, what all are in.',
      schema: { type: 'string', pattern: '^[A-Z]{3}$' },
    }),
    currency_property: propertyName(
      'The property that names the currency. Amounts in several are told apart, and never added.',
    ),
    by: optional(field('A row for each value of this field.')),
    interval: free(
      optional(
        oneOf(
          'A row for each of these; of a weekday from Monday as 1, of the hours of a day from 0.',
          intervals,
        ),
      ),
    ),
    highest_first: free(
      flag('Values with the highest figure first; else those with most events or sessions.'),
    ),
    most: count('How many values.', 50, 10_000),
    rest: free(
      flag('Also a row for all other values together, without a name; `values` is how many they are.'),
    ),
    before,
    anonymous,
    timezone,
  },
  columns: ['figure'],
  isForGuests: true,
  sql(given) {
    const asked = toQuestion(given)
    const earlier = given.before ? { ...asked, ...given.before } : undefined
    if (given.interval !== null) return earlier ? byBothTimes(asked, earlier) : byTime(asked)
    if (asked.value !== null) return byValue(asked, earlier)
    return earlier
      ? sql`SELECT n.figure, b.figure AS before
FROM (
${inAll(asked)}
) n, (
${inAll(earlier)}
) b`
      : inAll(asked)
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
