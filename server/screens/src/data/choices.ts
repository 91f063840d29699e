import type { Scope } from '../shell/scope'
import { type Sql, sql } from './sql'

type Asking = Pick<Scope, 'environment' | 'bots' | 'range'>

const most = 300

const conditions = ({ environment, bots, range }: Asking) => {
  const notBots = bots ? sql`` : sql` AND bot IS NULL`
  return sql`environment = ${environment} AND "timestamp" >= ${range.from} AND "timestamp" < ${range.until}${notBots}`
}

const paths = (asking: Asking) => sql`SELECT path AS name, count(*) AS times
  FROM analytics.page_views
  WHERE ${conditions(asking)} AND path IS NOT NULL
  GROUP BY ALL ORDER BY times DESC, name LIMIT ${most}`

/** The paths that were viewed, the most frequent first. */
export const pathChoices = (asking: Asking): Sql => sql`SELECT name, times FROM (
  ${paths(asking)}
)
ORDER BY times DESC, name`

/** The names of events, and then the paths that were viewed; the most frequent first. */
export const eventChoices = (asking: Asking): Sql => sql`SELECT name, times FROM (
SELECT name, times FROM (
  SELECT event AS name, count(*) AS times
  FROM analytics.events
  WHERE ${conditions(asking)} AND NOT starts_with(event, '/')
  GROUP BY ALL ORDER BY times DESC, name LIMIT ${most}
)
UNION ALL
SELECT name, times FROM (
  ${paths(asking)}
)
)
ORDER BY starts_with(name, '/'), times DESC, name`
