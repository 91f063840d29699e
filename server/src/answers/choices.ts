import { answer } from './Answer.js'
import { isNamed, personConditions, segmentOf, sessionConditions, sessionsOf } from './conditions.js'
import { nameSql, spellings } from './spellings.js'
import { field, fieldOf, fieldSql, flag, optional, type Scope, scope, text } from './Parameter.js'
import { and, joinSql, none, type Sql, sql, when, whereAll } from './sql.js'

const most = 300
/** The more events are looked at, the rarer the properties that are found: whoever looks for one waits for more. */
const mostEvents = { listed: 5000, searched: 50_000 }

const search = optional(text('Only those that contain this or, in `value_choices`, are like it.'))

/** A condition for a name that contains what is looked for. */
const hasPart = (name: Sql, sought: string | null): Sql[] =>
  sought === null ? [] : [sql`contains(lower(${name}), lower(${sought}))`]

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
  SELECT person_id, properties FROM analytics.events WHERE ${segmentOf(given, sql`event = ${given.event}`)}
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

type Choosing = Scope & { search: string | null }

const seenPaths = (asked: Choosing) => sql`SELECT path AS name, count(*) AS times
  FROM analytics.events
  WHERE ${segmentOf(asked, sql`event = '$pageview'`, sql`path IS NOT NULL`, ...hasPart(sql`path`, asked.search))}
  GROUP BY ALL ORDER BY times DESC, name LIMIT ${most}`

const pathChoices = answer({
  name: 'path_choices',
  about: 'The paths that were viewed, the most frequent first.',
  parameters: { ...scope, search },
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
  parameters: { ...scope, search },
  columns: ['name', 'times'],
  isForGuests: true,
  sql: (given) => sql`SELECT name, times FROM (
SELECT name, times FROM (
  SELECT event AS name, count(*) AS times
  FROM analytics.events
  WHERE ${segmentOf(given, sql`NOT starts_with(event, '/')`, ...hasPart(sql`event`, given.search))}
  GROUP BY ALL ORDER BY times DESC, name LIMIT ${most}
)
UNION ALL
SELECT name, times FROM (
  ${seenPaths(given)}
)
)
ORDER BY starts_with(name, '/'), times DESC, name`,
})

/** Properties that the service or its plugins add to events, which few want to tell apart. */
const isAdded = sql`(starts_with(name, '$') OR name IN ('insert_id', 'stack'))`

const propertyChoices = answer({
  name: 'property_choices',
  about:
    'The properties of some events, the most frequent first, and last those that are added by themselves.',
  parameters: {
    ...scope,
    event: optional(text('Only of events of this name or, from / on, of views of this path.')),
    numbers: flag('Only those with numbers.'),
    search,
  },
  columns: ['name', 'times'],
  sql: (given) => sql`SELECT name, count(*) AS times
FROM (
  SELECT properties, unnest(json_keys(properties)) AS name
  FROM (
    SELECT properties
    FROM analytics.events
    WHERE ${segmentOf(given, ...(given.event === null ? [] : [isNamed(given.event)]))}
    LIMIT ${given.search === null ? mostEvents.listed : mostEvents.searched}
  )
)${whereAll([...hasPart(sql`name`, given.search), ...(given.numbers ? [sql`analytics.prop_number(properties, name) IS NOT NULL`] : [])])}
GROUP BY name
ORDER BY ${isAdded}, times DESC, name
LIMIT 200`,
})

/** The people of a segment. */
const peopleOf = (asked: Scope) =>
  sql`analytics.persons WHERE ${and([sql`environment = ${asked.environment}`, ...personConditions(asked, asked)])}`

/** The less alike two texts are, the more often one is not what was meant with the other. */
const leastLikeness = 0.8

/** Values that are, begin with, contain or are like what is looked for, as they are stored or shown. */
const alike = (named: string, sought: string): { isIt: Sql; condition: Sql; order: Sql } => {
  const shown = sql`lower(coalesce(${nameSql(named, sql`value`) ?? sql`NULL`}, value))`
  const wanted = sql`lower(${sought})`
  const likeness = sql`jaro_winkler_similarity(${shown}, ${wanted})`
  const isIt = sql`(${shown} = ${wanted} OR lower(value) IN (${joinSql(spellings(named, sought), ', ')}))`
  const has = sql`contains(${shown}, ${wanted})`
  return {
    isIt,
    condition: sql`(${isIt} OR ${has} OR ${likeness} >= ${leastLikeness})`,
    order: sql`${isIt} DESC, starts_with(${shown}, ${wanted}) DESC, ${has} DESC, CASE WHEN NOT ${has} THEN ${likeness} END DESC, `,
  }
}

const valueChoices = answer({
  name: 'value_choices',
  about: 'The values of a field, the most frequent first; with `search` those that are most like it.',
  parameters: { ...scope, field: field('Whose values.'), search },
  columns: ['value', 'times'],
  example: { field: 'browser' },
  isForGuests: true,
  sql(given) {
    const of = fieldOf(given.field)
    const source =
      of === 'people'
        ? peopleOf(given)
        : of === 'sessions'
          ? sql`${sessionsOf(given, given)}${whereAll(sessionConditions(given, given))}`
          : sql`analytics.events WHERE ${segmentOf(given)}`
    const { isIt, condition, order } =
      given.search === null ? { isIt: none, condition: none, order: none } : alike(given.field, given.search)
    return sql`SELECT value, count(*) AS times${when(given.search !== null, sql`, ${isIt} AS is_it`)}
FROM (SELECT ${fieldSql(given.field)} AS value FROM ${source})
WHERE value IS NOT NULL
GROUP BY value${when(given.search !== null, sql`\nHAVING ${condition}`)}
ORDER BY ${order}times DESC, value
LIMIT ${most}`
  },
})

const traitChoices = answer({
  name: 'trait_choices',
  about: 'The traits of people, the most frequent first.',
  parameters: { ...scope, search },
  columns: ['name', 'times'],
  sql: (given) => sql`SELECT name, count(*) AS times
FROM analytics.identity_traits
WHERE ${and([sql`environment = ${given.environment}`, ...hasPart(sql`name`, given.search), ...(given.where.length > 0 ? [sql`person_id IN (SELECT person_id FROM ${peopleOf(given)})`] : [])])}
GROUP BY name
ORDER BY times DESC, name
LIMIT 200`,
})

export const choices = [
  ...[events, properties],
  ...[pathChoices, eventChoices, propertyChoices, traitChoices, valueChoices],
]
