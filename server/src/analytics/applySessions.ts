import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents } from '../store/archiveSchema.js'
import { insertSessions, sessionKey, setFolded, unfoldedEvents } from '../store/sessionTable.js'

/** Each answer about sessions reads the unfolded events. To fold takes some time, whatever there is to fold. */
const foldFrom = 50_000

const reopened = 'analytics.raw.reopened_sessions'

/** Moves the folded sessions of some events. They are chosen by one column first, and only they are read. */
const reopen = async (connection: DuckDBConnection, events: string): Promise<void> => {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE chosen AS SELECT s.rowid AS row_id FROM analytics.raw.sessions s
     WHERE s.session_key IN (SELECT ${sessionKey} FROM ${events} AND session_id IS NOT NULL)`,
  )
  const reader = await connection.runAndReadAll('SELECT count(*) FROM chosen')
  if (reader.getRows()[0]![0] === 0n) return
  const isChosen = 'rowid IN (SELECT row_id FROM chosen)'
  await connection.run(`INSERT INTO ${reopened} FROM analytics.raw.sessions WHERE ${isChosen}`)
  await connection.run(`DELETE FROM analytics.raw.sessions WHERE ${isChosen}`)
}

/** Folds all events into the table of sessions, inside the caller's transaction. */
export const foldEvents = async (connection: DuckDBConnection): Promise<void> => {
  const reader = await connection.runAndReadAll(`SELECT max(seq) FROM ${unfoldedEvents}`)
  const [last] = reader.getRows()[0] as [bigint | null]
  if (last === null) return
  await connection.run(insertSessions(`${unfoldedEvents} e WHERE session_id IS NOT NULL`, reopened))
  await connection.run(`DELETE FROM ${reopened}`)
  await connection.run(setFolded(Number(last)))
}

/** Brings the events from sequence `first` on to their sessions, and folds all of them once there are enough. */
export const applySessions = async (connection: DuckDBConnection, first: number): Promise<void> => {
  await reopen(connection, `analytics.raw.events WHERE seq >= ${first}`)
  const reader = await connection.runAndReadAll(`SELECT count(*) FROM ${unfoldedEvents}`)
  if (Number(reader.getRows()[0]![0]) >= foldFrom) await foldEvents(connection)
}

/** Takes events out of the sessions that were folded, are in the table `gone`, and were deleted. */
export const forgetEvents = async (connection: DuckDBConnection): Promise<void> => {
  await reopen(connection, 'gone WHERE true')
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE lessened AS
     SELECT s.session_key, s.started_at, s.ended_at FROM ${reopened} s JOIN (
       SELECT ${sessionKey} AS session_key, count(*) AS events FROM gone GROUP BY 1
     ) g ON g.session_key = s.session_key AND g.events < s.events`,
  )
  await connection.run(`DELETE FROM ${reopened}`)
  const reader = await connection.runAndReadAll(
    'SELECT epoch_us(min(started_at)), epoch_us(max(ended_at)) FROM lessened',
  )
  const [from, until] = reader.getRows()[0] as [bigint | null, bigint | null]
  if (from === null) return
  // The bounds are written out, because DuckDB skips blocks only by constants.
  await connection.run(
    insertSessions(
      `${allEvents} e WHERE "timestamp" BETWEEN make_timestamptz(${from}) AND make_timestamptz(${until})
       AND session_id IS NOT NULL AND ${sessionKey} IN (SELECT session_key FROM lessened)`,
    ),
  )
}

/** The sessions of this many events fit into memory at once; with more events, sessions are made slice by slice. */
const eventsPerSlice = 1_000_000

/** Makes the sessions anew from all events. */
export const buildSessions = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run(`DELETE FROM analytics.raw.sessions; DELETE FROM ${reopened}`)
  const reader = await connection.runAndReadAll(`SELECT count(*), coalesce(max(seq), 0) FROM ${allEvents}`)
  const [events, last] = reader.getRows()[0]!.map(Number) as [number, number]
  const slices = Math.ceil((events + 1) / eventsPerSlice)
  for (let slice = 0; slice < slices; slice++) {
    await connection.run(
      insertSessions(`${allEvents} e WHERE session_id IS NOT NULL AND ${sessionKey} % ${slices} = ${slice}`),
    )
  }
  await connection.run(setFolded(last))
}
