import type { DuckDBConnection } from '@duckdb/node-api'
import { momentSql } from '../analytics/entryItems.js'
import type { LogEntry } from '../wal/segment.js'

/** After this time without an event a new session begins, as by default in the library. */
const idleMs = 30 * 60_000

/** An event may arrive this much later than it happened and still find the session that it belongs to. */
const lateMs = 5 * 60_000

/**
 * Gives each new event of a visitor without consent its session: that of an event of the same visitor up to half an
 * hour before or after it. Their browsers keep no session, so the service makes them.
 */
const joinSql = (first: number, fromMs: number) => `
UPDATE analytics.raw.events e SET session_id = joined.session_id,
  session_key = hash(e.environment, joined.session_id) FROM (
  WITH recent AS (
    SELECT seq, environment, anonymous_id, session_id, "timestamp" FROM analytics.raw.events
    WHERE anonymous AND received_at >= ${momentSql(`${fromMs}::BIGINT`)}
      AND anonymous_id IN (SELECT anonymous_id FROM analytics.raw.events WHERE anonymous AND seq >= ${first})
  ), apart AS (
    SELECT *, coalesce(epoch_ms("timestamp") - epoch_ms(lag("timestamp") OVER visitor) > ${idleMs}, true) AS begins
    FROM recent WINDOW visitor AS (PARTITION BY environment, anonymous_id ORDER BY "timestamp", seq)
  ), numbered AS (
    SELECT *, count(*) FILTER (begins) OVER visitor AS visit
    FROM apart WINDOW visitor AS (PARTITION BY environment, anonymous_id ORDER BY "timestamp", seq)
  )
  SELECT seq, coalesce(min(session_id) OVER visit, anonymous_id || '-' || min(seq) OVER visit) AS session_id
  FROM numbered WINDOW visit AS (PARTITION BY environment, anonymous_id, visit)
) joined WHERE e.seq = joined.seq AND e.seq >= ${first}`

/** Joins the newest events of visitors without consent to sessions: all from the first of these entries on. */
export const joinVisits = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
): Promise<void> => {
  const anonymous = entries.filter(({ target }) => target?.includes('"visitor":'))
  if (anonymous.length === 0) return
  const { first, receivedAtMs } = anonymous[0]!
  await connection.run(joinSql(first, receivedAtMs - idleMs - lateMs))
}
