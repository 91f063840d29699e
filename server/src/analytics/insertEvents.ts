import { BIGINT, type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import type { LogEntry } from '../wal/WriteAheadLog.js'
import { documentOf, documentType, itemsSql, timestampSql } from './entryItems.js'

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

/**
 * The environment is asked for again because of an object that names a key twice: JavaScript
 * checked the last of the two, DuckDB reads the first. What is left out here is set aside below.
 */
const insert = `
INSERT INTO analytics.raw.events
WITH item AS (${items}), flat AS (
  SELECT seq, received_at, e."timestamp" AS ts, e.environment, e.event,
    nullif(e.distinct_id, '') AS distinct_id, nullif(e.anonymous_id, '') AS anonymous_id,
    nullif(e.device_id, '') AS device_id, nullif(e.session_id, '') AS session_id,
    nullif(e.properties->>'insert_id', '') AS insert_id, e.properties
  FROM item WHERE list_contains($environments, e.environment) AND length(e.event) <= 400
)
SELECT seq, received_at, ${timestampSql}, environment, event, distinct_id, anonymous_id, device_id,
  session_id, insert_id, CASE WHEN insert_id IS NOT NULL THEN hash(environment, insert_id) END, properties
FROM flat`

const setAside = `
INSERT INTO analytics.raw.rejected
WITH item AS (${items})
SELECT seq, received_at, 'track', to_json(e), 'A name comes twice in this event, and its first value is not allowed.'
FROM item WHERE (list_contains($environments, e.environment) AND length(e.event) <= 400) IS NOT TRUE`

/**
 * Of rows with one insert id in one environment the first stays, among those younger than `floor`.
 * They are looked for after they are written, in a narrow column: there are nearly never any. The
 * numbers stand in the text because DuckDB skips old blocks only for what it knows when it plans.
 */
const findCopies = (first: number, floor: number) => `
WITH fresh AS MATERIALIZED (
  SELECT seq, insert_hash FROM analytics.raw.events WHERE seq >= ${first} AND insert_hash IS NOT NULL
), known AS MATERIALIZED (
  SELECT insert_hash FROM analytics.raw.events
  WHERE seq > ${floor} AND seq < ${first} AND insert_hash IN (SELECT insert_hash FROM fresh)
)
SELECT seq FROM fresh WHERE insert_hash IN (FROM known)
UNION
SELECT unnest(list(seq ORDER BY seq)[2:]) FROM fresh GROUP BY insert_hash HAVING count(*) > 1`

export interface InsertEvents {
  entries: readonly LogEntry[]
  environments: readonly string[]
  /** Insert ids of rows at or before this sequence are forgotten. */
  floor: number
}

/** Writes the rows of the newest entries, without second copies. */
export const insertEvents = async (
  connection: DuckDBConnection,
  { entries, environments, floor }: InsertEvents,
): Promise<void> => {
  const values = { document: documentOf(entries), environments: listValue(environments) }
  const types = { document: documentType, environments: LIST(VARCHAR) }
  const { rowsChanged } = await connection.run(insert, values, types)
  const accepted = entries.reduce((sum, { count }) => sum + count, 0)
  if (rowsChanged < accepted) await connection.run(setAside, values, types)
  const copies = await connection.runAndReadAll(findCopies(entries[0]!.first, floor))
  if (copies.currentRowCount === 0) return
  const seqs = copies.getRows().map(([seq]) => seq as bigint)
  await connection.run(
    'DELETE FROM analytics.raw.events WHERE seq IN (SELECT unnest($seqs))',
    { seqs: listValue(seqs) },
    { seqs: LIST(BIGINT) },
  )
}
