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

export const lakeTables = `
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
