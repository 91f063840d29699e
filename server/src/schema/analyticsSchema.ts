import { internalSchema, quoteIdentifier, quoteText } from '../duckdb/quote.js'
import type { DuckDBConnection } from '@duckdb/node-api'
import { derivedColumns, builtInColumns, keptColumns } from './derivedColumns.js'
import { sessionSchema } from './sessionTable.js'
import { inTransaction } from '../duckdb/transactions.js'

export const lakehouseSchema = (catalog: string): string => {
  const schema = `${quoteIdentifier(catalog)}.${internalSchema}`
  return `
CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.position (applied BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS ${schema}.bound (x INTEGER);
${rejectedTable(`${schema}.rejected`)}
`
}

/** The sequence up to which a catalog has the rows of its log; 0 in a new one. */
export const readApplied = async (
  connection: DuckDBConnection,
  position = 'analytics.raw.position',
): Promise<number> => {
  const reader = await connection.runAndReadAll(`SELECT max(applied) FROM ${position}`)
  return Number(reader.getRows()[0]![0] ?? 0)
}

/**
 * Makes this catalog the only one that the transaction can write to, and changes nothing. DuckDB lets a
 * transaction write to a single file, so user SQL can change neither the analytics catalog nor another one.
 */
export const bindTransaction = (catalog: string): string =>
  `UPDATE ${quoteIdentifier(catalog)}.${internalSchema}.bound SET x = x WHERE false`

/** The table of the records that were accepted and could not be stored. */
const rejectedTable = (table: string): string => `
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

/**
 * The folder of the archive, and the files in it that belong to the store. An event is either in
 * `raw.events` or in one of these files. It moves in one transaction. `snapshot` is the one that the store has taken
 * over of an archive that several stores share.
 */
const archiveSchema = `
CREATE TABLE analytics.raw.archive (id VARCHAR NOT NULL, folder VARCHAR NOT NULL, snapshot BIGINT);
CREATE TABLE analytics.raw.archived_files (
  file VARCHAR NOT NULL, environment VARCHAR NOT NULL, day DATE NOT NULL, events BIGINT NOT NULL
);`

/** The view of all events, those in the table and those in the archive, with the columns of the table. */
export const allEvents = 'analytics.raw.all_events'

/**
 * That view for answers about a range of `timestamp`. By `received_at` it leaves no file out: for that each question
 * would read the column of all its events, and take longer to plan.
 */
export const timedEvents = 'analytics.raw.timed_events'

/** Changes with the tables below; a store of another version is upgraded or refused (`bringToVersion`). */
export const storeVersion = 9

const stored = [...builtInColumns.map(({ column }) => column), ...Object.keys(derivedColumns)]
  .map((column) => `${column} VARCHAR`)
  .join(', ')

const kept = Object.entries(keptColumns)
  .map(([column, { type }]) => `${column} ${type}`)
  .join(', ')

/**
 * Raw rows never change. The person of an event is looked up when the event is read, so a merge rewrites
 * a few rows of `id_map` and no event. `persons` and `sessions` are computed from the raw rows and kept up to
 * date with them.
 *
 * A key is the hash of an environment and an id. It has eight bytes to scan and join, where the texts have
 * about thirty. Ids are not compressed, because finding one among compressed ones takes three times as long.
 */
export const analyticsSchema = `
CREATE SCHEMA analytics.raw;
CREATE TABLE analytics.raw.store (version INTEGER NOT NULL);
CREATE TABLE analytics.raw.derived (hash UBIGINT);
CREATE TABLE analytics.raw.position (applied BIGINT NOT NULL);
CREATE TABLE analytics.raw.events (
  seq BIGINT, received_at TIMESTAMPTZ, "timestamp" TIMESTAMPTZ, environment VARCHAR, event VARCHAR,
  distinct_id VARCHAR, anonymous_id VARCHAR, device_id VARCHAR, session_id VARCHAR,
  insert_id VARCHAR, properties JSON, ${stored}, bot VARCHAR, anonymous BOOLEAN,
  plan_verdict VARCHAR, plan_problem VARCHAR, ${kept}
);
CREATE TABLE analytics.raw.id_map (
  environment VARCHAR, distinct_id VARCHAR USING COMPRESSION uncompressed,
  person_id VARCHAR USING COMPRESSION uncompressed, identified BOOLEAN, id_key UBIGINT, person_key UBIGINT
);
CREATE TABLE analytics.raw.traits (
  seq BIGINT, "timestamp" TIMESTAMPTZ, environment VARCHAR, distinct_id VARCHAR, name VARCHAR, value JSON,
  plan_verdict VARCHAR, plan_problem VARCHAR
);
${rejectedTable('analytics.raw.rejected')}
CREATE TABLE analytics.raw.plans (id VARCHAR, schemas JSON);
CREATE TABLE analytics.raw.persons (
  person_key UBIGINT, environment VARCHAR, person_id VARCHAR USING COMPRESSION uncompressed,
  distinct_ids VARCHAR[], traits STRUCT(name VARCHAR, value JSON, "timestamp" TIMESTAMPTZ, seq BIGINT)[],
  first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ, events BIGINT
);${sessionSchema}
${archiveSchema}
`
