import { type Asking, eventsIn, personConditions, where } from '../../data/conditions'
import { personName } from '../../data/personName'
import { joinSql, type Sql, sql } from '../../data/sql'
import { choiceSql, type EventChoice } from './eventChoice'
import type { KnownPerson } from './readPerson'

const columns = {
  person: sql`lower(name)`,
  traits: sql`len(json_keys(traits))`,
  ids: sql`ids`,
  events: sql`events`,
  first: sql`first_seen`,
  last: sql`last_seen`,
}

/** What the list is sorted by. */
export interface Order {
  by: keyof typeof columns
  isDescending: boolean
}

/** `events` or `-events`, which is descending. The usual order has who was seen last first. */
export function readOrder(text: string | null): Order {
  const name = text?.replace(/^-/, '') ?? ''
  const by = (Object.keys(columns) as Order['by'][]).find((each) => each === name)
  return by ? { by, isDescending: text !== by } : { by: 'last', isDescending: true }
}

/** Whether an id, a session or a device is, or an id or trait contains, what is looked for. */
function fits(environment: string, text: string): Sql {
  const inEnvironment = sql`environment = ${environment}`
  const part = (column: Sql) => sql`contains(lower(${column}), lower(${text}))`
  return sql`(list_bool_or(list_transform(distinct_ids, lambda id: ${part(sql`id`)}))
    OR person_id IN (SELECT person_id FROM analytics.identity_traits WHERE ${inEnvironment} AND ${part(sql`value->>'$'`)})
    OR person_id IN (
      SELECT person_id FROM analytics.events WHERE ${inEnvironment} AND (session_id = ${text} OR device_id = ${text})))`
}

/** Who has an event in the time, or is known by traits alone that were sent in it. */
const isSeen = ({ from, until }: Asking['range']): Sql =>
  sql`(c.events > 0 OR p.events = 0 AND last_seen >= ${from} AND last_seen < ${until})`

interface Looked {
  /** Empty: whoever was seen in the time. Else whoever fits, at any time. */
  text: string
  order: Order
  limit: number
}

/** `[person_id, name, ids, traits, events in the time, first_seen, last_seen]` */
export const findPersons = (asking: Asking, { text, order, limit }: Looked): Sql => sql`SELECT *
FROM (
  SELECT person_id, ${personName(sql`traits`, sql`person_id`)} AS name, len(distinct_ids) AS ids, traits,
    coalesce(c.events, 0) AS events, first_seen, last_seen
  FROM analytics.persons p
  LEFT JOIN (
    SELECT person_id, count(*) AS events
    FROM analytics.events
    WHERE ${joinSql(eventsIn(asking, asking.range), ' AND ')}
    GROUP BY person_id
  ) c USING (person_id)${where([
    sql`environment = ${asking.environment}`,
    text ? fits(asking.environment, text) : isSeen(asking.range),
    ...personConditions(asking, asking.range),
  ])}
)
ORDER BY ${columns[order.by]} ${order.isDescending ? sql`DESC` : sql`ASC`}, last_seen DESC, person_id
LIMIT ${limit}`

/** The person that an id belongs to by now. */
export const onePerson = (environment: string, id: string): Sql => sql`SELECT person_id,
  ${personName(sql`traits`, sql`person_id`)} AS name, traits, events, first_seen, last_seen, distinct_ids
FROM analytics.persons
WHERE environment = ${environment} AND (person_id = ${id} OR list_contains(distinct_ids, ${id}))
ORDER BY person_id = ${id} DESC
LIMIT 1`

/** More ids than that are not written into a statement. */
const mostIds = 500

/** The condition for the events of a person. By the person's ids all others are passed over at once. */
function isOfPerson(environment: string, { personId, ids }: Pick<KnownPerson, 'personId' | 'ids'>): Sql {
  const list = joinSql(
    ids.map((id) => sql`${id}`),
    ', ',
  )
  const byId = sql`\n  AND coalesce(distinct_id, anonymous_id) IN (${list})`
  return sql`environment = ${environment} AND person_id = ${personId}${ids.length > 0 && ids.length <= mostIds ? byId : sql``}`
}

/** `[event, times]`: the names of a person's events, the most frequent first. */
export const personEventNames = (
  environment: string,
  person: Pick<KnownPerson, 'personId' | 'ids'>,
): Sql => sql`SELECT event, count(*) AS times
FROM analytics.events
WHERE ${isOfPerson(environment, person)}
GROUP BY event
ORDER BY times DESC, event
LIMIT 200`

/** The events of a person that are chosen, the newest first. */
export function personEvents(
  environment: string,
  person: Pick<KnownPerson, 'personId' | 'ids'>,
  { choice, limit }: { choice: EventChoice; limit: number },
): Sql {
  const chosen = choiceSql(choice)
  return sql`SELECT
  event_id, "timestamp", event, session_id, url, referrer, utm_source, utm_medium, utm_campaign, browser, os, device,
  bot, properties
FROM analytics.events
WHERE ${isOfPerson(environment, person)}${chosen ? sql`\n  AND ${chosen}` : sql``}
ORDER BY "timestamp" DESC, event_id DESC
LIMIT ${limit}`
}
