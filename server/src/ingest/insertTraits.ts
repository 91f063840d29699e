import { LIST, listValue, VARCHAR, type DuckDBConnection } from '@duckdb/node-api'
import type { LogEntry } from './createAcceptLog.js'
import { documentOf, documentType, itemsSql } from './entryItems.js'
import { timestampSql } from './timestampSql.js'

const items = itemsSql({
  environment: 'VARCHAR',
  distinct_id: 'VARCHAR',
  timestamp: 'VARCHAR',
  traits: 'JSON',
})

/** One row per trait and identify; an identify without traits leaves one row without a name. */
const statement = `
INSERT INTO analytics.raw.traits
WITH item AS (${items}), flat AS (
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
    { document: documentOf(entries), environments: listValue(environments) },
    { document: documentType, environments: LIST(VARCHAR) },
  )
}
