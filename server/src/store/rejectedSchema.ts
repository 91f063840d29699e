import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier, quoteText } from './quote.js'
import { inTransaction } from './transactions.js'

/** The table of the records that were accepted and could not be stored. */
export const rejectedTable = (table: string): string => `
CREATE TABLE IF NOT EXISTS ${table} (
  seq BIGINT, received_at TIMESTAMP, kind VARCHAR, body VARCHAR, reason VARCHAR,
  target VARCHAR, task_id VARCHAR, position BIGINT
);`

const comment = 'Records that were accepted and could not be stored. Made by the service.'

const columns = {
  task_id: 'The task of the request that brought it; see /tasks.',
  position: 'Its position in the request, from 0.',
  record: 'What was sent.',
  reason: 'Why it could not be stored.',
  received_at: 'When the service accepted it.',
  kind: 'track, identify, alias, append or save.',
  schema_name: 'For append: the schema that it was sent to.',
  table_name: 'For append: the table that it was sent to.',
}

/** Makes the view `rejected` of a catalog. A table or view that a user has made under this name is left alone. */
export const makeRejectedView = async (
  connection: DuckDBConnection,
  catalog: string,
  table: string,
): Promise<void> => {
  const namesakes = await connection.runAndReadAll(
    `SELECT 1 FROM (
       SELECT view_name AS name, comment FROM system.main.duckdb_views() WHERE database_name = $1 AND schema_name = 'main'
       UNION ALL SELECT table_name, NULL FROM system.main.duckdb_tables() WHERE database_name = $1 AND schema_name = 'main'
     ) WHERE lower(name) = 'rejected' AND comment IS DISTINCT FROM ${quoteText(comment)}`,
    [catalog],
  )
  if (namesakes.currentRowCount > 0) return
  const view = `${quoteIdentifier(catalog)}.main.rejected`
  const comments = Object.entries(columns).map(
    ([name, text]) => `COMMENT ON COLUMN ${view}.${name} IS ${quoteText(text)};`,
  )
  const sql = `CREATE OR REPLACE VIEW ${view} AS
    SELECT task_id, position, coalesce(TRY_CAST(body AS JSON), to_json(body)) AS record, reason,
      received_at AT TIME ZONE 'UTC' AS received_at, kind,
      target->>'schema' AS schema_name, target->>'table' AS table_name
    FROM ${table};
    COMMENT ON VIEW ${view} IS ${quoteText(comment)};
    ${comments.join('\n')}`
  await inTransaction(connection, () => connection.run(sql))
}
