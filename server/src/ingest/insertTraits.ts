import { BIGINT, LIST, listValue, VARCHAR, type DuckDBConnection } from '@duckdb/node-api'
import type { LogEntry } from './createAcceptLog.js'
import { timestampSql } from './insertEvents.js'

const shape = JSON.stringify([
  { environment: 'VARCHAR', distinct_id: 'VARCHAR', timestamp: 'VARCHAR', traits: 'JSON' },
])

/** One row per trait and identify; an identify without traits leaves one row without a name. */
const statement = `
INSERT INTO analytics.raw.traits
WITH entry AS (SELECT unnest($firsts) AS first, unnest($times) AS at_ms, unnest($bodies) AS body),
list AS (SELECT first, at_ms, from_json(body, '${shape}') AS items FROM entry),
item AS (
  SELECT first + generate_subscripts(items, 1) - 1 AS seq, epoch_ms(at_ms) AS received_at, unnest(items) AS e
  FROM list
), flat AS (
  SELECT seq, received_at, e.environment, e.distinct_id, e."timestamp" AS ts,
    CASE WHEN json_type(e.traits) = 'OBJECT' THEN e.traits ELSE '{}'::JSON END AS traits
  FROM item WHERE list_contains($environments, e.environment)
)
SELECT seq, ${timestampSql}, environment, distinct_id, j.key, j.value
FROM flat LEFT JOIN LATERAL (SELECT key, value FROM json_each(flat.traits)) j ON true`

export const insertTraits = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
  environments: readonly string[],
): Promise<void> => {
  await connection.run(
    statement,
    {
      firsts: listValue(entries.map((entry) => BigInt(entry.first))),
      times: listValue(entries.map((entry) => BigInt(entry.receivedAtMs))),
      bodies: listValue(entries.map((entry) => entry.body)),
      environments: listValue(environments),
    },
    { firsts: LIST(BIGINT), times: LIST(BIGINT), bodies: LIST(VARCHAR), environments: LIST(VARCHAR) },
  )
}
