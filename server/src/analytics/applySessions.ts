import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents } from '../store/archiveSchema.js'
import { insertSessions, sessionKey, setFolded, unfoldedEvents } from '../store/sessionTable.js'

/** Each answer about sessions reads the unfolded events, and folding takes some time whatever there is to fold. */
const foldFrom = 50_000

const metSql = (events: string) => `
CREATE OR REPLACE TEMP TABLE met AS
SELECT s.rowid AS row_id, m.session_key, s.events > m.events AS has_more
FROM analytics.raw.sessions s JOIN (
  SELECT ${sessionKey} AS session_key, count(*) AS events FROM ${events} WHERE session_id IS NOT NULL GROUP BY 1
) m ON m.session_key = s.session_key`

/** Moves what is known of the sessions in `met` to the table `earlier`. */
const takeSql = [
  `CREATE OR REPLACE TEMP TABLE earlier AS
   FROM analytics.raw.sessions s WHERE s.rowid IN (SELECT row_id FROM met)`,
  'DELETE FROM analytics.raw.sessions WHERE rowid IN (SELECT row_id FROM met)',
]

/** Folds all events into the table of sessions, inside the caller's transaction. */
export const foldEvents = async (connection: DuckDBConnection): Promise<void> => {
  const reader = await connection.runAndReadAll(`SELECT max(seq) FROM ${unfoldedEvents}`)
  const [last] = reader.getRows()[0] as [bigint | null]
  if (last === null) return
  await connection.run(metSql(unfoldedEvents))
  for (const sql of takeSql) await connection.run(sql)
  await connection.run(insertSessions(`${unfoldedEvents} e WHERE session_id IS NOT NULL`, 'earlier'))
  await connection.run(setFolded(Number(last)))
}

/** Folds events once there are enough of them. */
export const applySessions = async (connection: DuckDBConnection): Promise<void> => {
  const reader = await connection.runAndReadAll(`SELECT count(*) FROM ${unfoldedEvents}`)
  if (Number(reader.getRows()[0]![0]) >= foldFrom) await foldEvents(connection)
}

/** Takes events that were folded, are in the table `gone`, and were deleted, out of the sessions. */
export const forgetEvents = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run(metSql('gone'))
  for (const sql of takeSql) await connection.run(sql)
  const reader = await connection.runAndReadAll(
    `SELECT epoch_us(min(started_at)), epoch_us(max(ended_at)) FROM earlier
     WHERE session_key IN (SELECT session_key FROM met WHERE has_more)`,
  )
  const [from, until] = reader.getRows()[0] as [bigint | null, bigint | null]
  if (from === null) return
  // The bounds are written out, because DuckDB skips blocks only by constants.
  await connection.run(
    insertSessions(
      `${allEvents} e WHERE "timestamp" BETWEEN make_timestamptz(${from}) AND make_timestamptz(${until})
       AND session_id IS NOT NULL AND ${sessionKey} IN (SELECT session_key FROM met WHERE has_more)`,
    ),
  )
}

/** The sessions of this many events fit into memory at once; with more events, sessions are made slice by slice. */
const eventsPerSlice = 4_000_000

/** Makes the table of sessions anew from all events. */
export const buildSessions = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run('DELETE FROM analytics.raw.sessions')
  const reader = await connection.runAndReadAll(`SELECT count(*), coalesce(max(seq), 0) FROM ${allEvents}`)
  const [events, last] = reader.getRows()[0]!.map(Number) as [number, number]
  const slices = Math.ceil((events + 1) / eventsPerSlice)
  for (let slice = 0; slice < slices; slice++) {
    await connection.run(
      insertSessions(
        `${allEvents} e WHERE session_id IS NOT NULL AND ${sessionKey} % ${slices} = ${slice}`,
      ),
    )
  }
  await connection.run(setFolded(last))
}
