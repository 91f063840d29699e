import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents } from './analyticsSchema.js'
import { forgetPrepared } from '../duckdb/runPrepared.js'
import { insertSessions, sessionTables, setFolded, unfoldedEvents } from './sessionTable.js'

/** Each answer about sessions reads the unfolded events. To fold takes some time, whatever there is to fold. */
const foldFrom = 50_000

/** A row group of DuckDB. */
const settleFrom = 122_880

const young = 'analytics.raw.young_sessions'
const reopened = 'analytics.raw.reopened_sessions'

/** In the order of time, so that an answer about a range reads few blocks. */
const settle = `INSERT INTO analytics.raw.sessions FROM ${young} ORDER BY started_at; DELETE FROM ${young}`

/** Moves the folded sessions of some events. */
const reopen = async (connection: DuckDBConnection, events: string): Promise<void> => {
  const isConcerned = `session_key IN (SELECT session_key FROM ${events} AND session_key IS NOT NULL)`
  for (const table of ['analytics.raw.young_sessions', 'analytics.raw.sessions']) {
    // They are chosen by one column first, and only they are read.
    const { rowsChanged } = await connection.run(
      `INSERT INTO ${reopened} FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${isConcerned})`,
    )
    if (rowsChanged > 0)
      await connection.run(`DELETE FROM ${table} WHERE session_key IN (SELECT session_key FROM ${reopened})`)
  }
}

const countOf = async (connection: DuckDBConnection, table: string): Promise<number> =>
  Number((await connection.runAndReadAll(`SELECT count(*) FROM ${table}`)).getRows()[0]![0])

/** Folds all events into the tables of sessions, inside the caller's transaction. Young sessions settle once there are enough. */
export const foldEvents = async (connection: DuckDBConnection, settleAt = settleFrom): Promise<void> => {
  const reader = await connection.runAndReadAll(`SELECT max(seq) FROM ${unfoldedEvents}`)
  const [last] = reader.getRows()[0] as [bigint | null]
  if (last === null) return
  await connection.run(
    insertSessions(`${unfoldedEvents} e WHERE session_key IS NOT NULL`, {
      known: reopened,
      into: 'young_sessions',
    }),
  )
  await connection.run(`DELETE FROM ${reopened}`)
  await connection.run(setFolded(Number(last)))
  forgetPrepared(connection)
  if ((await countOf(connection, young)) >= settleAt) await connection.run(settle)
}

/** Brings the events from sequence `first` on to their sessions, and folds all of them once there are enough. */
export const applySessions = async (connection: DuckDBConnection, first: number): Promise<void> => {
  await reopen(connection, `analytics.raw.events WHERE seq >= ${first}`)
  if ((await countOf(connection, unfoldedEvents)) >= foldFrom) await foldEvents(connection)
}

/** Takes events out of the sessions that were folded, are in the table `gone`, and were deleted. */
export const forgetEvents = async (connection: DuckDBConnection): Promise<void> => {
  await reopen(connection, 'gone WHERE true')
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE lessened AS
     SELECT s.session_key, s.started_at, s.ended_at FROM ${reopened} s JOIN (
       SELECT session_key, count(*) AS events FROM gone GROUP BY 1
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
       AND session_key IN (SELECT session_key FROM lessened)`,
    ),
  )
}

/** The sessions of this many events fit into memory at once; with more events, sessions are made slice by slice. */
const eventsPerSlice = 1_000_000

/** Makes the sessions anew from all events. */
export const buildSessions = async (connection: DuckDBConnection): Promise<void> => {
  for (const table of sessionTables) await connection.run(`DELETE FROM analytics.raw.${table}`)
  const reader = await connection.runAndReadAll(`SELECT count(*), coalesce(max(seq), 0) FROM ${allEvents}`)
  const [events, last] = reader.getRows()[0]!.map(Number) as [number, number]
  const slices = Math.ceil((events + 1) / eventsPerSlice)
  for (let slice = 0; slice < slices; slice++) {
    await connection.run(
      insertSessions(`${allEvents} e WHERE session_key IS NOT NULL AND session_key % ${slices} = ${slice}`, {
        into: 'young_sessions',
      }),
    )
  }
  await connection.run(settle)
  await connection.run(setFolded(last))
}

/** Copies the sessions of another catalog, which has folded all its events, and makes those with the keys in `changed` from the events here. */
export const copySessions = async (
  connection: DuckDBConnection,
  from: string,
  changed: string,
): Promise<void> => {
  for (const table of ['sessions', 'young_sessions']) {
    await connection.run(
      `INSERT INTO analytics.raw.${table} FROM ${from}.raw.${table} WHERE session_key NOT IN ${changed}`,
    )
  }
  await connection.run(insertSessions(`${allEvents} e WHERE session_key IN ${changed}`))
  const reader = await connection.runAndReadAll(`SELECT coalesce(max(seq), 0) FROM ${allEvents}`)
  await connection.run(setFolded(Number(reader.getRows()[0]![0])))
}
