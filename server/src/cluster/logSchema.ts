import { randomBytes } from 'node:crypto'
import { OperatorError } from '../OperatorError.js'
import type { LogIdentity } from '../wal/LogStore.js'
import { erasureTables } from './erasureTables.js'
import type { ServerConnection } from './ServerConnection.js'
import type { SaltDays, SaltPlace } from '../analytics/DaySalt.js'
import type { AccessPlace } from '../users/Access.js'

/**
 * What an unlogged table holds is in no write-ahead log of PostgreSQL, so it reaches no standby, no archive of that
 * log and no base backup. After a crash or a failover it is empty, and the day gets another salt.
 */
const saltTable = `
CREATE UNLOGGED TABLE IF NOT EXISTS waymark.day_salt (day date NOT NULL, salt bytea NOT NULL);`

/** `TRUNCATE` gives the table a new file and removes the old one; `DELETE` would leave the bytes in place. */
const inPlaceOf = (condition: string, then = '') => `
BEGIN;
LOCK TABLE waymark.day_salt;
DO $$ BEGIN
  IF ${condition} THEN
    TRUNCATE waymark.day_salt;${then}
  END IF;
END $$;
COMMIT`

/** The server makes the salt, because it may log the text of a statement. */
const madeSalt = 'uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())'

const isOfOne = ({ today, tomorrow }: SaltDays) => `day IN ('${today}', '${tomorrow}')`

/** Keeps the salt in the database of the log, where every process that accepts finds it. */
export const saltInLog = (connection: () => ServerConnection): SaltPlace => ({
  async take(days) {
    const server = connection()
    const isMissing = `NOT EXISTS (SELECT FROM waymark.day_salt WHERE ${isOfOne(days)})`
    const insert = `INSERT INTO waymark.day_salt VALUES ('${days.today}', ${madeSalt});`
    await server.ask(inPlaceOf(isMissing, insert))
    const [kept] = await server.ask<{ salt: Buffer }>('SELECT salt FROM waymark.day_salt')
    if (kept === undefined) throw new Error('the table waymark.day_salt was emptied')
    return kept.salt
  },

  async forgetOthers(days) {
    const others = `FROM waymark.day_salt WHERE NOT (${isOfOne(days)})`
    const server = connection()
    const [found] = await server.ask<{ day: string }>(`SELECT day::text AS day ${others}`)
    if (found !== undefined) await server.ask(inPlaceOf(`EXISTS (SELECT ${others})`))
    return found?.day
  },
})

const accessTable = `
CREATE TABLE IF NOT EXISTS waymark.access (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), revision bigint NOT NULL, body text NOT NULL
);`

/** A connection that watches does not wait for the disk; this one commit does, and for the standbys. */
const writeAccess = `
WITH durable AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true))
INSERT INTO waymark.access (revision, body) SELECT $1::bigint + 1, $2 FROM durable
ON CONFLICT (one) DO UPDATE SET revision = excluded.revision, body = excluded.body WHERE access.revision = $1
RETURNING revision`

/** Keeps users and keys that are made by clicking in the database of the log, where every process finds them. */
export const accessInLog = (watch: {
  ask: ServerConnection['ask']
  follow(look: () => void): void
  /** Makes other processes look. */
  tell(): void
}): AccessPlace => ({
  name: 'The table waymark.access in PostgreSQL',
  async read() {
    const [found] = await watch.ask<{ revision: number; body: string }>(
      'SELECT revision::float8 AS revision, body FROM waymark.access',
    )
    return { text: found?.body, revision: found?.revision ?? 0 }
  },
  async write(text, revision) {
    const written = await watch.ask(writeAccess, [revision, text])
    if (written.length > 0) watch.tell()
    return written.length > 0
  },
  follow: (look) => watch.follow(look),
})

/** The keys of advisory locks. All users of a database share one set of keys. */
export const lockKeys = { create: 0x7761796d, prune: 0x7761796e, archive: 0x7761796f, alerts: 0x77617970 }
const version = 5

/** PostgreSQL keeps samples of short values for its planner, in a table that no erase of a person would reach. */
export const withoutSamples = (table: string): string =>
  `ALTER TABLE waymark.${table} ALTER COLUMN body SET STATISTICS 0;`

/**
 * Each group of requests changes the one row of `head`, and its lock is held until the standbys have the
 * group. So groups become visible in the order of their numbers, without a gap. The low fillfactor leaves room
 * on the row's page, so that the changed row stays there. Bodies are JSON with many repetitions, and lz4 leaves
 * less to write, send and sync. A server without lz4 (before 14, or built without it) stores bodies uncompressed,
 * because its own method costs more time than it saves.
 */
const create = (secret: string) => `
BEGIN;
SELECT pg_advisory_xact_lock(${lockKeys.create});
CREATE SCHEMA IF NOT EXISTS waymark;
CREATE TABLE IF NOT EXISTS waymark.head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version int NOT NULL,
  id uuid NOT NULL,
  secret text NOT NULL,
  last bigint NOT NULL
) WITH (fillfactor = 10);
CREATE TABLE IF NOT EXISTS waymark.log (
  last bigint PRIMARY KEY,
  rows int NOT NULL,
  body bytea NOT NULL,
  stamped timestamptz NOT NULL DEFAULT now()
);
${withoutSamples('log')}
ALTER TABLE waymark.log ALTER COLUMN body SET STORAGE EXTERNAL;
DO $$ BEGIN
  EXECUTE 'ALTER TABLE waymark.log ALTER COLUMN body SET COMPRESSION lz4';
  ALTER TABLE waymark.log ALTER COLUMN body SET STORAGE EXTENDED;
EXCEPTION WHEN syntax_error OR feature_not_supported THEN NULL;
END $$;
CREATE TABLE IF NOT EXISTS waymark.readers (
  name text PRIMARY KEY,
  applied bigint NOT NULL,
  seen timestamptz NOT NULL DEFAULT now(),
  joined bigint NOT NULL DEFAULT 0,
  place text
);
CREATE TABLE IF NOT EXISTS waymark.set_aside (
  request bigint PRIMARY KEY,
  rows int NOT NULL,
  reason text NOT NULL
);${erasureTables}${saltTable}${accessTable}${lakeTables}
INSERT INTO waymark.head (version, id, secret, last)
VALUES (${version}, gen_random_uuid(), '${secret}', 0) ON CONFLICT DO NOTHING;
COMMIT`

/** Reads which log a database holds. A missing log is created, unless a certain one is expected. */
export const identifyLog = async (
  connection: ServerConnection,
  expected: string | undefined,
): Promise<LogIdentity> => {
  const [there] = await connection.ask<{ head: string | null }>(
    "SELECT to_regclass('waymark.head')::text AS head",
  )
  if (there?.head === null && expected === undefined) {
    await connection.ask(create(randomBytes(32).toString('base64')))
  }
  const [found] = await connection.ask<LogIdentity & { version: number }>(
    'SELECT version, id::text, secret FROM waymark.head',
  )
  if (found === undefined) throw new OperatorError('the table waymark.head is empty')
  if (found.version !== version) {
    throw new OperatorError(
      `the log was made by another version of waymark-server (${found.version}, this one knows ${version})`,
    )
  }
  if (expected !== undefined && found.id !== expected) {
    throw new OperatorError(`it has another log (${found.id}) than the one that is followed (${expected})`)
  }
  return { id: found.id, secret: found.secret }
}

/**
 * The list of the archive's files, where the log is in PostgreSQL: the tables and columns are those of DuckLake's
 * specification, version 1.0, in the schema `waymark`. What a reader of DuckLake never finds a row in is here because
 * it asks for it.
 */
const ducklake: Readonly<Record<string, string>> = {
  metadata: 'key varchar NOT NULL, value varchar NOT NULL, scope varchar, scope_id bigint',
  snapshot:
    'snapshot_id bigint PRIMARY KEY, snapshot_time timestamptz, schema_version bigint, next_catalog_id bigint, next_file_id bigint',
  snapshot_changes:
    'snapshot_id bigint PRIMARY KEY, changes_made varchar, author varchar, commit_message varchar, commit_extra_info varchar',
  schema:
    'schema_id bigint PRIMARY KEY, schema_uuid uuid, begin_snapshot bigint, end_snapshot bigint, schema_name varchar, path varchar, path_is_relative boolean',
  table:
    'table_id bigint, table_uuid uuid, begin_snapshot bigint, end_snapshot bigint, schema_id bigint, table_name varchar, path varchar, path_is_relative boolean',
  column:
    'column_id bigint, begin_snapshot bigint, end_snapshot bigint, table_id bigint, column_order bigint, column_name varchar, column_type varchar, initial_default varchar, default_value varchar, nulls_allowed boolean, parent_column bigint, default_value_type varchar, default_value_dialect varchar',
  data_file:
    'data_file_id bigint PRIMARY KEY, table_id bigint, begin_snapshot bigint, end_snapshot bigint, file_order bigint, path varchar, path_is_relative boolean, file_format varchar, record_count bigint, file_size_bytes bigint, footer_size bigint, row_id_start bigint, partition_id bigint, encryption_key varchar, mapping_id bigint, partial_max bigint',
  delete_file:
    'delete_file_id bigint PRIMARY KEY, table_id bigint, begin_snapshot bigint, end_snapshot bigint, data_file_id bigint, path varchar, path_is_relative boolean, format varchar, delete_count bigint, file_size_bytes bigint, footer_size bigint, encryption_key varchar, partial_max bigint',
  table_stats: 'table_id bigint, record_count bigint, next_row_id bigint, file_size_bytes bigint',
  table_column_stats:
    'table_id bigint, column_id bigint, contains_null boolean, contains_nan boolean, min_value varchar, max_value varchar, extra_stats varchar',
  file_column_stats:
    'data_file_id bigint, table_id bigint, column_id bigint, column_size_bytes bigint, value_count bigint, null_count bigint, min_value varchar, max_value varchar, contains_nan boolean, extra_stats varchar',
  file_variant_stats:
    'data_file_id bigint, table_id bigint, column_id bigint, variant_path varchar, shredded_type varchar, column_size_bytes bigint, value_count bigint, null_count bigint, min_value varchar, max_value varchar, contains_nan boolean, extra_stats varchar',
  schema_versions: 'begin_snapshot bigint, schema_version bigint, table_id bigint',
  view: 'view_id bigint, view_uuid uuid, begin_snapshot bigint, end_snapshot bigint, schema_id bigint, view_name varchar, dialect varchar, sql varchar, column_aliases varchar',
  tag: 'object_id bigint, begin_snapshot bigint, end_snapshot bigint, key varchar, value varchar',
  column_tag:
    'table_id bigint, column_id bigint, begin_snapshot bigint, end_snapshot bigint, key varchar, value varchar',
  partition_info: 'partition_id bigint, table_id bigint, begin_snapshot bigint, end_snapshot bigint',
  partition_column:
    'partition_id bigint, table_id bigint, partition_key_index bigint, column_id bigint, transform varchar',
  file_partition_value:
    'data_file_id bigint, table_id bigint, partition_key_index bigint, partition_value varchar',
  files_scheduled_for_deletion:
    'data_file_id bigint, path varchar, path_is_relative boolean, schedule_start timestamptz',
  inlined_data_tables: 'table_id bigint, table_name varchar, schema_version bigint',
  column_mapping: 'mapping_id bigint, table_id bigint, type varchar',
  name_mapping:
    'mapping_id bigint, column_id bigint, source_name varchar, target_field_id bigint, parent_column bigint, is_partition boolean',
  macro: 'schema_id bigint, macro_id bigint, macro_name varchar, begin_snapshot bigint, end_snapshot bigint',
  macro_impl: 'macro_id bigint, impl_id bigint, dialect varchar, sql varchar, type varchar',
  macro_parameters:
    'macro_id bigint, impl_id bigint, column_id bigint, parameter_name varchar, parameter_type varchar, default_value varchar, default_value_type varchar',
  sort_info: 'sort_id bigint, table_id bigint, begin_snapshot bigint, end_snapshot bigint',
  sort_expression:
    'sort_id bigint, table_id bigint, sort_key_index bigint, expression varchar, dialect varchar, sort_direction varchar, null_order varchar',
}

/**
 * What DuckLake has no word for. `lake_changes` says of each snapshot why it was made, and up to which row of the log a
 * store must have come before it may take the snapshot over. `lake_parts` says up to which row of the log the files hold
 * all events of a part. `lake_readers` says which snapshot each store has taken over, and
 * `lake_erased` as of which snapshot no file has a person, and whether the files that ended by then are removed.
 */
const own = `
CREATE TABLE IF NOT EXISTS waymark.lake_changes (
  snapshot_id bigint PRIMARY KEY, kind text NOT NULL, through bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS waymark.lake_parts (
  snapshot_id bigint, environment text, day date, late boolean, through bigint NOT NULL,
  PRIMARY KEY (snapshot_id, environment, day, late)
);
CREATE TABLE IF NOT EXISTS waymark.lake_readers (name text PRIMARY KEY, adopted bigint NOT NULL);
CREATE TABLE IF NOT EXISTS waymark.lake_erased (
  task text PRIMARY KEY, snapshot_id bigint NOT NULL, removed boolean NOT NULL
);`

/** Processes are told here that there is a new snapshot. */
export const lakeChannel = 'waymark_lake'

/** DuckLake's number of the one table. */
export const eventsTable = 1

const lakeTables = `
${Object.entries(ducklake)
  .map(([name, columns]) => `CREATE TABLE IF NOT EXISTS waymark.ducklake_${name} (${columns});`)
  .join('\n')}${own}`

/**
 * The first two snapshots: an empty lake, and the table. `$1` is the folder, `$2` and `$3` the columns' names and types,
 * `$4` who writes it.
 */
export const beginLake = `
WITH metadata AS (
  INSERT INTO waymark.ducklake_metadata (key, value)
  VALUES ('version', '1.0'), ('created_by', $4), ('data_path', $1), ('encrypted', 'false')
), snapshots AS (
  INSERT INTO waymark.ducklake_snapshot VALUES (0, now(), 0, 1, 0), (1, now(), 1, 2, 0)
), changes AS (
  INSERT INTO waymark.ducklake_snapshot_changes (snapshot_id, changes_made)
  VALUES (0, 'created_schema:"main"'), (1, 'created_table:"main"."events"')
), schemas AS (
  INSERT INTO waymark.ducklake_schema VALUES (0, gen_random_uuid(), 0, NULL, 'main', '', true)
), tables AS (
  INSERT INTO waymark.ducklake_table VALUES (${eventsTable}, gen_random_uuid(), 1, NULL, 0, 'events', '', true)
), versions AS (
  INSERT INTO waymark.ducklake_schema_versions VALUES (1, 1, ${eventsTable})
), columns AS (
  INSERT INTO waymark.ducklake_column (column_id, begin_snapshot, table_id, column_order, column_name, column_type,
    nulls_allowed, default_value_type)
  SELECT at, 1, ${eventsTable}, at, name, type, true, 'literal'
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (name, type, at)
), stats AS (
  INSERT INTO waymark.ducklake_table_stats VALUES (${eventsTable}, 0, 0, 0)
), column_stats AS (
  INSERT INTO waymark.ducklake_table_column_stats (table_id, column_id, contains_null)
  SELECT ${eventsTable}, at, true FROM unnest($2::text[]) WITH ORDINALITY AS given (name, at)
)
INSERT INTO waymark.lake_changes VALUES (0, 'begin', 0), (1, 'begin', 0)`
