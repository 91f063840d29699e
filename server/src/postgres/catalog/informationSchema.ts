import { owner, pg } from './names.js'

const database = 'current_database()'

/** The views of `information_schema` that DuckDB's own would answer with the service's tables, or in other words. */
export const informationSchema: Record<string, string> = {
  schemata: `SELECT ${database} AS catalog_name, nspname AS schema_name, '${owner}' AS schema_owner FROM ${pg}.pg_namespace`,
  tables: `
SELECT ${database} AS table_catalog, nspname AS table_schema, relname AS table_name, CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END AS table_type
FROM ${pg}.relation_map`,
  views: `
SELECT ${database} AS table_catalog, nspname AS table_schema, relname AS table_name, sql AS view_definition
FROM ${pg}.relation_map WHERE relkind = 'v'`,
  columns: `
SELECT ${database} AS table_catalog, nspname AS table_schema, relname AS table_name, column_name, column_index AS ordinal_position, column_default,
  CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS is_nullable, CASE WHEN t.typcategory = 'A' THEN 'ARRAY' ELSE ${pg}.format_type(t.oid, NULL) END AS data_type,
  NULL::INTEGER AS character_maximum_length, numeric_precision, numeric_scale, NULL::VARCHAR AS character_set_name, NULL::VARCHAR AS collation_name,
  'pg_catalog' AS udt_schema, t.typname AS udt_name, 'NO' AS is_identity
FROM ${pg}.column_map c JOIN ${pg}.pg_type t ON t.oid = ${pg}.type_oid(c.data_type)`,
}
