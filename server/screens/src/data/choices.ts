import type { Scope } from '../shell/scope'
import { type Asking as AskingAll, eventsIn, sessionsOf } from './conditions'
import { type Field, fieldSql } from './fields'
import { joinSql, type Sql, sql } from './sql'

type Asking = Pick<Scope, 'environment' | 'bots' | 'range' | 'timeZone'>

const most = 300
/** The more events are looked at, the rarer the properties that are found. */
const mostEvents = 5000

const all = (asking: Asking): AskingAll => ({ ...asking, filters: [] })
const conditions = (asking: Asking, ...more: Sql[]) =>
  joinSql([...eventsIn(all(asking), asking.range), ...more], ' AND ')

/** Whether an event is the one that is named, or the view of the path. */
export const isNamed = (name: string): Sql =>
  name.startsWith('/') ? sql`event = '$pageview' AND path = ${name}` : sql`event = ${name}`

const paths = (asking: Asking) => sql`SELECT path AS name, count(*) AS times
  FROM analytics.page_views
  WHERE ${conditions(asking, sql`path IS NOT NULL`)}
  GROUP BY ALL ORDER BY times DESC, name LIMIT ${most}`

/** The paths that were viewed, the most frequent first. */
export const pathChoices = (asking: Asking): Sql => sql`SELECT name, times FROM (
  ${paths(asking)}
)
ORDER BY times DESC, name`

/** The names of events, and then the paths that were viewed; the most frequent first. */
export const eventChoices = (asking: Asking): Sql => sql`SELECT name, times FROM (
SELECT name, times FROM (
  SELECT event AS name, count(*) AS times
  FROM analytics.events
  WHERE ${conditions(asking, sql`NOT starts_with(event, '/')`)}
  GROUP BY ALL ORDER BY times DESC, name LIMIT ${most}
)
UNION ALL
SELECT name, times FROM (
  ${paths(asking)}
)
)
ORDER BY starts_with(name, '/'), times DESC, name`

/** The properties of some events of the range, by default of any name, the most frequent first. */
export const propertyChoices = (
  asking: Asking,
  event = '',
  { isNumber = false } = {},
): Sql => sql`SELECT name, count(*) AS times
FROM (
  SELECT properties, unnest(json_keys(properties)) AS name
  FROM (
    SELECT properties
    FROM analytics.events
    WHERE ${conditions(asking, ...(event ? [isNamed(event)] : []))}
    LIMIT ${mostEvents}
  )
)${isNumber ? sql`\nWHERE analytics.prop_number(properties, name) IS NOT NULL` : sql``}
GROUP BY name
ORDER BY times DESC, name
LIMIT 200`

/** The traits of people of the environment, the most frequent first. */
export const traitChoices = ({ environment }: Asking): Sql => sql`SELECT name, count(*) AS times
FROM analytics.identity_traits
WHERE environment = ${environment}
GROUP BY name
ORDER BY times DESC, name
LIMIT 200`

/** The values of a field, the most frequent first. */
export const valueChoices = (asking: Asking, field: Field): Sql => {
  const sources = {
    sessions: sessionsOf(all(asking), asking.range),
    people: sql`analytics.persons WHERE environment = ${asking.environment}`,
  }
  const source =
    field.of === 'sessions' || field.of === 'people'
      ? sources[field.of]
      : sql`analytics.events WHERE ${conditions(asking)}`
  return sql`SELECT value, count(*) AS times
FROM (SELECT ${fieldSql(field)} AS value FROM ${source})
WHERE value IS NOT NULL
GROUP BY value
ORDER BY times DESC, value
LIMIT ${most}`
}
