import type { DuckDBConnection } from '@duckdb/node-api'
import { momentSql } from '../duckdb/quote.js'

/** What makes a visit a suspect; docs/api.md has these numbers. */
const fewestPages = 30
const pageMs = 2000
const fewestAlike = 20
const leastShare = 0.9
const stayMs = 1000
/** A visit that has just begun may stay: it is judged once something has happened this much later. */
const openMs = 30 * 60_000

const fast = 'pages faster than people read'
const alike = 'many visits alike that end at once'
/** What the verdict of a visit begins with that is left out for its behaviour. */
export const suspectPrefix = 'suspect: '

const dayUs = 86_400_000_000
const hourMs = 3_600_000

/** The kind of what is saved under the name of an environment whose suspects are left out. */
export const exclusionKind = 'exclusion'

/**
 * A visit of one page and no stay tells nothing by itself: a bounce is the same. It is a suspect where most visits of a day
 * that look as it does are like it, while others of that day stay. No address is kept, so what stands for a place is what a
 * browser says of itself. Only pages send the size of a window: no server and, of most programs, no history is judged.
 */
const suspects = `
CREATE OR REPLACE VIEW analytics.raw.suspects AS
WITH seen AS NOT MATERIALIZED (
  SELECT s.session_key, s.environment, s.page_views, epoch_us(s.ended_at) - epoch_us(s.started_at) AS us,
    coalesce(s.visible_ms, 0) AS visible_ms, hash(s.environment, epoch_us(s.started_at) // ${dayUs}) AS day_key,
    hash(s.environment, epoch_us(s.started_at) // ${dayUs}, s.country, s.language, s.browser, s.os, s.viewport) AS place_key
  FROM analytics.raw.all_sessions s
  WHERE s.bot IS NULL AND s.viewport IS NOT NULL
    AND epoch_us(s.started_at) < (SELECT max(epoch_us(t.ended_at)) FROM analytics.raw.session_spans t) - ${1000 * openMs}
), visit AS NOT MATERIALIZED (
  SELECT v.*, v.page_views = 1 AND v.us < ${1000 * stayMs} AND v.visible_ms < ${stayMs} AS is_short FROM seen v
)
SELECT v.session_key, any_value(v.environment) AS environment, min(v.suspect) AS suspect FROM (
  SELECT f.session_key, f.environment, '${fast}' AS suspect FROM visit f
  WHERE f.page_views >= ${fewestPages} AND f.us < ${1000 * pageMs} * f.page_views
  UNION ALL
  SELECT a.session_key, a.environment, '${alike}' FROM visit a WHERE a.is_short AND a.place_key IN (
    SELECT p.place_key FROM visit p
    WHERE p.day_key IN (SELECT d.day_key FROM visit d WHERE d.visible_ms >= ${stayMs})
    GROUP BY p.place_key
    HAVING count(*) FILTER (p.is_short) >= greatest(${fewestAlike}, ${leastShare} * count(*)))
) v GROUP BY v.session_key;`

/** What answers read, with the verdict about suspects where they are left out. */
const marked = {
  marked_events: 'all_events',
  marked_timed_events: 'timed_events',
  marked_sessions: 'all_sessions',
  marked_spans: 'session_spans',
} as const

/**
 * The visits that are left out, with the verdict that they get. To judge visits takes longer than to answer, so it is done
 * once an hour; without a suspect there is a row without a visit, which says when that was.
 */
const leftOut = `
CREATE TABLE IF NOT EXISTS analytics.raw.left_out (session_key UBIGINT, bot VARCHAR, judged_at TIMESTAMPTZ);`

/** The views that answers read. As long as no suspects are left out, none are looked for. */
const markedViews = (isAnyLeftOut: boolean): string =>
  Object.entries(marked)
    .map(([name, source]) => {
      const rows = isAnyLeftOut
        ? `SELECT e.* REPLACE (coalesce(e.bot, q.bot) AS bot) FROM analytics.raw.${source} e
           LEFT JOIN (SELECT l.session_key, min(l.bot) AS bot FROM analytics.raw.left_out l GROUP BY l.session_key) q
             ON q.session_key = e.session_key`
        : `FROM analytics.raw.${source}`
      return `CREATE OR REPLACE VIEW analytics.raw.${name} AS ${rows};`
    })
    .join('\n')

export const suspectsSchema = leftOut + suspects

const excluded = `SELECT x.name FROM analytics.raw.saved x WHERE x.kind = '${exclusionKind}'`

const judge = async (connection: DuckDBConnection, atMs: number): Promise<void> => {
  await connection.run('DELETE FROM analytics.raw.left_out')
  await connection.run(
    `INSERT INTO analytics.raw.left_out
     SELECT s.session_key, '${suspectPrefix}' || s.suspect, ${momentSql('$1::BIGINT')}
     FROM (SELECT 1) LEFT JOIN (FROM analytics.raw.suspects v WHERE v.environment IN (${excluded})) s ON true`,
    [BigInt(Math.round(atMs))],
  )
}

/** Leaves the suspects out, or no longer, as what is saved says by now. */
export const applyExclusions = async (connection: DuckDBConnection, atMs: number): Promise<void> => {
  const reader = await connection.runAndReadAll(`SELECT count(*) > 0 FROM (${excluded})`)
  const isAnyLeftOut = reader.getRows()[0]![0] === true
  await connection.run(markedViews(isAnyLeftOut))
  if (isAnyLeftOut) await judge(connection, atMs)
  else await connection.run('DELETE FROM analytics.raw.left_out')
}

/** Judges the visits anew, where suspects are left out and an hour is over. */
export const judgeHourly = async (connection: DuckDBConnection, atMs: number): Promise<void> => {
  const reader = await connection.runAndReadAll(
    'SELECT epoch_ms(judged_at) FROM analytics.raw.left_out LIMIT 1',
  )
  const judgedAt = reader.getRows()[0]?.[0]
  if (judgedAt !== undefined && Math.floor(atMs / hourMs) > Math.floor(Number(judgedAt) / hourMs))
    await judge(connection, atMs)
}
