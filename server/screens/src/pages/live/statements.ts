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

/** The newest events, those that came after `after` only; the newest first. */
export const newestEvents = (
  question: LiveQuestion,
  limit: number,
  after?: number,
): Sql => sql`WITH newest AS (
  SELECT event_id, environment, "timestamp", received_at, event, person_id, path, properties
  FROM analytics.events
  WHERE ${conditions(question, after === undefined ? [] : [sql`event_id > ${after}`])}
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
