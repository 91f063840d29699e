import { personName } from '../../data/personName'
import { joinSql, type Sql, sql } from '../../data/sql'

export interface LiveQuestion {
  environment: string
  bots: boolean
  /** Only events of this name. */
  event: string | null
}

const conditions = ({ environment, bots, event }: LiveQuestion, more: readonly Sql[]) =>
  joinSql(
    [
      sql`environment = ${environment}`,
      ...(bots ? [] : [sql`bot IS NULL`]),
      ...(event === null ? [] : [sql`event = ${event}`]),
      ...more,
    ],
    ' AND ',
  )

/**
 * How far back the newest events are looked for, one after the other until there are enough: of many months the last
 * hour alone is read at once.
 */
export const reaches = ['1 hour', '1 day', '30 days', 'ever'] as const
export type Reach = (typeof reaches)[number]

/** Those of a reach, or those that came after an event. */
type Since = Reach | { after: number }

const isSince = (since: Since): readonly Sql[] => {
  if (typeof since !== 'string') return [sql`event_id > ${since.after}`]
  return since === 'ever' ? [] : [sql`received_at >= now() - INTERVAL ${since}`]
}

/** The newest events, the newest first. */
export const newestEvents = (question: LiveQuestion, limit: number, since: Since): Sql => sql`WITH newest AS (
  SELECT event_id, environment, "timestamp", received_at, event, person_id, path, properties
  FROM analytics.events
  WHERE ${conditions(question, isSince(since))}
  ORDER BY event_id DESC
  LIMIT ${limit}
)
SELECT event_id, "timestamp", received_at, event, person_id,
  ${personName(sql`p.traits`, sql`person_id`)} AS name, path, properties
FROM newest LEFT JOIN analytics.persons p USING (environment, person_id)
ORDER BY event_id DESC`

/** People and events of each of the last minutes. */
export const lastMinutes = (question: LiveQuestion, minutes: number): Sql => sql`SELECT
  date_trunc('minute', "timestamp") AS minute, count(*) AS events, count(DISTINCT person_id) AS people
FROM analytics.events
WHERE ${conditions(question, [
  sql`"timestamp" >= date_trunc('minute', now()) - to_minutes(${minutes - 1})`,
  sql`"timestamp" <= now()`,
])}
GROUP BY ALL
ORDER BY 1`
