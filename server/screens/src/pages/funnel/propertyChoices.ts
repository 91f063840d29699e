import { type Sql, sql } from '../../data/sql'
import { type Asking, isStep } from './statements'

/** The more events are looked at, the rarer the properties that are found. */
const mostEvents = 5000

/** The properties of the newest events of the first step, the most frequent first. */
export const propertyChoices = ({
  steps,
  environment,
  range,
}: Asking): Sql => sql`SELECT name, count(*) AS times
FROM (
  SELECT unnest(json_keys(properties)) AS name
  FROM (
    SELECT properties
    FROM analytics.events
    WHERE environment = ${environment} AND ${isStep(steps[0] ?? '')}
      AND "timestamp" >= ${range.from} AND "timestamp" < ${range.until}
    LIMIT ${mostEvents}
  )
)
GROUP BY name
ORDER BY times DESC, name
LIMIT 200`
