import { BIGINT, LIST, listValue, VARCHAR, type DuckDBConnection } from '@duckdb/node-api'
import type { LogEntry } from './createAcceptLog.js'

const shape = JSON.stringify([
  {
    environment: 'VARCHAR',
    event: 'VARCHAR',
    distinct_id: 'VARCHAR',
    anonymous_id: 'VARCHAR',
    device_id: 'VARCHAR',
    session_id: 'VARCHAR',
    timestamp: 'VARCHAR',
    properties: 'JSON',
  },
])

/**
 * A timestamp column from text: Unix milliseconds or ISO 8601, checked when it was accepted. Texts
 * in UTC, which are nearly all, take the way that needs no calendar.
 */
export const timestampSql = `coalesce(
  CASE WHEN ends_with(ts, 'Z') THEN TRY_CAST(ts AS TIMESTAMP)
    WHEN contains(ts, ':') THEN TRY_CAST(ts AS TIMESTAMPTZ)::TIMESTAMP
    ELSE epoch_ms(TRY_CAST(TRY_CAST(ts AS DOUBLE) AS BIGINT)) END, received_at)`

/**
 * The bodies are parsed by DuckDB, on its own threads. Of rows with one insert id in one
 * environment the first is kept, among those younger than `$floor`.
 * The environment is asked for again because of an object that names a key twice: JavaScript
 * checked the last of the two, DuckDB reads the first.
 */
const statement = `
INSERT INTO analytics.raw.events
WITH entry AS (SELECT unnest($firsts) AS first, unnest($times) AS at_ms, unnest($bodies) AS body),
list AS (SELECT first, at_ms, from_json(body, '${shape}') AS items FROM entry),
item AS (
  SELECT first + generate_subscripts(items, 1) - 1 AS seq, epoch_ms(at_ms) AS received_at, unnest(items) AS e
  FROM list
), flat AS (
  SELECT seq, received_at, e.environment, e.event, nullif(e.distinct_id, '') AS distinct_id,
    nullif(e.anonymous_id, '') AS anonymous_id, nullif(e.device_id, '') AS device_id,
    nullif(e.session_id, '') AS session_id, e."timestamp" AS ts, e.properties,
    nullif(e.properties->>'insert_id', '') AS insert_id
  FROM item WHERE list_contains($environments, e.environment) AND length(e.event) <= 400
), hashed AS MATERIALIZED (
  SELECT *, CASE WHEN insert_id IS NOT NULL THEN hash(environment, insert_id) END AS insert_hash FROM flat
), stored AS (
  SELECT o.insert_hash FROM analytics.raw.events o
  WHERE o.seq > $floor AND o.insert_hash IN (SELECT insert_hash FROM hashed WHERE insert_hash IS NOT NULL)
), repeated AS (
  SELECT unnest(list(seq ORDER BY seq)[2:]) AS seq
  FROM hashed WHERE insert_hash IS NOT NULL GROUP BY insert_hash HAVING count(*) > 1
)
SELECT seq, received_at, ${timestampSql}, environment, event, distinct_id, anonymous_id, device_id,
  session_id, insert_id, insert_hash, properties
FROM hashed
WHERE insert_hash IS NULL
  OR (insert_hash NOT IN (FROM stored) AND seq NOT IN (FROM repeated))
ORDER BY seq`

export interface InsertEvents {
  entries: readonly LogEntry[]
  environments: readonly string[]
  /** Insert ids of rows at or before this sequence are forgotten. */
  floor: number
}

/** Resolves with the number of rows written, second copies not counted. */
export const insertEvents = async (
  connection: DuckDBConnection,
  { entries, environments, floor }: InsertEvents,
): Promise<number> => {
  const result = await connection.run(
    statement,
    {
      firsts: listValue(entries.map((entry) => BigInt(entry.first))),
      times: listValue(entries.map((entry) => BigInt(entry.receivedAtMs))),
      bodies: listValue(entries.map((entry) => entry.body)),
      environments: listValue(environments),
      floor: BigInt(floor),
    },
    {
      firsts: LIST(BIGINT),
      times: LIST(BIGINT),
      bodies: LIST(VARCHAR),
      environments: LIST(VARCHAR),
      floor: BIGINT,
    },
  )
  return result.rowsChanged
}
