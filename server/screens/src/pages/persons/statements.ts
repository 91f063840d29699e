import { personName } from '../../data/personName'
import type { KnownPerson } from './readPerson'
import { joinSql, type Sql, sql } from '../../data/sql'

/** People whose id, session or device is, or whose ids or traits contain, what is looked for; the newest first. */
export function findPersons(environment: string, text: string, limit: number): Sql {
  const inEnvironment = sql`environment = ${environment}`
  const part = (column: Sql) => sql`contains(lower(${column}), lower(${text}))`
  const matches = text
    ? [
        sql`(list_bool_or(list_transform(distinct_ids, lambda id: ${part(sql`id`)}))
    OR person_id IN (SELECT person_id FROM analytics.identity_traits WHERE ${inEnvironment} AND ${part(sql`value->>'$'`)})
    OR person_id IN (
      SELECT person_id FROM analytics.events WHERE ${inEnvironment} AND (session_id = ${text} OR device_id = ${text})))`,
      ]
    : []
  return sql`SELECT person_id, ${personName(sql`traits`, sql`person_id`)} AS name, len(distinct_ids) AS ids, traits,
  events, first_seen, last_seen
FROM analytics.persons
WHERE ${joinSql([inEnvironment, ...matches], '\n  AND ')}
ORDER BY last_seen DESC, person_id
LIMIT ${limit}`
}

/** The person that an id belongs to by now. */
export const onePerson = (environment: string, id: string): Sql => sql`SELECT person_id,
  ${personName(sql`traits`, sql`person_id`)} AS name, traits, events, first_seen, last_seen, distinct_ids
FROM analytics.persons
WHERE environment = ${environment} AND (person_id = ${id} OR list_contains(distinct_ids, ${id}))
ORDER BY person_id = ${id} DESC
LIMIT 1`

/** More ids than that are not written into a statement. */
const mostIds = 500

/** The events of a person, the newest first. By the person's ids all others are passed over at once. */
export const personEvents = (
  environment: string,
  { personId, ids }: Pick<KnownPerson, 'personId' | 'ids'>,
  limit: number,
): Sql => {
  const list = joinSql(
    ids.map((id) => sql`${id}`),
    ', ',
  )
  const byId = sql`\n  AND coalesce(distinct_id, anonymous_id) IN (${list})`
  return sql`SELECT
  event_id, "timestamp", event, session_id, url, referrer, utm_source, utm_medium, utm_campaign, browser, os, device,
  bot, properties
FROM analytics.events
WHERE environment = ${environment} AND person_id = ${personId}${ids.length > 0 && ids.length <= mostIds ? byId : sql``}
ORDER BY "timestamp" DESC, event_id DESC
LIMIT ${limit}`
}
