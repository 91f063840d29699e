import type { Asking } from '../../data/conditions'
import { type Sql, sql } from '../../data/sql'

export const mostCrawlers = 50

/** Programs that read pages, by the verdicts that the service gives them (docs/api.md, "Bots"). DuckDB skips blocks without a verdict. */
const views = ({ environment, range }: Asking): Sql => sql`analytics.page_views
WHERE environment = ${environment} AND "timestamp" >= ${range.from} AND "timestamp" < ${range.until}
  AND bot IS NOT NULL AND regexp_matches(bot, '^(AI )?crawler')`

/** `[crawler, views, pages, last_seen]`; those with most views first. */
export const crawlers = (
  asking: Asking,
): Sql => sql`SELECT bot AS crawler, count(*) AS views, count(DISTINCT path) AS pages,
  max("timestamp") AS last_seen
FROM ${views(asking)}
GROUP BY ALL
ORDER BY views DESC, crawler
LIMIT ${mostCrawlers}`

/** `[path, views, last_seen]` of one crawler; the pages that it read most often first. */
export const crawledPages = (
  asking: Asking,
  crawler: string,
): Sql => sql`SELECT path, count(*) AS views, max("timestamp") AS last_seen
FROM ${views(asking)} AND bot = ${crawler}
GROUP BY ALL
ORDER BY views DESC, path
LIMIT ${mostCrawlers}`
