import { answer } from './Answer.js'
import {
  conditionsOfEvents,
  eventsIn,
  isNamed,
  personConditions,
  sessionConditions,
  sessionsOf,
} from './conditions.js'
import { fieldOf, fieldSql } from './fields.js'
import { field, flag, optional, type Scope, scope, text } from './Parameter.js'
import { and, type Sql, sql, when, whereAll } from './sql.js'

const most = 300
/** The more events are looked at, the rarer the properties that are found. */
const mostEvents = 5000

const segment = (asked: Scope, ...more: Sql[]) =>
  and([...eventsIn(asked, asked), ...conditionsOfEvents(asked, asked), ...more])

const seenPaths = (asked: Scope) => sql`SELECT path AS name, count(*) AS times
  FROM analytics.events
  WHERE ${segment(asked, sql`event = '$pageview'`, sql`path IS NOT NULL`)}
  GROUP BY ALL ORDER BY times DESC, name LIMIT ${most}`

const pathChoices = answer({
  name: 'path_choices',
  about: 'The paths that were viewed, the most frequent first.',
  parameters: { ...scope },
  columns: ['name', 'times'],
  isForGuests: true,
  sql: (given) => sql`SELECT name, times FROM (
  ${seenPaths(given)}
)
ORDER BY times DESC, name`,
})

const eventChoices = answer({
  name: 'event_choices',
  about: 'The names of events, and then the paths that were viewed; the most frequent first.',
  parameters: { ...scope },
  columns: ['name', 'times'],
  isForGuests: true,
  sql: (given) => sql`SELECT name, times FROM (
SELECT name, times FROM (
  SELECT event AS name, count(*) AS times
  FROM analytics.events
  WHERE ${segment(given, sql`NOT starts_with(event, '/')`)}
  GROUP BY ALL ORDER BY times DESC, name LIMIT ${most}
)
UNION ALL
SELECT name, times FROM (
  ${seenPaths(given)}
)
)
ORDER BY starts_with(name, '/'), times DESC, name`,
})

const propertyChoices = answer({
  name: 'property_choices',
  about: 'The properties of some events, the most frequent first.',
  parameters: {
    ...scope,
    event: optional(text('Only of events of this name or, from / on, of views of this path.')),
    numbers: flag('Only those with numbers.'),
  },
  columns: ['name', 'times'],
  sql: (given) => sql`SELECT name, count(*) AS times
FROM (
  SELECT properties, unnest(json_keys(properties)) AS name
  FROM (
    SELECT properties
    FROM analytics.events
    WHERE ${segment(given, ...(given.event === null ? [] : [isNamed(given.event)]))}
    LIMIT ${mostEvents}
  )
)${when(given.numbers, sql`\nWHERE analytics.prop_number(properties, name) IS NOT NULL`)}
GROUP BY name
ORDER BY times DESC, name
LIMIT 200`,
})

const valueChoices = answer({
  name: 'value_choices',
  about: 'The values of a field, the most frequent first.',
  parameters: { ...scope, field: field('Whose values.') },
  columns: ['value', 'times'],
  example: { field: 'browser' },
  isForGuests: true,
  sql(given) {
    const of = fieldOf(given.field)
    const source =
      of === 'people'
        ? sql`analytics.persons WHERE ${and([sql`environment = ${given.environment}`, ...personConditions(given, given)])}`
        : of === 'sessions'
          ? sql`${sessionsOf(given, given)}${whereAll(sessionConditions(given, given))}`
          : sql`analytics.events WHERE ${segment(given)}`
    return sql`SELECT value, count(*) AS times
FROM (SELECT ${fieldSql(given.field)} AS value FROM ${source})
WHERE value IS NOT NULL
GROUP BY value
ORDER BY times DESC, value
LIMIT ${most}`
  },
})

/** The people of a segment. */
const isOfSegment = (asked: Scope) => sql`person_id IN (
  SELECT person_id FROM analytics.persons WHERE ${and([sql`environment = ${asked.environment}`, ...personConditions(asked, asked)])})`

const traitChoices = answer({
  name: 'trait_choices',
  about: 'The traits of people, the most frequent first.',
  parameters: { ...scope },
  columns: ['name', 'times'],
  sql: (given) => sql`SELECT name, count(*) AS times
FROM analytics.identity_traits
WHERE environment = ${given.environment}${when(given.where.length > 0, sql` AND ${isOfSegment(given)}`)}
GROUP BY name
ORDER BY times DESC, name
LIMIT 200`,
})

export const choices = [pathChoices, eventChoices, propertyChoices, traitChoices, valueChoices]
