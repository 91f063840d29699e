import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { allowedFunctions, allowedViews } from '../../../src/sql/guard/allowed.js'

/** Looked at, and not allowed. Whatever is in neither list was never looked at. */
const refused = `
__postfix add_parquet_key all_profiling_output arrow_scan arrow_scan_dumb can_cast_implicitly check_peg_parser
checkpoint combine constant_or_null copy_database create_sort_key database_list disable_checkpoint_on_shutdown
disable_logging disable_object_cache disable_optimizer disable_peg_parser disable_print_progress_bar
disable_profile disable_profiling disable_progress_bar disable_verification disable_verify_external
disable_verify_fetch_row disable_verify_parallelism disable_verify_serializer duckdb_approx_database_count
duckdb_connection_count duckdb_coordinate_systems duckdb_databases duckdb_extensions
duckdb_external_file_cache duckdb_log_contexts duckdb_logs duckdb_logs_parsed duckdb_memory duckdb_optimizers
duckdb_prepared_statements duckdb_profiling_settings duckdb_secret_types duckdb_secrets duckdb_settings
duckdb_table_sample duckdb_temporary_files enable_checkpoint_on_shutdown enable_logging enable_object_cache
enable_optimizer enable_peg_parser enable_print_progress_bar enable_profile enable_profiling
enable_progress_bar enable_verification extension_versions finalize force_checkpoint get_type glob
import_database is_histogram_other_bin json_deserialize_sql json_execute_serialized_sql json_serialize_plan
json_serialize_sql make_type metadata_info normalized_interval parquet_bloom_probe parquet_file_metadata
parquet_full_metadata parquet_kv_metadata parquet_metadata parquet_scan parquet_schema
parse_duckdb_log_message pg_sleep pragma_metadata_info query query_table read_blob read_csv read_csv_auto
read_duckdb read_json read_json_auto read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto
read_ndjson_objects read_parquet read_text remap_struct replace_type reservoir_quantile seq_scan sleep_ms
sniff_csv sql_auto_complete switch timetz_byte_comparable truncate_duckdb_logs unpivot_list
variant_bytes_to_variant variant_normalize variant_to_parquet_variant vector_type verify_external
verify_fetch_row verify_parallelism verify_serializer which_secret write_log
duckdb_databases duckdb_logs pg_prepared_statements pg_settings pragma_database_list
`
  .trim()
  .split(/\s+/)

/** Families whose members are called by DuckDB's own plans, or by COLLATE. */
const ofDuckdb = /^(?:__internal_(?:de)?compress_|icu_collate_)/

it('every function and view of DuckDB was looked at: it is allowed, or refused, and not both', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT lower(name) FROM (
       SELECT function_name AS name FROM duckdb_functions() WHERE internal
       UNION SELECT view_name FROM duckdb_views() WHERE internal)
     WHERE regexp_matches(name, '[a-z]')`,
  )
  const names = (reader.getRows() as [string][])
    .map(([name]) => name.replace(/^!/, ''))
    .filter((name) => !ofDuckdb.test(name))
  connection.closeSync()
  instance.closeSync()
  const known = new Set([...allowedFunctions, ...allowedViews, ...refused])
  expect(names.filter((name) => !known.has(name))).toEqual([])
  const there = new Set(names)
  expect([...known].filter((name) => !there.has(name))).toEqual([])
  expect(refused.filter((name) => allowedFunctions.has(name) || allowedViews.has(name))).toEqual([])
})
