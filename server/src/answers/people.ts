import { answer } from './Answer.js'
import { eventsIn, personConditions, personName, segmentOf } from './conditions.js'
import { count, flag, list, oneOf, optional, type Scope, scope, text, usually } from './Parameter.js'
import { isOfFigure, ofFigure } from './figures.js'
import { joinSql, type Sql, sql, when, whereAll } from './sql.js'

const columns = {
  person: sql`lower(name)`,
  traits: sql`len(json_keys(traits))`,
  ids: sql`ids`,
  events: sql`events`,
  first: sql`first_seen`,
  last: sql`last_seen`,
}

/** Whether an id, a session or a device is, or an id or trait contains, what is looked for. */
const fits = (environment: string, sought: string): Sql => {
  const inEnvironment = sql`environment = ${environment}`
  const part = (column: Sql) => sql`contains(lower(${column}), lower(${sought}))`
  return sql`(list_bool_or(list_transform(distinct_ids, lambda id: ${part(sql`id`)}))
    OR person_id IN (SELECT person_id FROM analytics.identity_traits WHERE ${inEnvironment} AND ${part(sql`value->>'$'`)})
    OR person_id IN (
      SELECT person_id FROM analytics.events WHERE ${inEnvironment} AND (session_id = ${sought} OR device_id = ${sought})))`
}

/** Who has an event in the time, or is known by traits alone that were sent in it. */
const isSeen = ({ from, until }: Scope): Sql => {
  const inTime = [
    sql`p.events = 0`,
    ...(from ? [sql`last_seen >= ${from}`] : []),
    ...(until ? [sql`last_seen < ${until}`] : []),
  ]
  return sql`(c.events > 0 OR ${joinSql(inTime, ' AND ')})`
}

const people = answer({
  name: 'people',
  about: 'Who was seen in the time or, with `search`, whoever fits at any time.',
  parameters: {
    ...scope,
    of: ofFigure,
    search: optional(text('A part of an id or trait, or the whole id of a session or device.')),
    order: usually(
      oneOf('What the rows are sorted by.', Object.keys(columns) as (keyof typeof columns)[]),
      'last',
    ),
    ascending: flag('The least first.'),
    most: usually(optional(count('How many; null: all.', 50, 100_000_000)), 50),
  },
  columns: ['person_id', 'name', 'ids', 'traits', 'events', 'first_seen', 'last_seen', 'people'],
  sql: (given) => sql`SELECT *, count(*) OVER () AS people
FROM (
  SELECT person_id, ${personName(sql`traits`, sql`person_id`)} AS name, len(distinct_ids) AS ids, traits,
    coalesce(c.events, 0) AS events, first_seen, last_seen
  FROM analytics.persons p
  LEFT JOIN (
    SELECT person_id, count(*) AS events
    FROM analytics.events
    WHERE ${joinSql(eventsIn(given, given), ' AND ')}
    GROUP BY person_id
  ) c USING (person_id)${whereAll([
    sql`environment = ${given.environment}`,
    ...(given.search === null ? [] : [fits(given.environment, given.search)]),
    ...(given.of
      ? [isOfFigure(given, given.of)]
      : [...(given.search === null ? [isSeen(given)] : []), ...personConditions(given, given)]),
  ])}
)
ORDER BY ${columns[given.order]} ${given.ascending ? sql`ASC` : sql`DESC`}, last_seen DESC, person_id
LIMIT ${given.most}`,
})

const { environment } = scope

const person = answer({
  name: 'person',
  about: 'The person that an id belongs to by now.',
  parameters: { environment, id: text('An id of the person.') },
  columns: ['person_id', 'name', 'traits', 'events', 'first_seen', 'last_seen', 'distinct_ids'],
  example: { id: 'user-1' },
  sql: (given) => sql`SELECT person_id,
  ${personName(sql`traits`, sql`person_id`)} AS name, traits, events, first_seen, last_seen, distinct_ids
FROM analytics.persons
WHERE environment = ${given.environment} AND (person_id = ${given.id} OR list_contains(distinct_ids, ${given.id}))
ORDER BY person_id = ${given.id} DESC
LIMIT 1`,
})

/** More ids than that are not written into a statement. */
const mostIds = 500

const ofPerson = {
  ...scope,
  // A person has whatever was done under its ids, whoever seemed to have done it.
  bots: usually(flag('Whether bots count.'), true),
  person: text('The person_id.'),
  ids: usually(
    list('All ids of the person: by these the events of others are passed over at once.', 0, 100_000),
    [],
  ),
}

/** The condition for the events of a person. */
const isOfPerson = (asked: Scope & { person: string; ids: readonly string[] }): Sql => {
  const { ids } = asked
  const known = joinSql(
    ids.map((id) => sql`${id}`),
    ', ',
  )
  return segmentOf(
    asked,
    sql`person_id = ${asked.person}`,
    ...(ids.length > 0 && ids.length <= mostIds
      ? [sql`coalesce(distinct_id, anonymous_id) IN (${known})`]
      : []),
  )
}

const personEvents = answer({
  name: 'person_events',
  about: 'The names of a person’s events, the most frequent first.',
  parameters: ofPerson,
  columns: ['event', 'times'],
  example: { person: 'user-1' },
  sql: (given) => sql`SELECT event, count(*) AS times
FROM analytics.events
WHERE ${isOfPerson(given)}
GROUP BY event
ORDER BY times DESC, event
LIMIT 200`,
})

const timelineColumns =
  'event_id timestamp event session_id url referrer utm_source utm_medium utm_campaign browser os device bot properties'

const timeline = answer({
  name: 'timeline',
  about: 'The events of a person, the newest first.',
  parameters: {
    ...ofPerson,
    events: usually(list('Only events of these names.', 0, 100), []),
    without: usually(list('No events of these names.', 0, 100), []),
    most: count('How many.', 200, 100_000),
  },
  columns: timelineColumns.split(' '),
  example: { person: 'user-1' },
  sql(given) {
    const namesOf = (names: readonly string[]) =>
      joinSql(
        names.map((name) => sql`${name}`),
        ', ',
      )
    return sql`SELECT
  event_id, "timestamp", event, session_id, url, referrer, utm_source, utm_medium, utm_campaign, browser, os, device,
  bot, properties
FROM analytics.events
WHERE ${isOfPerson(given)}${when(given.events.length > 0, sql`\n  AND event IN (${namesOf(given.events)})`)}${when(given.without.length > 0, sql`\n  AND NOT event IN (${namesOf(given.without)})`)}
ORDER BY "timestamp" DESC, event_id DESC
LIMIT ${given.most}`
  },
})

export const ofPeople = [people, person, personEvents, timeline]
