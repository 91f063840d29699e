import { and, type Asking, conditionsByEventId, eventsIn } from '../../data/conditions'
import { type Field, fieldOf, fieldSql } from '../../data/fields'
import { type Sql, sql } from '../../data/sql'

export const mostErrors = 100
/** What errors are counted by, on the card “Where”. */
export const places = ['release', 'path', 'browser', 'os', 'device'].map(fieldOf)
const newest = 10
/** The parts of the time whose counts make the small picture of a trend. */
export const trendParts = 24

const caught = (asking: Asking): Sql =>
  sql`analytics.errors\nWHERE ${and([...eventsIn(asking, asking.range), ...conditionsByEventId(asking)])}`

/**
 * `[message, name, times, people, first_release, last_release, last_seen, trend]`. The first release is that of the
 * first time ever, the last one that of the last time in the range.
 */
export function errors(asking: Asking): Sql {
  const { range, environment } = asking
  const part = (range.until.getTime() - range.from.getTime()) / 1000 / trendParts
  return sql`WITH caught AS (
  SELECT message, name, person_id, release, "timestamp",
    floor((epoch("timestamp") - epoch(${range.from})) / ${part})::INTEGER AS part
  FROM ${caught(asking)}
), ever AS (
  SELECT message, name, arg_min(release, "timestamp") AS first_release
  FROM analytics.errors
  WHERE environment = ${environment} AND "timestamp" < ${range.until}
  GROUP BY message, name
), parts AS (
  SELECT message, name, json_group_object(part, times) AS trend
  FROM (SELECT message, name, part, count(*) AS times FROM caught GROUP BY message, name, part)
  GROUP BY message, name
), found AS (
  SELECT message, name, count(*) AS times, count(DISTINCT person_id) AS people,
    arg_max(release, "timestamp") AS last_release, max("timestamp") AS last_seen
  FROM caught
  GROUP BY message, name
  ORDER BY times DESC, message, name
  LIMIT ${mostErrors}
)
SELECT f.message, f.name, f.times, f.people, e.first_release, f.last_release, f.last_seen, p.trend
FROM found f
LEFT JOIN ever e ON e.message IS NOT DISTINCT FROM f.message AND e.name IS NOT DISTINCT FROM f.name
LEFT JOIN parts p ON p.message IS NOT DISTINCT FROM f.message AND p.name IS NOT DISTINCT FROM f.name
ORDER BY f.times DESC, f.message, f.name`
}

/** `[time, errors, people]` */
export const byTime = (
  asking: Asking,
): Sql => sql`SELECT date_trunc(${asking.range.unit}, "timestamp") AS "time",
  count(*) AS errors, count(DISTINCT person_id) AS people
FROM ${caught(asking)}
GROUP BY ALL
ORDER BY "time"`

/** `[value, times, people]` */
export const byValue = (
  asking: Asking,
  field: Field,
): Sql => sql`SELECT ${fieldSql(field)} AS value, count(*) AS times, count(DISTINCT person_id) AS people
FROM ${caught(asking)}
GROUP BY ALL
ORDER BY times DESC, value
LIMIT 50`

/** `[timestamp, name, message, path, browser, release, person_id, stack, event_id]` */
export const newestErrors = (
  asking: Asking,
): Sql => sql`SELECT "timestamp", name, message, path, browser, release, person_id, stack, event_id
FROM ${caught(asking)}
ORDER BY "timestamp" DESC, event_id DESC
LIMIT ${newest}`
