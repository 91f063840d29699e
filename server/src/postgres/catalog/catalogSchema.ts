import { ownCatalog } from '../../store/ownCatalog.js'
import { quoteText } from '../../store/quote.js'
import { emptyTables } from './emptyTables.js'
import { postgresTypes } from '../types.js'
import { serverVersion } from '../Settings.js'

export const catalogSchema = `${ownCatalog}.pg`
const pg = catalogSchema

/** The name that is shown as the owner of everything. */
const owner = 'waymark'

/** Postgres numbers its objects. DuckDB's own numbers are not unique over several files, so names are hashed. */
const oid = (...parts: string[]) =>
  `(hash(concat_ws(chr(0), ${parts.join(', ')})) % 2000000000 + 16384)::BIGINT`

/** What is in memory is the service's own, or DuckDB's. */
const files = 'SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL'

/** The schemas of this database are shown as namespaces, and so is the schema `main` of each other catalog. */
const namespaces = `
SELECT database_name, schema_name, ${oid('database_name', 'schema_name')} AS oid,
  CASE WHEN database_name = current_database() THEN schema_name ELSE database_name END AS nspname
FROM duckdb_schemas()
WHERE schema_name NOT IN ('information_schema', 'pg_catalog', 'waymark_internal')
  AND NOT (database_name = 'analytics' AND schema_name = 'raw')
  AND CASE WHEN database_name = current_database() THEN true
    ELSE database_name IN (${files}) AND schema_name = 'main' END`

const typeCases = [
  ['BOOLEAN', 16], ['TINYINT', 21], ['UTINYINT', 21], ['SMALLINT', 21], ['USMALLINT', 23], ['INTEGER', 23],
  ['UINTEGER', 20], ['BIGINT', 20], ['UBIGINT', 1700], ['HUGEINT', 1700], ['UHUGEINT', 1700], ['FLOAT', 700],
  ['DOUBLE', 701], ['BLOB', 17], ['DATE', 1082], ['TIME', 1083], ['TIME WITH TIME ZONE', 1266],
  ['TIMESTAMP', 1114], ['TIMESTAMP_S', 1114], ['TIMESTAMP_MS', 1114], ['TIMESTAMP_NS', 1114],
  ['TIMESTAMP WITH TIME ZONE', 1184], ['INTERVAL', 1186], ['UUID', 2950], ['JSON', 114],
] as const // prettier-ignore
const arrayCases = typeCases.map(([name, id]) => [
  `${name}[]`,
  postgresTypes.find((type) => type.oid === id)!.arrayOid,
])

const typeOid = `
CASE ${[...typeCases, ...arrayCases].map(([name, id]) => `WHEN t = '${name}' THEN ${id}`).join(' ')}
  WHEN t = 'VARCHAR[]' THEN 1009 WHEN t LIKE '%[]' OR t LIKE 'STRUCT(%' OR t LIKE 'MAP(%' OR t LIKE 'UNION(%' THEN 114
  WHEN t LIKE 'DECIMAL(%' THEN 1700 ELSE 25 END`

const sqlNames: Record<string, string> = {
  bool: 'boolean', int2: 'smallint', int4: 'integer', int8: 'bigint', float4: 'real', float8: 'double precision',
  timestamp: 'timestamp without time zone', timestamptz: 'timestamp with time zone', time: 'time without time zone',
  timetz: 'time with time zone', varchar: 'character varying', bpchar: 'character', char: '"char"',
} // prettier-ignore
const sqlName = (name: string) => sqlNames[name] ?? name

const formatType = `
CASE ${postgresTypes
  .flatMap(({ name, oid: id, arrayOid }) => [
    `WHEN id = ${id} THEN ${quoteText(sqlName(name))}${
      name === 'numeric'
        ? ` || CASE WHEN modifier > 4 THEN format('({},{})', (modifier - 4) >> 16, (modifier - 4) & 65535) ELSE '' END`
        : ''
    }`,
    `WHEN id = ${arrayOid} THEN ${quoteText(`${sqlName(name)}[]`)}`,
  ])
  .join(' ')} ELSE '???' END`

const categories: Record<string, string> = {
  bool: 'B', date: 'D', time: 'D', timetz: 'D', timestamp: 'D', timestamptz: 'D', interval: 'T', text: 'S',
  varchar: 'S', bpchar: 'S', name: 'S', char: 'S', int2: 'N', int4: 'N', int8: 'N', float4: 'N', float8: 'N',
  numeric: 'N', oid: 'N',
} // prettier-ignore

const typeRows = postgresTypes.flatMap(({ name, oid: id, size, arrayOid }) => [
  `(${id}, '${name}', ${size}, '${categories[name] ?? 'U'}', 0, ${arrayOid}, '${name}in', '${name}recv')`,
  `(${arrayOid}, '_${name}', -1, 'A', ${id}, 0, 'array_in', 'array_recv')`,
])
const typeReceivers = [...postgresTypes.map(({ name }) => `'${name}recv'`), `'array_recv'`].join(', ')

const views: Record<string, string> = {
  namespace_map: namespaces,
  relation_map: `
SELECT ${oid('database_name', 'schema_name', 'table_name')} AS oid, table_name AS relname, n.oid AS relnamespace, n.nspname,
  'r' AS relkind, column_count, estimated_size, has_primary_key, comment, NULL AS sql, database_name, schema_name
FROM duckdb_tables() t JOIN ${pg}.namespace_map n USING (database_name, schema_name) WHERE NOT internal
UNION ALL
SELECT ${oid('database_name', 'schema_name', 'view_name')}, view_name, n.oid, n.nspname,
  'v', column_count, 0, false, comment, sql, database_name, schema_name
FROM duckdb_views() v JOIN ${pg}.namespace_map n USING (database_name, schema_name) WHERE NOT internal`,
  column_map: `
SELECT r.oid AS attrelid, r.nspname, r.relname, c.*
FROM duckdb_columns() c JOIN ${pg}.relation_map r
  ON c.database_name = r.database_name AND c.schema_name = r.schema_name AND c.table_name = r.relname`,
  key_map: `
SELECT r.oid AS relid, r.relname, r.relnamespace, c.constraint_type, c.constraint_text, c.constraint_column_names,
  list_transform(c.constraint_column_indexes, lambda x: (x + 1)::SMALLINT) AS keys,
  CASE c.constraint_type WHEN 'PRIMARY KEY' THEN 'p' WHEN 'UNIQUE' THEN 'u' WHEN 'FOREIGN KEY' THEN 'f' ELSE 'c' END AS contype,
  r.relname || '_' || CASE WHEN c.constraint_type = 'PRIMARY KEY' THEN '' ELSE array_to_string(c.constraint_column_names, '_') || '_' END
    || CASE c.constraint_type WHEN 'PRIMARY KEY' THEN 'pkey' WHEN 'UNIQUE' THEN 'key' WHEN 'FOREIGN KEY' THEN 'fkey' ELSE 'check' END AS name
FROM duckdb_constraints() c JOIN ${pg}.relation_map r
  ON c.database_name = r.database_name AND c.schema_name = r.schema_name AND c.table_name = r.relname
WHERE c.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY', 'CHECK')`,
  pg_namespace: `
SELECT oid, nspname, 10::BIGINT AS nspowner, NULL::VARCHAR[] AS nspacl, 2615::BIGINT AS tableoid FROM ${pg}.namespace_map
UNION ALL VALUES (11, 'pg_catalog', 10, NULL, 2615), (13000, 'information_schema', 10, NULL, 2615)`,
  pg_class: `
SELECT oid, relname, relnamespace, 0::BIGINT AS reltype, 0::BIGINT AS reloftype, 10::BIGINT AS relowner,
  CASE relkind WHEN 'r' THEN 2 ELSE 0 END::BIGINT AS relam, 0::BIGINT AS relfilenode, 0::BIGINT AS reltablespace,
  0 AS relpages, estimated_size::FLOAT AS reltuples, 0 AS relallvisible, 0::BIGINT AS reltoastrelid,
  has_primary_key AS relhasindex, false AS relisshared, 'p' AS relpersistence, relkind, column_count::SMALLINT AS relnatts,
  0::SMALLINT AS relchecks, relkind = 'v' AS relhasrules, false AS relhastriggers, false AS relhassubclass,
  false AS relrowsecurity, false AS relforcerowsecurity, true AS relispopulated, 'd' AS relreplident,
  false AS relispartition, 0::BIGINT AS relrewrite, NULL::VARCHAR[] AS relacl, NULL::VARCHAR[] AS reloptions,
  NULL::VARCHAR AS relpartbound, has_primary_key AS relhaspkey, false AS relhasoids, 1259::BIGINT AS tableoid
FROM ${pg}.relation_map
UNION ALL
SELECT ${oid('relid', 'name')}, name, relnamespace, 0, 0, 10, 403, 0, 0, 0, 0, 0, 0, false, false, 'p', 'i', len(keys)::SMALLINT,
  0, false, false, false, false, false, true, 'n', false, 0, NULL, NULL, NULL, false, false, 1259
FROM ${pg}.key_map WHERE contype IN ('p', 'u')`,
  pg_attribute: `
SELECT attrelid, column_name AS attname, ${pg}.type_oid(data_type)::BIGINT AS atttypid, -1 AS attstattarget, -1::SMALLINT AS attlen,
  column_index::SMALLINT AS attnum, CASE WHEN data_type LIKE '%[]' AND ${pg}.type_oid(data_type) <> 114 THEN 1 ELSE 0 END AS attndims, -1 AS attcacheoff,
  CASE WHEN data_type LIKE 'DECIMAL(%' THEN (numeric_precision << 16) + numeric_scale + 4 ELSE -1 END::INTEGER AS atttypmod,
  false AS attbyval, 'x' AS attstorage, 'i' AS attalign, NOT is_nullable AS attnotnull, column_default IS NOT NULL AS atthasdef,
  false AS atthasmissing, '' AS attidentity, '' AS attgenerated, false AS attisdropped, true AS attislocal, 0 AS attinhcount,
  0::BIGINT AS attcollation, '' AS attcompression, NULL::VARCHAR[] AS attacl, NULL::VARCHAR[] AS attoptions, NULL::VARCHAR[] AS attfdwoptions
FROM ${pg}.column_map
UNION ALL
SELECT ${oid('k.relid', 'k.name')}, c.column_name, ${pg}.type_oid(c.data_type), -1, -1, k.nth::SMALLINT, 0, -1, -1, false, 'x', 'i', false, false, false, '', '', false, true, 0, 0, '', NULL, NULL, NULL
FROM (SELECT relid, name, unnest(keys) AS attnum, generate_subscripts(keys, 1) AS nth FROM ${pg}.key_map WHERE contype IN ('p', 'u')) k
  JOIN ${pg}.column_map c ON c.attrelid = k.relid AND c.column_index = k.attnum`,
  pg_attrdef: `
SELECT ${oid('attrelid', 'column_name')} AS oid, attrelid AS adrelid, column_index::SMALLINT AS adnum, column_default AS adbin, column_default AS adsrc
FROM ${pg}.column_map WHERE column_default IS NOT NULL`,
  pg_index: `
SELECT ${oid('relid', 'name')} AS indexrelid, relid AS indrelid, len(keys)::SMALLINT AS indnatts, len(keys)::SMALLINT AS indnkeyatts, true AS indisunique,
  contype = 'p' AS indisprimary, false AS indisexclusion, true AS indimmediate, false AS indisclustered, true AS indisvalid,
  false AS indcheckxmin, true AS indisready, true AS indislive, false AS indisreplident, keys AS indkey, []::BIGINT[] AS indcollation,
  []::BIGINT[] AS indclass, list_transform(keys, lambda x: 0::SMALLINT) AS indoption, NULL::VARCHAR AS indexprs, NULL::VARCHAR AS indpred, false AS indnullsnotdistinct
FROM ${pg}.key_map WHERE contype IN ('p', 'u')`,
  pg_constraint: `
SELECT ${oid('relid', 'name', "'constraint'")} AS oid, name AS conname, relnamespace AS connamespace, contype, false AS condeferrable, false AS condeferred,
  true AS convalidated, relid AS conrelid, 0::BIGINT AS contypid, CASE WHEN contype IN ('p', 'u') THEN ${oid('relid', 'name')} ELSE 0 END AS conindid, 0::BIGINT AS conparentid,
  0::BIGINT AS confrelid, 'a' AS confupdtype, 'a' AS confdeltype, 's' AS confmatchtype, true AS conislocal, 0 AS coninhcount, true AS connoinherit,
  keys AS conkey, NULL::SMALLINT[] AS confkey, constraint_text AS conbin, constraint_text AS consrc, 2606::BIGINT AS tableoid
FROM ${pg}.key_map`,
  pg_description: `
SELECT oid AS objoid, 1259::BIGINT AS classoid, 0 AS objsubid, comment AS description FROM ${pg}.relation_map WHERE comment IS NOT NULL
UNION ALL SELECT attrelid, 1259, column_index, comment FROM ${pg}.column_map WHERE comment IS NOT NULL`,
  pg_type: `
SELECT oid::BIGINT AS oid, typname, 11::BIGINT AS typnamespace, 10::BIGINT AS typowner, typlen::SMALLINT AS typlen, typlen > 0 AS typbyval, 'b' AS typtype,
  typcategory, typname IN ('bool', 'float8', 'interval', 'oid', 'text', 'timestamptz') AS typispreferred, true AS typisdefined, ',' AS typdelim,
  0::BIGINT AS typrelid, typelem::BIGINT AS typelem, typarray::BIGINT AS typarray, typinput, replace(typinput, 'in', 'out') AS typoutput,
  ${oid('typreceive')} AS typreceive, replace(typinput, 'in', 'send') AS typsend, '-' AS typmodin, '-' AS typmodout, '-' AS typanalyze, '-' AS typsubscript,
  'i' AS typalign, 'p' AS typstorage, false AS typnotnull, 0::BIGINT AS typbasetype, -1 AS typtypmod, 0 AS typndims, 0::BIGINT AS typcollation,
  NULL::VARCHAR AS typdefaultbin, NULL::VARCHAR AS typdefault, NULL::VARCHAR[] AS typacl, 1247::BIGINT AS tableoid
FROM (VALUES ${typeRows.join(', ')}) t(oid, typname, typlen, typcategory, typelem, typarray, typinput, typreceive)`,
  // .NET's driver knows the arrays among the types by the function that reads them.
  pg_proc: `
SELECT ${oid('name')} AS oid, name AS proname, 11::BIGINT AS pronamespace, 10::BIGINT AS proowner, 0::BIGINT AS prolang, 0::BIGINT AS prorettype, []::BIGINT[] AS proargtypes, NULL::VARCHAR AS proargdefaults, 'f' AS prokind,
  false AS proretset, []::VARCHAR[] AS proargnames, []::VARCHAR[] AS proargmodes, []::BIGINT[] AS proallargtypes, false AS proisagg, 1255::BIGINT AS tableoid
FROM (SELECT DISTINCT unnest([${typeReceivers}]) AS name)`,
  pg_database: `
SELECT ${oid('database_name')} AS oid, database_name AS datname, 10::BIGINT AS datdba, 6 AS encoding, 'c' AS datlocprovider, 'C' AS datcollate, 'C' AS datctype,
  false AS datistemplate, true AS datallowconn, -1 AS datconnlimit, 0::BIGINT AS datlastsysoid, 1663::BIGINT AS dattablespace, NULL::VARCHAR AS daticulocale, NULL::VARCHAR AS datcollversion, NULL::VARCHAR[] AS datacl, 1262::BIGINT AS tableoid
FROM duckdb_databases() WHERE path IS NOT NULL`,
  pg_roles: `
SELECT '${owner}' AS rolname, false AS rolsuper, true AS rolinherit, false AS rolcreaterole, false AS rolcreatedb, true AS rolcanlogin, false AS rolreplication,
  -1 AS rolconnlimit, '********' AS rolpassword, NULL::TIMESTAMPTZ AS rolvaliduntil, false AS rolbypassrls, NULL::VARCHAR[] AS rolconfig, 10::BIGINT AS oid`,
  pg_authid: `SELECT * FROM ${pg}.pg_roles`,
  pg_user: `SELECT '${owner}' AS usename, 10::BIGINT AS usesysid, false AS usecreatedb, false AS usesuper, false AS userepl, false AS usebypassrls`,
  pg_shadow: `SELECT * FROM ${pg}.pg_user`,
  pg_group: `SELECT rolname AS groname, oid AS grosysid FROM ${pg}.pg_roles WHERE false`,
  pg_am: `SELECT * FROM (VALUES (2::BIGINT, 'heap', '-', 't'), (403, 'btree', '-', 'i')) t(oid, amname, amhandler, amtype)`,
  pg_tablespace: `SELECT 1663::BIGINT AS oid, 'pg_default' AS spcname, 10::BIGINT AS spcowner, NULL::VARCHAR[] AS spcacl, NULL::VARCHAR[] AS spcoptions`,
  pg_settings: `
SELECT name, setting, NULL::VARCHAR AS unit, '' AS category, '' AS short_desc, '' AS extra_desc, 'user' AS context, 'string' AS vartype, 'default' AS source,
  NULL::VARCHAR AS min_val, NULL::VARCHAR AS max_val, NULL::VARCHAR[] AS enumvals, setting AS boot_val, setting AS reset_val, false AS pending_restart
FROM (VALUES ('server_version', '${serverVersion}'), ('server_version_num', '140000'), ('server_encoding', 'UTF8'), ('client_encoding', 'UTF8'),
  ('max_identifier_length', '63'), ('max_index_keys', '32'), ('standard_conforming_strings', 'on'), ('search_path', 'main'), ('TimeZone', 'UTC')) t(name, setting)`,
  pg_tables: `
SELECT nspname AS schemaname, relname AS tablename, '${owner}' AS tableowner, NULL::VARCHAR AS tablespace, has_primary_key AS hasindexes, false AS hasrules,
  false AS hastriggers, false AS rowsecurity FROM ${pg}.relation_map WHERE relkind = 'r'`,
  pg_views: `SELECT nspname AS schemaname, relname AS viewname, '${owner}' AS viewowner, sql AS definition FROM ${pg}.relation_map WHERE relkind = 'v'`,
  pg_indexes: `SELECT n.nspname AS schemaname, k.relname AS tablename, k.name AS indexname, NULL::VARCHAR AS tablespace, k.constraint_text AS indexdef
FROM ${pg}.key_map k JOIN ${pg}.pg_namespace n ON n.oid = k.relnamespace WHERE contype IN ('p', 'u')`,
  information_schema_schemata: `SELECT current_database() AS catalog_name, nspname AS schema_name, '${owner}' AS schema_owner FROM ${pg}.pg_namespace`,
  information_schema_tables: `
SELECT current_database() AS table_catalog, nspname AS table_schema, relname AS table_name, CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END AS table_type,
  NULL::VARCHAR AS self_referencing_column_name, NULL::VARCHAR AS reference_generation, NULL::VARCHAR AS user_defined_type_catalog,
  NULL::VARCHAR AS user_defined_type_schema, NULL::VARCHAR AS user_defined_type_name, 'NO' AS is_insertable_into, 'NO' AS is_typed, NULL::VARCHAR AS commit_action
FROM ${pg}.relation_map`,
  information_schema_views: `
SELECT current_database() AS table_catalog, nspname AS table_schema, relname AS table_name, sql AS view_definition, 'NONE' AS check_option,
  'NO' AS is_updatable, 'NO' AS is_insertable_into FROM ${pg}.relation_map WHERE relkind = 'v'`,
  information_schema_columns: `
SELECT current_database() AS table_catalog, nspname AS table_schema, relname AS table_name, column_name, column_index AS ordinal_position, column_default,
  CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS is_nullable, CASE WHEN t.typcategory = 'A' THEN 'ARRAY' ELSE ${pg}.format_type(t.oid, NULL) END AS data_type,
  NULL::INTEGER AS character_maximum_length, NULL::INTEGER AS character_octet_length, numeric_precision, numeric_precision_radix, numeric_scale,
  NULL::INTEGER AS datetime_precision, NULL::VARCHAR AS interval_type, NULL::VARCHAR AS character_set_name, NULL::VARCHAR AS collation_name,
  current_database() AS udt_catalog, 'pg_catalog' AS udt_schema, t.typname AS udt_name, column_index::VARCHAR AS dtd_identifier, 'NO' AS is_identity, 'NEVER' AS is_generated,
  NULL::VARCHAR AS generation_expression, 'NO' AS is_updatable, NULL::VARCHAR AS identity_generation
FROM ${pg}.column_map c JOIN ${pg}.pg_type t ON t.oid = ${pg}.type_oid(c.data_type)`,
}

/** https://www.postgresql.org/docs/current/sql-keywords-appendix.html: those that must be quoted as a name. */
const reservedWords = (
  'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create ' +
  'current_catalog current_date current_role current_time current_timestamp current_user default deferrable desc ' +
  'distinct do else end except false fetch for foreign from grant group having in initially intersect into lateral ' +
  'leading limit localtime localtimestamp not null offset on only or order placing primary references returning ' +
  'select session_user some symmetric table then to trailing true union unique user using variadic when where window with'
)
  .split(' ')
  .map(quoteText)
  .join(', ')

const jsonTypeof = `CASE json_type(value::JSON) WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'NULL' THEN 'null' ELSE 'number' END`

const always = (value: string, ...parameters: string[]) =>
  parameters.map((each): [string, string] => [each, value])

/** Each macro has a list of overloads: parameters and the SQL of the result. */
const macros: Record<string, [string, string][]> = {
  version: [['', `'PostgreSQL ${serverVersion}'`]],
  current_setting: ['given', 'given, missing'].map((parameters): [string, string] => [
    parameters,
    `(SELECT max(s.setting) FROM ${pg}.pg_settings s WHERE s.name = given)`,
  ]),
  format_type: [['id, modifier', formatType]],
  pg_get_userbyid: always(`'${owner}'`, 'object'),
  pg_table_is_visible: [['object', `(SELECT count(*) > 0 FROM ${pg}.relation_map r WHERE r.oid = object AND r.nspname IN ('main', 'analytics', current_schema()))`]],
  pg_type_is_visible: always('true', 'object'),
  pg_function_is_visible: always('true', 'object'),
  pg_get_expr: always('expression', 'expression, relation', 'expression, relation, pretty'),
  pg_get_viewdef: ['object', 'object, pretty'].map((parameters): [string, string] => [parameters, `(SELECT max(r.sql) FROM ${pg}.relation_map r WHERE r.oid = object)`]),
  pg_get_constraintdef: ['object', 'object, pretty'].map((parameters): [string, string] => [parameters, `(SELECT max(c.consrc) FROM ${pg}.pg_constraint c WHERE c.oid = object)`]),
  pg_get_indexdef: [
    ['object', `(SELECT max('CREATE UNIQUE INDEX ' || k.name || ' ON ' || k.relname || ' USING btree (' || array_to_string(k.constraint_column_names, ', ') || ')') FROM ${pg}.key_map k WHERE ${oid('k.relid', 'k.name')} = object)`],
    ['object, place, pretty', `(SELECT max(k.constraint_column_names[place]) FROM ${pg}.key_map k WHERE ${oid('k.relid', 'k.name')} = object)`],
  ],
  obj_description: ['object', 'object, catalog'].map((parameters): [string, string] => [parameters, `(SELECT max(d.description) FROM ${pg}.pg_description d WHERE d.objoid = object AND d.objsubid = 0)`]),
  col_description: [['object, place', `(SELECT max(d.description) FROM ${pg}.pg_description d WHERE d.objoid = object AND d.objsubid = place)`]],
  shobj_description: always('NULL::VARCHAR', 'object, catalog'),
  pg_encoding_to_char: always(`'UTF8'`, 'object'),
  pg_backend_pid: always('1', ''),
  pg_is_in_recovery: always('false', ''),
  pg_relation_size: always('0::BIGINT', 'object', 'object, fork'),
  pg_total_relation_size: always('0::BIGINT', 'object'),
  pg_table_size: always('0::BIGINT', 'object'),
  pg_database_size: always('0::BIGINT', 'object'),
  pg_relation_is_publishable: always('false', 'object'),
  pg_get_partkeydef: always('NULL::VARCHAR', 'object'),
  pg_get_serial_sequence: always('NULL::VARCHAR', 'relation, col'),
  pg_get_function_result: always('NULL::VARCHAR', 'object'),
  pg_get_function_arguments: always('NULL::VARCHAR', 'object'),
  pg_get_function_identity_arguments: always('NULL::VARCHAR', 'object'),
  pg_get_triggerdef: always('NULL::VARCHAR', 'object', 'object, pretty'),
  pg_get_ruledef: always('NULL::VARCHAR', 'object', 'object, pretty'),
  pg_get_statisticsobjdef_columns: always('NULL::VARCHAR', 'object'),
  pg_tablespace_location: always(`''`, 'object'),
  pg_stat_get_live_tuples: always('0::BIGINT', 'object'),
  pg_stat_get_numscans: always('0::BIGINT', 'object'),
  pg_postmaster_start_time: always('now()', ''),
  has_table_privilege: always('true', 'a, b', 'a, b, c'),
  has_any_column_privilege: always('true', 'a, b', 'a, b, c'),
  has_column_privilege: always('true', 'a, b, c', 'a, b, c, d'),
  has_schema_privilege: always('true', 'a, b', 'a, b, c'),
  has_database_privilege: always('true', 'a, b', 'a, b, c'),
  has_function_privilege: always('true', 'a, b', 'a, b, c'),
  has_sequence_privilege: always('true', 'a, b', 'a, b, c'),
  pg_has_role: always('true', 'a, b', 'a, b, c'),
  current_schemas: always(`list_distinct(['pg_catalog', current_schema(), 'main', 'analytics'])`, 'implicit'),
  array_upper: always('len(items)', 'items, dimension'),
  array_lower: always('1', 'items, dimension'),
  quote_ident: always(`CASE WHEN regexp_full_match(name, '[a-z_][a-z0-9_$]*') AND NOT list_contains([${reservedWords}], name) THEN name ELSE '"' || replace(name, '"', '""') || '"' END`, 'name'),
  quote_literal: always(`('''' || replace(value::VARCHAR, '''', '''''') || '''')::VARCHAR`, 'value'),
  quote_nullable: always(`coalesce('''' || replace(value::VARCHAR, '''', '''''') || '''', 'NULL')`, 'value'),
  ...Object.fromEntries(Array.from({ length: 10 }, (_, groups) => [`match_${groups}`, [['value, pattern', `CASE WHEN regexp_matches(value, pattern) THEN [${groups === 0 ? 'regexp_extract(value, pattern)' : Array.from({ length: groups }, (__, nth) => `regexp_extract(value, pattern, ${nth + 1})`).join(', ')}] END`]]])),
  initcap: always(`array_to_string(list_transform(regexp_extract_all(lower(value), '[[:alnum:]]+|[^[:alnum:]]+'), lambda part: upper(part[1]) || part[2:]), '')`, 'value'),
  clock_timestamp: always('now()', ''),
  statement_timestamp: always('now()', ''),
  make_interval: [['years := 0, months := 0, weeks := 0, days := 0, hours := 0, mins := 0, secs := 0', 'to_years(years) + to_months(months) + to_days(7 * weeks + days) + to_hours(hours) + to_minutes(mins) + to_microseconds((secs * 1000000)::BIGINT)']],
  encode: [['value', 'value::VARCHAR::BLOB'], ['value, form', `CASE form WHEN 'hex' THEN lower(hex(value::BLOB)) WHEN 'base64' THEN to_base64(value::BLOB) ELSE error('encode writes hex and base64.') END`]],
  json_typeof: always(jsonTypeof, 'value'),
  jsonb_typeof: always(jsonTypeof, 'value'),
  parse_ident: always(`list_transform(regexp_extract_all(name, '"(?:[^"]|"")*"|[^. ]+'), lambda part: CASE WHEN part[1] = '"' THEN replace(part[2:-2], '""', '"') ELSE lower(part) END)`, 'name'),
  pg_get_keywords: [['', `TABLE SELECT keyword_name AS word, upper(keyword_category[1]) AS catcode, keyword_category AS catdesc FROM duckdb_keywords()`]],
  pg_export_snapshot: always(`''`, ''),
  pg_advisory_unlock_all: always('NULL::VARCHAR', ''),
  inet_server_addr: always('NULL::VARCHAR', ''),
  inet_server_port: always('NULL::INTEGER', ''),
  inet_client_addr: always('NULL::VARCHAR', ''),
  set_config: always('value', 'name, value, is_local'),
  _pg_expandarray: always(`unnest(list_transform(items, lambda item, nth: {'x': item, 'n': nth}))`, 'items'),
  to_regclass: [['given', `coalesce(try_cast(given AS BIGINT), (SELECT arg_max(r.oid, r.nspname = 'main') FROM ${pg}.relation_map r WHERE replace(given::VARCHAR, '"', '') IN (r.nspname || '.' || r.relname, r.relname)
    OR (r.nspname = 'main' AND replace(given::VARCHAR, '"', '') = 'public.' || r.relname)))`]],
  to_regtype: [['given', `coalesce(try_cast(given AS BIGINT), (SELECT max(t.oid) FROM ${pg}.pg_type t WHERE given::VARCHAR IN (t.typname, ${pg}.format_type(t.oid, NULL))))`]],
  to_regnamespace: [['given', `coalesce(try_cast(given AS BIGINT), (SELECT max(n.oid) FROM ${pg}.pg_namespace n WHERE n.nspname = given::VARCHAR))`]],
  regclass_name: [['object', `coalesce((SELECT max(r.relname) FROM ${pg}.pg_class r WHERE r.oid::VARCHAR = object::VARCHAR), object::VARCHAR)`]],
  regtype_name: [['object', `${pg}.format_type(object::BIGINT, NULL)`]],
  regnamespace_name: [['object', `coalesce((SELECT max(n.nspname) FROM ${pg}.pg_namespace n WHERE n.oid = object), object::VARCHAR)`]],
} // prettier-ignore

/** Views use these macros, so they are created before the views. */
const first = ['format_type']

const createMacro = (name: string) =>
  `CREATE OR REPLACE MACRO ${catalogSchema}.${name}${macros[name]!.map(([parameters, value]) => `(${parameters}) AS ${value}`).join(', ')}`

export const catalogViews: ReadonlySet<string> = new Set([...Object.keys(views), ...Object.keys(emptyTables)])
export const catalogMacros: ReadonlySet<string> = new Set(Object.keys(macros))

/** Creates what Postgres's tools ask for first and DuckDB's own `pg_catalog` lacks. */
export const createCatalog: readonly string[] = [
  `ATTACH IF NOT EXISTS ':memory:' AS ${ownCatalog}`,
  `CREATE SCHEMA IF NOT EXISTS ${pg}`,
  `CREATE OR REPLACE MACRO ${catalogSchema}.type_oid(t) AS ${typeOid}`,
  ...first.map(createMacro),
  ...Object.entries({ ...emptyTables, ...views }).map(
    ([name, sql]) => `CREATE OR REPLACE VIEW ${catalogSchema}.${name} AS ${sql}`,
  ),
  ...Object.keys(macros)
    .filter((name) => !first.includes(name))
    .map(createMacro),
]
