import { answer } from './Answer.js'
import { choiceOf, isNamed, segmentOf, sessionConditions, sessionsOf } from './conditions.js'
import { fieldOf, fieldSql } from './fields.js'
import { oneOf, optional, scope, text } from './Parameter.js'
import { and, identifier, sql, when, whereAll } from './sql.js'

const events = answer({
  name: 'events',
  about: 'The events that were recorded: name, how often, how many people, first and last time.',
  parameters: { ...scope },
  columns: ['event', 'events', 'people', 'first', 'last'],
  sql: (given, fewest) => sql`SELECT event, count(*) AS events, count(DISTINCT person_id) AS people,
  min("timestamp") AS first, max("timestamp") AS last
FROM analytics.events
WHERE ${segmentOf(given)}
GROUP BY event${when(fewest, sql`\nHAVING people >= ${fewest ?? null}`)}
ORDER BY events DESC, event`,
})

const properties = answer({
  name: 'properties',
  about: 'The properties that an event carries: how many events have each, and values as examples.',
  parameters: { ...scope, event: text('The name of an event.') },
  columns: ['property', 'events', 'examples'],
  example: { event: 'Order Placed' },
  sql: (given, fewest = 1) => sql`WITH chosen AS (
  SELECT person_id, properties FROM analytics.events WHERE event = ${given.event} AND ${segmentOf(given)}
), named AS (
  SELECT person_id, properties, unnest(json_keys(properties)) AS property FROM chosen
), valued AS (
  SELECT property, analytics.prop(properties, property) AS value, count(*) AS events,
    count(DISTINCT person_id) AS people
  FROM named GROUP BY ALL
)
SELECT property, sum(events)::BIGINT AS events,
  list(left(value, 80) ORDER BY events DESC, value) FILTER (people >= ${fewest})[1:3] AS examples
FROM valued
SEMI JOIN (
  SELECT property FROM named GROUP BY ALL HAVING count(DISTINCT person_id) >= ${fewest}
) USING (property)
GROUP BY property
ORDER BY events DESC, property`,
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
WHERE ${and([segmentOf(given), ...(event === null ? [] : [isNamed(event)])])}
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

export const ofEvents = [events, properties, breakdown, sessions]
