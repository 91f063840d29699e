import { BIGINT, type DuckDBConnection, LIST, listValue } from '@duckdb/node-api'
import { automation } from './userAgents.js'
import {
  addressColumns,
  derivedColumns,
  filledColumns,
  builtInColumns,
  builtInsSql,
  keptOf,
} from '../schema/derivedColumns.js'
import { findSeen, readInsertIds } from './fillWindow.js'
import type { JudgedEntry } from '../plan/Judges.js'
import type { InsertIdWindow } from './InsertIdWindow.js'
import { runPrepared } from '../duckdb/runPrepared.js'
import { isOfEnvironment, itemParts, itemsSql, planSql, timestampSql } from './entryItems.js'

const items = itemsSql({
  environment: 'VARCHAR',
  event: 'VARCHAR',
  distinct_id: 'VARCHAR',
  anonymous_id: 'VARCHAR',
  device_id: 'VARCHAR',
  session_id: 'VARCHAR',
  timestamp: 'VARCHAR',
  properties: 'JSON',
})

const columns = [...builtInColumns.map(({ column }) => column), ...Object.keys(derivedColumns)]
const builtIns = builtInColumns.map(({ column }, at) => `built_in[${at + 3}] AS ${column}`)
const values = columns.map(
  (column) => `${filledColumns[column] ?? derivedColumns[column] ?? column} AS ${column}`,
)

/** The sender's verdict holds only for events without a user agent of their own; `markAgents` judges the others. */
const botSql = `coalesce(CASE WHEN user_agent IS NULL THEN sender.bot END,
    CASE WHEN device_type = 'bot' THEN '${automation}' END)`

/** A visitor who is counted without consent has no id but the one that the service has made for the day. */
const ownId = (name: string) => `CASE WHEN sender.visitor IS NULL THEN nullif(e.${name}, '') END`

/** A page whose users are to be signed says by an identify alone whose its events are: an event with both ids would link them. */
const distinctIdSql = `CASE WHEN sender.key = 'public' THEN coalesce(nullif(e.anonymous_id, ''), nullif(e.distinct_id, ''))
      ELSE ${ownId('distinct_id')} END`

/** The service may know fewer environments than when an event was accepted: `setAside` keeps what is left out here. */
const insert = `
INSERT INTO analytics.raw.events BY NAME
WITH item AS (${items}), flat AS (
  SELECT seq, received_at, e."timestamp" AS ts, e.environment, e.event,
    ${distinctIdSql} AS distinct_id, coalesce(sender.visitor, ${ownId('anonymous_id')}) AS anonymous_id,
    ${ownId('device_id')} AS device_id, ${ownId('session_id')} AS session_id,
    ${builtInsSql('e.properties', ['insert_id', '$device_type'])} AS built_in, e.properties, sender, verdict
  FROM item WHERE ${isOfEnvironment}
), named AS (
  SELECT * EXCLUDE (built_in), nullif(built_in[1], '') AS insert_id, built_in[2] AS device_type, ${builtIns.join(', ')}
  FROM flat
), addressed AS (
  SELECT *, ${addressColumns} FROM named
), filled AS (
  SELECT seq, received_at, ${timestampSql} AS "timestamp", environment, event, distinct_id, anonymous_id, device_id,
    session_id, insert_id, properties, ${values.join(', ')}, ${botSql} AS bot, sender.visitor IS NOT NULL AS anonymous,
    ${planSql}
  FROM addressed
)
SELECT *, ${keptOf} FROM filled`

const setAside = `
INSERT INTO analytics.raw.rejected (seq, received_at, kind, body, reason)
WITH item AS (${items})
SELECT seq, received_at, 'track', to_json(e), 'The environment does not exist any more.'
FROM item WHERE ${isOfEnvironment} IS NOT TRUE`

export interface InsertEvents {
  entries: readonly JudgedEntry[]
  environments: readonly string[]
  window: InsertIdWindow
}

/**
 * Writes the events of the newest entries without second copies: of the rows with one name and insert id in one
 * environment only the first stays. Copies are looked for after the write, because there are nearly never any. Gives the insert
 * ids, which the caller remembers once the rows are committed.
 */
export const insertEvents = async (
  connection: DuckDBConnection,
  { entries, environments, window }: InsertEvents,
): Promise<BigUint64Array> => {
  for (const part of itemParts(entries, environments)) {
    const { rowsChanged } = await runPrepared(connection, insert, part)
    if (rowsChanged < part.rows) await runPrepared(connection, setAside, part)
  }
  const { ids, seqs } = await readInsertIds(
    connection,
    `FROM analytics.raw.events WHERE seq >= ${entries[0]!.first}`,
  )
  const copies = await findSeen(connection, window, ids)
  if (copies.length > 0) {
    await connection.run(
      'DELETE FROM analytics.raw.events WHERE seq IN (SELECT unnest($seqs))',
      {
        seqs: listValue(copies.map((at) => seqs[at]!)),
      },
      { seqs: LIST(BIGINT) },
    )
  }
  return ids
}
