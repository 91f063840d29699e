import { isNamed } from '../../data/choices'
import {
  and,
  type Asking,
  conditionsOfEvents,
  eventsIn,
  sessionConditions,
  sessionsOf,
  where,
} from '../../data/conditions'
import { type Field, fieldSql } from '../../data/fields'
import { joinSql, type Sql, sql } from '../../data/sql'
import type { Question } from './exploreSearch'

/** More lines cannot be told apart. */
export const mostLines = 6
export const mostValues = 50

const none: readonly Sql[] = []

/** The value of each session of a field that only sessions have, or that only events have. */
function valuesBySession(asking: Asking, field: Field): Sql {
  const column = sql`SELECT DISTINCT session_id, ${fieldSql(field)} AS value`
  if (field.of === 'sessions') return sql`(${column} FROM ${sessionsOf(asking, asking.range)})`
  return sql`(${column} FROM analytics.events WHERE ${and(eventsIn(asking, asking.range))})`
}

/** The rows that are counted, with the time and the value that they count for. */
function counted(asking: Asking, { measure, property, event, by, interval }: Question): Sql {
  const { range } = asking
  const isOfEvents = measure.of === 'events'
  const isOwn = by === undefined || by.of === 'both' || by.of === measure.of
  const moment = isOfEvents ? sql`"timestamp"` : sql`started_at`
  const columns = isOfEvents
    ? [
        sql`person_id`,
        sql`session_id`,
        ...(property === undefined ? none : [sql`analytics.prop_number(properties, ${property}) AS number`]),
      ]
    : [sql`bounced`, sql`page_views`, sql`engaged_seconds`, sql`duration_seconds`]
  const list = [
    ...(interval ? [sql`date_trunc(${interval}, ${moment}) AS "time"`] : none),
    ...(by ? [isOwn ? sql`${fieldSql(by)} AS value` : sql`value`] : none),
    ...columns,
  ]
  const source = isOfEvents ? sql`analytics.events` : sessionsOf(asking, range)
  const joined =
    by && !isOwn ? sql`${source}\nJOIN ${valuesBySession(asking, by)} USING (session_id)` : source
  const conditions = isOfEvents
    ? [
        ...eventsIn(asking, range),
        ...(event ? [isNamed(event)] : none),
        ...conditionsOfEvents(asking, range),
        ...(property === undefined ? none : [sql`number IS NOT NULL`]),
      ]
    : sessionConditions(asking, range)
  return sql`SELECT ${joinSql(list, ', ')}\nFROM ${joined}${where(conditions)}`
}

/** One row: the figure in all. */
const inAll = (rows: Sql, { measure }: Question) => sql`SELECT ${measure.figure} AS figure
FROM (
${rows}
)`

const order = ({ isHighestFirst, measure }: Question) =>
  isHighestFirst || measure.isCount ? sql`figure DESC NULLS LAST, "rows" DESC` : sql`"rows" DESC`

/** `[value, figure, rows]`, and for people their traits. */
function byValue(asking: Asking, rows: Sql, question: Question): Sql {
  const { measure, by } = question
  const values = sql`SELECT value, ${measure.figure} AS figure, count(*) AS "rows"
FROM (
${rows}
)
GROUP BY value
ORDER BY ${order(question)}, value
LIMIT ${mostValues}`
  if (by?.name !== 'person_id') return values
  return sql`SELECT value, figure, "rows", traits
FROM (
${values}
)
LEFT JOIN (
  SELECT person_id AS value, traits FROM analytics.persons WHERE environment = ${asking.environment}
) USING (value)
ORDER BY ${order(question)}, value`
}

/** `[time, figure]`, or `[time, figure, value]` of the values with most rows. */
function byTime(rows: Sql, { measure, by }: Question): Sql {
  if (!by)
    return sql`SELECT "time", ${measure.figure} AS figure
FROM (
${rows}
)
GROUP BY "time"
ORDER BY "time"`
  return sql`WITH counted AS (
${rows}
), top AS (
  SELECT value, count(*) AS "rows" FROM counted GROUP BY value ORDER BY "rows" DESC, value LIMIT ${mostLines}
)
SELECT c."time", ${measure.figure} AS figure, c.value
FROM counted c JOIN top ON top.value IS NOT DISTINCT FROM c.value
GROUP BY c."time", c.value, top."rows"
ORDER BY top."rows" DESC, c.value, c."time"`
}

/** What answers a question; `undefined` while its property is not chosen. */
export function explore(asking: Asking, question: Question): Sql | undefined {
  if (question.measure.needsProperty && question.property === undefined) return undefined
  const rows = counted(asking, question)
  if (question.interval) return byTime(rows, question)
  return question.by ? byValue(asking, rows, question) : inAll(rows, question)
}
