import { oid, owner, pg } from './names.js'

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

/** Databases in memory are the service's own, or DuckDB's: tools see those in files. */
const files = 'SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL'

const keyName = `r.relname || '_' || CASE WHEN c.constraint_type = 'PRIMARY KEY' THEN '' ELSE array_to_string(c.constraint_column_names, '_') || '_' END
    || CASE c.constraint_type WHEN 'PRIMARY KEY' THEN 'pkey' WHEN 'UNIQUE' THEN 'key' WHEN 'FOREIGN KEY' THEN 'fkey' ELSE 'check' END`

/** The other views are made of these. No tool asks for them. */
export const relationMaps: Record<string, string> = {
  // The schemas of this database are shown as namespaces, and so is the schema `main` of each other catalog.
  namespace_map: `
SELECT database_name, schema_name, ${oid('database_name', 'schema_name')} AS oid,
  CASE WHEN database_name = current_database() THEN schema_name ELSE database_name END AS nspname
FROM duckdb_schemas()
WHERE schema_name NOT IN ('information_schema', 'pg_catalog', 'waymark_internal') AND NOT (database_name = 'analytics' AND schema_name = 'raw')
  AND CASE WHEN database_name = current_database() THEN true ELSE database_name IN (${files}) AND schema_name = 'main' END`,
  relation_map: `
SELECT ${oid('database_name', 'schema_name', 'table_name')} AS oid, table_name AS relname, n.oid AS relnamespace, n.nspname,
  'r' AS relkind, estimated_size, has_primary_key, comment, NULL AS sql, database_name, schema_name
FROM duckdb_tables() t JOIN ${pg}.namespace_map n USING (database_name, schema_name) WHERE NOT internal
UNION ALL
SELECT ${oid('database_name', 'schema_name', 'view_name')}, view_name, n.oid, n.nspname, 'v', 0, false, comment, sql, database_name, schema_name
FROM duckdb_views() v JOIN ${pg}.namespace_map n USING (database_name, schema_name) WHERE NOT internal`,
  column_map: `
SELECT r.oid AS attrelid, r.nspname, r.relname, c.*
FROM duckdb_columns() c JOIN ${pg}.relation_map r
  ON c.database_name = r.database_name AND c.schema_name = r.schema_name AND c.table_name = r.relname`,
  key_map: `
SELECT r.oid AS relid, r.relname, r.relnamespace, c.constraint_text, c.constraint_column_names,
  list_transform(c.constraint_column_indexes, lambda x: (x + 1)::SMALLINT) AS keys, ${keyName} AS name,
  CASE c.constraint_type WHEN 'PRIMARY KEY' THEN 'p' WHEN 'UNIQUE' THEN 'u' WHEN 'FOREIGN KEY' THEN 'f' ELSE 'c' END AS contype
FROM duckdb_constraints() c JOIN ${pg}.relation_map r
  ON c.database_name = r.database_name AND c.schema_name = r.schema_name AND c.table_name = r.relname
WHERE c.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY', 'CHECK')`,
}

const isIndex = `contype IN ('p', 'u')`

/** The tables of `pg_catalog` that tell of schemas, tables, columns and keys. */
export const relations: Record<string, string> = {
  pg_namespace: `
SELECT oid, nspname, 10::BIGINT AS nspowner, NULL::VARCHAR[] AS nspacl, 2615::BIGINT AS tableoid FROM ${pg}.namespace_map
UNION ALL VALUES (11, 'pg_catalog', 10, NULL, 2615), (13000, 'information_schema', 10, NULL, 2615)`,
  pg_class: `
SELECT oid, relname, relnamespace, relkind, 0::BIGINT AS reltype, 0::BIGINT AS reloftype, 10::BIGINT AS relowner,
  CASE relkind WHEN 'r' THEN 2 ELSE 0 END::BIGINT AS relam, 0::BIGINT AS reltablespace, 0 AS relpages, estimated_size::FLOAT AS reltuples,
  0::BIGINT AS reltoastrelid, has_primary_key AS relhasindex, 'p' AS relpersistence, 0::SMALLINT AS relchecks, relkind = 'v' AS relhasrules,
  false AS relhastriggers, false AS relhassubclass, false AS relrowsecurity, false AS relforcerowsecurity, 'd' AS relreplident,
  false AS relispartition, NULL::VARCHAR[] AS relacl, NULL::VARCHAR[] AS reloptions, NULL::VARCHAR AS relpartbound, false AS relhasoids, 1259::BIGINT AS tableoid
FROM ${pg}.relation_map
UNION ALL
SELECT ${oid('relid', 'name')}, name, relnamespace, 'i', 0, 0, 10, 403, 0, 0, 0, 0, false, 'p', 0, false, false, false, false, false, 'n', false, NULL, NULL, NULL, false, 1259
FROM ${pg}.key_map WHERE ${isIndex}`,
  pg_attribute: `
SELECT attrelid, column_name AS attname, ${pg}.type_oid(data_type)::BIGINT AS atttypid, -1::SMALLINT AS attlen, column_index::SMALLINT AS attnum,
  CASE WHEN data_type LIKE '%[]' AND ${pg}.type_oid(data_type) <> 114 THEN 1 ELSE 0 END AS attndims,
  CASE WHEN data_type LIKE 'DECIMAL(%' THEN (numeric_precision << 16) + numeric_scale + 4 ELSE -1 END::INTEGER AS atttypmod,
  'x' AS attstorage, NOT is_nullable AS attnotnull, column_default IS NOT NULL AS atthasdef, '' AS attidentity, '' AS attgenerated,
  false AS attisdropped, 0::BIGINT AS attcollation, NULL::VARCHAR[] AS attacl, NULL::VARCHAR[] AS attoptions
FROM ${pg}.column_map
UNION ALL
SELECT ${oid('k.relid', 'k.name')}, c.column_name, ${pg}.type_oid(c.data_type), -1, k.nth::SMALLINT, 0, -1, 'x', false, false, '', '', false, 0, NULL, NULL
FROM (SELECT relid, name, unnest(keys) AS attnum, generate_subscripts(keys, 1) AS nth FROM ${pg}.key_map WHERE ${isIndex}) k
  JOIN ${pg}.column_map c ON c.attrelid = k.relid AND c.column_index = k.attnum`,
  pg_attrdef: `
SELECT ${oid('attrelid', 'column_name')} AS oid, attrelid AS adrelid, column_index::SMALLINT AS adnum, column_default AS adbin
FROM ${pg}.column_map WHERE column_default IS NOT NULL`,
  pg_index: `
SELECT ${oid('relid', 'name')} AS indexrelid, relid AS indrelid, len(keys)::SMALLINT AS indnkeyatts, true AS indisunique, contype = 'p' AS indisprimary,
  false AS indisclustered, true AS indisvalid, false AS indisreplident, keys AS indkey,
  list_transform(keys, lambda x: 0::SMALLINT) AS indoption, NULL::VARCHAR AS indexprs, NULL::VARCHAR AS indpred
FROM ${pg}.key_map WHERE ${isIndex}`,
  pg_constraint: `
SELECT ${oid('relid', 'name', "'constraint'")} AS oid, name AS conname, relnamespace AS connamespace, contype, false AS condeferrable, false AS condeferred,
  true AS convalidated, relid AS conrelid, CASE WHEN ${isIndex} THEN ${oid('relid', 'name')} ELSE 0 END AS conindid,
  0::BIGINT AS confrelid, 'a' AS confupdtype, 'a' AS confdeltype, keys AS conkey, NULL::SMALLINT[] AS confkey
FROM ${pg}.key_map`,
  pg_description: `
SELECT oid AS objoid, 1259::BIGINT AS classoid, 0 AS objsubid, comment AS description FROM ${pg}.relation_map WHERE comment IS NOT NULL
UNION ALL SELECT attrelid, 1259, column_index, comment FROM ${pg}.column_map WHERE comment IS NOT NULL`,
  pg_tables: `SELECT nspname AS schemaname, relname AS tablename, '${owner}' AS tableowner, NULL::VARCHAR AS tablespace FROM ${pg}.relation_map WHERE relkind = 'r'`,
  pg_views: `SELECT nspname AS schemaname, relname AS viewname, '${owner}' AS viewowner, sql AS definition FROM ${pg}.relation_map WHERE relkind = 'v'`,
  pg_indexes: `
SELECT n.nspname AS schemaname, k.relname AS tablename, k.name AS indexname, NULL::VARCHAR AS tablespace, k.constraint_text AS indexdef
FROM ${pg}.key_map k JOIN ${pg}.pg_namespace n ON n.oid = k.relnamespace WHERE ${isIndex}`,
}
