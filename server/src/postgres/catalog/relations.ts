import { serverVersion } from '../Settings.js'
import { always, type Macros } from './functions.js'
import { oid, owner, ownerOid, pg } from './names.js'
import type { Values } from './shapes.js'
import { formatType, functionRows, typeColumns, typeRows } from './typeTables.js'

/** Rows of a relation: the values of the columns of which something is to be said, and where they come from. */
export interface Rows {
  from: string
  values: Values
}

const same = (names: string): Values => Object.fromEntries(names.split(' ').map((name) => [name, name]))

/** What never changes, and stands in tables. */
export const constants: Record<string, Rows> = {
  pg_type: {
    from: `(VALUES ${typeRows}) t(${typeColumns.join(', ')})`,
    values: { ...same(typeColumns.join(' ')), typnamespace: '11', typowner: ownerOid, typisdefined: 'true', typdelim: `','`, typtypmod: '-1' },
  },
  pg_proc: {
    from: `(VALUES ${functionRows}) t(oid, proname)`,
    values: { ...same('oid proname'), pronamespace: '11', proowner: ownerOid, prolang: '12', procost: '1', prokind: `'f'`, proisstrict: 'true', provolatile: `'i'`, proparallel: `'s'`, prosrc: 'proname' },
  },
  pg_am: {
    from: `(VALUES (2, 'heap', 't'), (403, 'btree', 'i')) t(oid, amname, amtype)`,
    values: same('oid amname amtype'),
  },
  pg_collation: {
    from: `(VALUES (100, 'default', 'd', -1, NULL), (950, 'C', 'c', -1, 'C'), (951, 'POSIX', 'c', -1, 'POSIX')) t(oid, collname, collprovider, collencoding, collcollate)`,
    values: { ...same('oid collname collprovider collencoding collcollate'), collctype: 'collcollate', collnamespace: '11', collowner: ownerOid, collisdeterministic: 'true' },
  },
  pg_opclass: {
    from: '(VALUES (1)) t',
    values: { oid: '1', opcmethod: '403', opcname: `'ops'`, opcnamespace: '11', opcowner: ownerOid, opcdefault: 'true' },
  },
  pg_language: {
    from: `(VALUES (12, 'internal'), (14, 'sql')) t(oid, lanname)`,
    values: { ...same('oid lanname'), lanowner: ownerOid },
  },
  pg_tablespace: {
    from: `(VALUES (1663, 'pg_default'), (1664, 'pg_global')) t(oid, spcname)`,
    values: { ...same('oid spcname'), spcowner: ownerOid },
  },
} // prettier-ignore

const yes = `'YES'`
const no = `'NO'`
const isIndex = `contype IN ('p', 'u')`
const isVariable = `typlen = -1`
const sizes = 'seq_scan seq_tup_read n_tup_ins n_tup_upd n_tup_del'
const noCounts = (names: string): Values => Object.fromEntries(names.split(' ').map((name) => [name, '0']))
const keyWord = `CASE contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' WHEN 'f' THEN 'FOREIGN KEY' ELSE 'CHECK' END`
const indexText = `'CREATE UNIQUE INDEX ' || name || ' ON ' || nspname || '.' || relname || ' USING btree (' || array_to_string(names, ', ') || ')'`
const isNumber = `typcategory = 'N' AND typname <> 'oid'`
const bits = `CASE typname WHEN 'int2' THEN 16 WHEN 'int4' THEN 32 WHEN 'int8' THEN 64 WHEN 'float4' THEN 24 WHEN 'float8' THEN 53 ELSE CASE WHEN atttypmod > 4 THEN (atttypmod - 4) >> 16 END END`

/** A database as its clients see it. */
export interface Place {
  /** The text of its name. */
  database: string
  /** The schema of what is shown there. */
  own: string
}

/** What is known of schemas, relations, columns and keys, as the relations in which PostgreSQL tells of it. */
export const relationsOf = ({ database, own }: Place): Record<string, Rows[]> => {
  const tableCounts: Rows = {
    from: `${own}.shown_relations WHERE relkind = 'r' AND database_name IS NOT NULL`,
    values: { relid: 'oid', schemaname: 'nspname', relname: 'relname', n_live_tup: 'reltuples', ...noCounts(`${sizes} n_tup_hot_upd n_dead_tup n_mod_since_analyze n_ins_since_vacuum vacuum_count autovacuum_count analyze_count autoanalyze_count`) },
  } // prettier-ignore
  const indexCounts: Rows = {
    from: `${own}.shown_keys WHERE ${isIndex}`,
    values: { relid: 'relid', indexrelid: 'indexid', schemaname: 'nspname', relname: 'relname', indexrelname: 'name', ...noCounts('idx_scan idx_tup_read idx_tup_fetch') },
  } // prettier-ignore
  const keyColumns = `(SELECT *, unnest(names) AS column_name, generate_subscripts(names, 1) AS nth FROM ${own}.shown_keys WHERE contype <> 'c')`
  const ofTable = { table_catalog: database, table_schema: 'nspname', table_name: 'relname' }
  const ofConstraint = { constraint_catalog: database, constraint_schema: 'nspname', constraint_name: 'name' }
  return {
    pg_namespace: [{ from: `${own}.shown_namespaces`, values: { ...same('oid nspname'), nspowner: ownerOid } }],
    pg_class: [
      {
        from: `${own}.shown_relations`,
        values: { ...same('oid relname relnamespace relkind reltuples relhasindex relnatts relchecks'), relowner: ownerOid, reltype: 'oid', relfilenode: `CASE relkind WHEN 'r' THEN oid ELSE 0 END`, relam: `CASE relkind WHEN 'r' THEN 2 ELSE 0 END`, relpersistence: `'p'`, relhasrules: `relkind = 'v'`, relispopulated: 'true', relreplident: `CASE relkind WHEN 'r' THEN 'd' ELSE 'n' END` },
      },
      {
        from: `${own}.shown_keys WHERE ${isIndex}`,
        values: { oid: 'indexid', relname: 'name', relnamespace: 'relnamespace', relkind: `'i'`, relowner: ownerOid, relfilenode: 'indexid', relam: '403', relpersistence: `'p'`, relnatts: 'len(keys)', relispopulated: 'true', relreplident: `'n'` },
      },
    ],
    pg_attribute: [
      {
        from: `${own}.shown_columns`,
        values: { ...same('attrelid attname atttypid attnum atttypmod attnotnull'), attstattarget: '-1', attlen: 'typlen', attndims: `CASE WHEN typcategory = 'A' AND typname NOT LIKE '%vector' THEN 1 ELSE 0 END`, attcacheoff: '-1', attbyval: 'typbyval', attalign: 'typalign', attstorage: 'typstorage', atthasdef: 'column_default IS NOT NULL', attislocal: 'true', attcollation: 'typcollation' },
      },
      {
        from: `(SELECT indexid, unnest(keys) AS attnum, generate_subscripts(keys, 1) AS nth, relid FROM ${own}.shown_keys WHERE ${isIndex}) k JOIN ${own}.shown_columns c ON c.attrelid = k.relid AND c.attnum = k.attnum`,
        values: { attrelid: 'indexid', attname: 'attname', atttypid: 'atttypid', attnum: 'nth', atttypmod: 'atttypmod', attstattarget: '-1', attlen: 'typlen', attcacheoff: '-1', attbyval: 'typbyval', attalign: 'typalign', attstorage: 'typstorage', attislocal: 'true', attcollation: 'typcollation' },
      },
    ],
    pg_attrdef: [{ from: `${own}.shown_columns WHERE column_default IS NOT NULL`, values: { oid: oid('attrelid', 'attname'), adrelid: 'attrelid', adnum: 'attnum', adbin: 'column_default' } }],
    pg_index: [
      {
        from: `${own}.shown_keys WHERE ${isIndex}`,
        values: { indexrelid: 'indexid', indrelid: 'relid', indnatts: 'len(keys)', indnkeyatts: 'len(keys)', indisunique: 'true', indisprimary: `contype = 'p'`, indimmediate: 'true', indisvalid: 'true', indisready: 'true', indislive: 'true', indkey: 'keys', indcollation: 'list_transform(keys, lambda x: 0)', indclass: 'list_transform(keys, lambda x: 1)', indoption: 'list_transform(keys, lambda x: 0)' },
      },
    ],
    pg_constraint: [
      {
        // Where it refers to, a unique index is.
        from: `(SELECT k.*, p.indexid AS referenced FROM ${own}.shown_keys k LEFT JOIN ${pg}.keys p ON k.contype = 'f' AND p.relid = k.confrelid AND p.contype IN ('p', 'u') AND p.names = k.confnames)`,
        values: { oid: 'oid', conname: 'name', connamespace: 'relnamespace', contype: 'contype', convalidated: 'true', conrelid: 'relid', conindid: `CASE WHEN ${isIndex} THEN indexid ELSE coalesce(referenced, 0) END`, confrelid: 'coalesce(confrelid, 0)', confupdtype: `CASE contype WHEN 'f' THEN 'a' ELSE ' ' END`, confdeltype: `CASE contype WHEN 'f' THEN 'a' ELSE ' ' END`, confmatchtype: `CASE contype WHEN 'f' THEN 's' ELSE ' ' END`, conislocal: 'true', connoinherit: `contype <> 'c'`, conkey: 'keys', confkey: 'confkeys' },
      },
    ],
    pg_description: [
      { from: `${own}.shown_relations WHERE comment IS NOT NULL`, values: { objoid: 'oid', classoid: '1259', objsubid: '0', description: 'comment' } },
      { from: `${own}.shown_columns WHERE comment IS NOT NULL`, values: { objoid: 'attrelid', classoid: '1259', objsubid: 'attnum', description: 'comment' } },
    ],
    pg_database: [
      {
        from: `(SELECT DISTINCT database_name FROM ${pg}.namespaces WHERE database_name IS NOT NULL)`,
        values: { oid: oid('database_name'), datname: 'database_name', datdba: ownerOid, encoding: '6', datlocprovider: `'c'`, datallowconn: 'true', datconnlimit: '-1', dattablespace: '1663', datcollate: `'C'`, datctype: `'C'` },
      },
    ],
    pg_tables: [{ from: `${own}.shown_relations WHERE relkind = 'r'`, values: { schemaname: 'nspname', tablename: 'relname', tableowner: `'${owner}'`, hasindexes: 'relhasindex', hasrules: 'false', hastriggers: 'false', rowsecurity: 'false' } }],
    pg_views: [{ from: `${own}.shown_relations WHERE relkind = 'v'`, values: { schemaname: 'nspname', viewname: 'relname', viewowner: `'${owner}'`, definition: 'sql' } }],
    pg_indexes: [{ from: `${own}.shown_keys WHERE ${isIndex}`, values: { schemaname: 'nspname', tablename: 'relname', indexname: 'name', indexdef: indexText } }],
    pg_stat_all_tables: [tableCounts],
    pg_stat_user_tables: [tableCounts],
    pg_stat_all_indexes: [indexCounts],
    pg_stat_user_indexes: [indexCounts],
    information_schema_information_schema_catalog_name: [{ from: '(VALUES (1)) t', values: { catalog_name: database } }],
    information_schema_schemata: [{ from: `${own}.shown_namespaces`, values: { catalog_name: database, schema_name: 'nspname', schema_owner: `'${owner}'` } }],
    information_schema_tables: [{ from: `${own}.shown_relations`, values: { ...ofTable, table_type: `CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END`, is_insertable_into: no, is_typed: no } }],
    information_schema_views: [{ from: `${own}.shown_relations WHERE relkind = 'v'`, values: { ...ofTable, view_definition: 'sql', check_option: `'NONE'`, is_updatable: no, is_insertable_into: no, is_trigger_updatable: no, is_trigger_deletable: no, is_trigger_insertable_into: no } }],
    information_schema_columns: [
      {
        from: `${own}.shown_columns`,
        values: { ...ofTable, column_name: 'attname', ordinal_position: 'attnum', column_default: 'column_default', is_nullable: `CASE WHEN attnotnull THEN ${no} ELSE ${yes} END`, data_type: `CASE WHEN typcategory = 'A' THEN 'ARRAY' ELSE ${pg}.format_type(atttypid, NULL) END`, character_octet_length: `CASE WHEN typcategory = 'S' AND ${isVariable} THEN 1073741824 END`, numeric_precision: `CASE WHEN ${isNumber} THEN ${bits} END`, numeric_precision_radix: `CASE WHEN ${isNumber} THEN CASE typname WHEN 'numeric' THEN 10 ELSE 2 END END`, numeric_scale: `CASE WHEN typname LIKE 'int%' AND typcategory = 'N' THEN 0 WHEN typname = 'numeric' AND atttypmod > 4 THEN (atttypmod - 4) & 65535 END`, datetime_precision: `CASE WHEN typname = 'date' THEN 0 WHEN typcategory IN ('D', 'T') THEN 6 END`, udt_catalog: database, udt_schema: `'pg_catalog'`, udt_name: 'typname', dtd_identifier: 'attnum', is_self_referencing: no, is_identity: no, identity_cycle: no, is_generated: `'NEVER'`, is_updatable: no },
      },
    ],
    information_schema_table_constraints: [{ from: `${own}.shown_keys`, values: { ...ofConstraint, ...ofTable, constraint_type: keyWord, is_deferrable: no, initially_deferred: no, enforced: yes, nulls_distinct: `CASE contype WHEN 'u' THEN ${yes} END` } }],
    information_schema_key_column_usage: [{ from: keyColumns, values: { ...ofConstraint, ...ofTable, column_name: 'column_name', ordinal_position: 'nth', position_in_unique_constraint: `CASE contype WHEN 'f' THEN nth END` } }],
    information_schema_constraint_column_usage: [
      { from: `${keyColumns} WHERE contype <> 'f'`, values: { ...ofConstraint, ...ofTable, column_name: 'column_name' } },
      { from: `(SELECT *, unnest(confnames) AS column_name FROM ${own}.shown_keys WHERE contype = 'f')`, values: { ...ofConstraint, ...ofTable, table_name: 'confrelname', column_name: 'column_name' } },
    ],
    information_schema_constraint_table_usage: [{ from: `${own}.shown_keys WHERE contype <> 'c'`, values: { ...ofConstraint, ...ofTable, table_name: 'coalesce(confrelname, relname)' } }],
    information_schema_check_constraints: [{ from: `${own}.shown_keys WHERE contype = 'c'`, values: { ...ofConstraint, check_clause: 'constraint_text' } }],
    information_schema_referential_constraints: [
      {
        from: `${own}.shown_keys f LEFT JOIN ${pg}.keys p ON p.relid = f.confrelid AND p.contype IN ('p', 'u') AND p.names = f.confnames WHERE f.contype = 'f'`,
        values: { constraint_catalog: database, constraint_schema: 'f.nspname', constraint_name: 'f.name', unique_constraint_catalog: database, unique_constraint_schema: 'f.nspname', unique_constraint_name: 'p.name', match_option: `'NONE'`, update_rule: `'NO ACTION'`, delete_rule: `'NO ACTION'` },
      },
    ],
    information_schema_character_sets: [{ from: '(VALUES (1)) t', values: { character_set_name: `'UTF8'`, character_repertoire: `'UCS'`, form_of_use: `'UTF8'`, default_collate_catalog: database, default_collate_schema: `'pg_catalog'`, default_collate_name: `'C'` } }],
  } // prettier-ignore
}

/** What a client sees of the stored tables, from the database in which it is. */
export const shownIn = ({ database, own }: Place): Record<string, string> => {
  const nspname = `CASE WHEN database_name IS NULL OR database_name = ${database} THEN schema_name ELSE database_name END AS nspname`
  // The schemas of this database are shown as namespaces, and so is the schema `main` of each other catalog.
  const isShown = `(database_name IS NULL OR database_name = ${database} OR schema_name = 'main')`
  return {
    shown_namespaces: `SELECT oid, ${nspname} FROM ${pg}.namespaces WHERE ${isShown} UNION ALL VALUES (11, 'pg_catalog'), (13000, 'information_schema')`,
    shown_relations: `SELECT *, ${nspname} FROM (FROM ${pg}.relations UNION ALL FROM ${pg}.system_relations) WHERE ${isShown}`,
    shown_columns: `SELECT c.*, typname, typlen, typbyval, typalign, typstorage, typcollation, typcategory, ${nspname} FROM (FROM ${pg}.columns UNION ALL FROM ${pg}.system_columns) c JOIN ${pg}.pg_type t ON t.oid = c.atttypid WHERE ${isShown}`,
    shown_keys: `SELECT *, ${nspname} FROM ${pg}.keys WHERE ${isShown}`,
    shown_names: `SELECT oid, relname, nspname FROM ${own}.shown_relations UNION ALL SELECT indexid, name, nspname FROM ${own}.shown_keys WHERE ${isIndex}`,
  }
}

/** What differs from client to client: each relation is a macro, whose argument has its rows as JSON. */
export interface Live {
  /** The fields of a row. */
  fields: Record<string, string>
  values: Values
}

const role = { oid: 'BIGINT', name: 'VARCHAR' }
const login = {
  usename: 'name',
  usesysid: 'oid',
  usecreatedb: 'false',
  usesuper: 'false',
  userepl: 'false',
  usebypassrls: 'false',
}
const roles = { rolname: 'name', rolsuper: 'false', rolinherit: 'true', rolcreaterole: 'false', rolcreatedb: 'false', rolcanlogin: 'true', rolreplication: 'false', rolconnlimit: '-1', rolbypassrls: 'false', oid: 'oid' } // prettier-ignore

export const live: Record<string, Live> = {
  pg_roles: { fields: role, values: roles },
  pg_authid: { fields: role, values: roles },
  pg_user: { fields: role, values: { ...login, passwd: `'********'` } },
  pg_shadow: { fields: role, values: login },
  information_schema_enabled_roles: { fields: role, values: { role_name: 'name' } },
  pg_settings: {
    fields: { name: 'VARCHAR', setting: 'VARCHAR', reset: 'VARCHAR', context: 'VARCHAR' },
    values: { name: 'name', setting: 'setting', category: `'Preset Options'`, short_desc: `''`, context: 'context', vartype: `'string'`, source: `CASE WHEN setting = reset THEN 'default' ELSE 'session' END`, boot_val: 'reset', reset_val: 'reset', pending_restart: 'false' },
  },
  pg_stat_activity: {
    fields: { pid: 'INTEGER', oid: 'BIGINT', name: 'VARCHAR', datname: 'VARCHAR', application: 'VARCHAR', state: 'VARCHAR', query: 'VARCHAR', started: 'TIMESTAMPTZ', asked: 'TIMESTAMPTZ' },
    values: { datid: oid('datname'), datname: 'datname', pid: 'pid', usesysid: 'oid', usename: 'name', application_name: 'application', backend_start: 'started', query_start: 'asked', state_change: 'asked', xact_start: `CASE state WHEN 'active' THEN asked END`, state: 'state', query: 'query', backend_type: `'client backend'` },
  },
} // prettier-ignore

/** What is told of a database's relations, and what casts to `regclass` and `regnamespace` become. */
export const readersOf = (own: string): Macros => ({
  pg_table_is_visible: always(`object IN (SELECT r.oid FROM ${own}.names r WHERE r.nspname IN ('main', 'analytics', 'pg_catalog', current_schema()))`, 'object'),
  pg_get_viewdef: always(`(SELECT max(r.sql) FROM ${pg}.relations r WHERE r.oid = object)`, 'object', 'object, pretty'),
  pg_get_constraintdef: always(`(SELECT max(k.constraint_text) FROM ${pg}.keys k WHERE k.oid = object)`, 'object', 'object, pretty'),
  pg_get_indexdef: [
    ['object', `(SELECT max('CREATE UNIQUE INDEX ' || k.name || ' ON ' || k.relname || ' USING btree (' || array_to_string(k.names, ', ') || ')') FROM ${pg}.keys k WHERE k.indexid = object)`],
    ['object, place, pretty', `(SELECT max(k.names[place]) FROM ${pg}.keys k WHERE k.indexid = object)`],
  ],
  obj_description: always(`(SELECT max(d.description) FROM ${own}.pg_description d WHERE d.objoid = object AND d.objsubid = 0)`, 'object', 'object, catalog'),
  col_description: always(`(SELECT max(d.description) FROM ${own}.pg_description d WHERE d.objoid = object AND d.objsubid = place)`, 'object, place'),
  to_regclass: always(`coalesce(try_cast(given AS BIGINT), (SELECT arg_min(r.oid, CASE r.nspname WHEN 'pg_catalog' THEN 0 WHEN current_schema() THEN 1 WHEN 'main' THEN 2 ELSE 3 END) FROM ${own}.names r WHERE replace(given::VARCHAR, '"', '') IN (r.nspname || '.' || r.relname, CASE WHEN r.nspname <> 'information_schema' THEN r.relname END)
    OR replace(given::VARCHAR, '"', '') = current_database() || '.' || r.nspname || '.' || r.relname
    OR (r.nspname = 'main' AND replace(given::VARCHAR, '"', '') = 'public.' || r.relname)))`, 'given'),
  // A cast of a name that is none's is an error, and NULL is what the function says.
  find_regclass: always(`CASE WHEN given IS NOT NULL THEN coalesce(${own}.to_regclass(given), error('relation "' || given || '" does not exist')) END`, 'given'),
  to_regnamespace: always(`coalesce(try_cast(given AS BIGINT), (SELECT max(n.oid) FROM ${own}.pg_namespace n WHERE n.nspname = given::VARCHAR))`, 'given'),
  regclass_name: always(`coalesce((SELECT max(CASE WHEN r.nspname IN ('pg_catalog', 'main', 'analytics', current_schema()) THEN r.relname ELSE r.nspname || '.' || r.relname END) FROM ${own}.names r WHERE r.oid::VARCHAR = object::VARCHAR), CASE object::VARCHAR WHEN '0' THEN '-' ELSE object::VARCHAR END)`, 'object'),
  regnamespace_name: always(`coalesce((SELECT max(n.nspname) FROM ${own}.pg_namespace n WHERE n.oid = object), object::VARCHAR)`, 'object'),
}) // prettier-ignore

const settingOf = (isError: string) =>
  `CASE WHEN given IS NOT NULL THEN coalesce(json_extract_string(settings, '$."' || replace(lower(given), '"', '') || '"'), CASE WHEN ${isError} THEN error('unrecognized configuration parameter "' || given || '"') END) END`

/** The functions by which tools ask of the catalog. */
export const catalogFunctions: Macros = {
  version: always(`'PostgreSQL ${serverVersion}'`, ''),
  // The service writes the settings, as JSON with names in small letters.
  current_setting: [['settings, given', settingOf('true')], ['settings, given, missing', settingOf('missing IS NOT true')]],
  // For the types alone, while a statement is described.
  set_config: always('CASE WHEN name::VARCHAR IS NOT NULL OR is_local::BOOLEAN THEN value::VARCHAR END', 'name, value, is_local'),
  format_type: always(formatType, 'id, modifier'),
  pg_get_userbyid: always(`'${owner}'`, 'object'),
  pg_type_is_visible: always('true', 'object'),
  pg_function_is_visible: always('true', 'object'),
  pg_get_expr: always('expression', 'expression, relation', 'expression, relation, pretty'),
  shobj_description: always('NULL::VARCHAR', 'object, catalog'),
  pg_encoding_to_char: always(`'UTF8'`, 'object'),
  getdatabaseencoding: always(`'UTF8'`, ''),
  pg_char_to_encoding: always('6', 'name'),
  pg_statistics_obj_is_visible: always('true', 'object'),
  pg_tablespace_size: always('0::BIGINT', 'object'),
  pg_get_functiondef: always(`(SELECT max('CREATE OR REPLACE FUNCTION pg_catalog.' || p.proname || '()' || chr(10) || ' LANGUAGE internal' || chr(10) || 'AS $function$' || p.prosrc || '$function$' || chr(10)) FROM ${pg}.pg_proc p WHERE p.oid = object)`, 'object'),
  pg_get_function_sqlbody: always('NULL::VARCHAR', 'object'),
  pg_get_function_identity_arguments: always('NULL::VARCHAR', 'object'),
  pg_get_triggerdef: always('NULL::VARCHAR', 'object', 'object, pretty'),
  pg_indexes_size: always('0::BIGINT', 'object'),
  pg_stat_get_snapshot_timestamp: always('now()', ''),
  has_column_privilege: always('true', 'a, b, c', 'a, b, c, d'),
  has_function_privilege: always('true', 'a, b', 'a, b, c'),
  has_sequence_privilege: always('true', 'a, b', 'a, b, c'),
  pg_is_in_recovery: always('false', ''),
  pg_relation_size: always('0::BIGINT', 'object', 'object, fork'),
  pg_total_relation_size: always('0::BIGINT', 'object'),
  pg_table_size: always('0::BIGINT', 'object'),
  pg_database_size: always('0::BIGINT', 'object'),
  pg_size_pretty: always(`CASE WHEN abs(size) < 10240 THEN size::BIGINT || ' bytes' WHEN abs(size) / 1024 < 10239.5 THEN round(size / 1024)::BIGINT || ' kB'
    WHEN abs(size) / 1048576 < 10239.5 THEN round(size / 1048576)::BIGINT || ' MB' WHEN abs(size) / 1073741824 < 10239.5 THEN round(size / 1073741824)::BIGINT || ' GB' ELSE round(size / 1099511627776)::BIGINT || ' TB' END`, 'size'),
  pg_describe_object: always('NULL::VARCHAR', 'relation, object, part'),
  pg_partition_ancestors: always('unnest(CAST([] AS BIGINT[]))', 'object'),
  pg_relation_is_publishable: always('false', 'object'),
  pg_get_partkeydef: always('NULL::VARCHAR', 'object'),
  pg_get_serial_sequence: always('NULL::VARCHAR', 'relation, col'),
  pg_get_function_result: always('NULL::VARCHAR', 'object'),
  pg_get_function_arguments: always('NULL::VARCHAR', 'object'),
  pg_get_ruledef: always('NULL::VARCHAR', 'object', 'object, pretty'),
  pg_get_statisticsobjdef_columns: always('NULL::VARCHAR', 'object'),
  pg_tablespace_location: always(`''`, 'object'),
  pg_stat_get_numscans: always('0::BIGINT', 'object'),
  has_table_privilege: always('true', 'a, b', 'a, b, c'),
  has_any_column_privilege: always('true', 'a, b', 'a, b, c'),
  has_schema_privilege: always('true', 'a, b', 'a, b, c'),
  has_database_privilege: always('true', 'a, b', 'a, b, c'),
  current_schemas: always(`list_distinct(['pg_catalog', current_schema(), 'main', 'analytics'])`, 'implicit'),
  pg_get_keywords: always(`TABLE SELECT keyword_name AS word, upper(keyword_category[1]) AS catcode, keyword_category AS catdesc FROM duckdb_keywords()`, ''),
  pg_export_snapshot: always(`''`, ''),
  pg_advisory_unlock_all: always('NULL::VARCHAR', ''),
  // What jOOQ's generator asks of functions, and of a domain's type.
  nameconcatoid: always(`(name || '_' || id)`, 'name, id'),
  _pg_char_max_length: always('CASE WHEN modifier <> -1 AND id IN (1042, 1043) THEN modifier - 4 END::INTEGER', 'id, modifier'),
  _pg_numeric_precision: always('CASE id WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53 WHEN 1700 THEN CASE WHEN modifier <> -1 THEN ((modifier - 4) >> 16) & 65535 END END::INTEGER', 'id, modifier'),
  _pg_numeric_scale: always('CASE WHEN id IN (20, 21, 23) THEN 0 WHEN id = 1700 AND modifier <> -1 THEN (modifier - 4) & 65535 END::INTEGER', 'id, modifier'),
  _pg_datetime_precision: always('CASE WHEN id = 1082 THEN 0 WHEN id IN (1083, 1114, 1184, 1186, 1266) THEN CASE WHEN modifier < 0 THEN 6 ELSE modifier END END::INTEGER', 'id, modifier'),
  _pg_expandarray: always(`unnest(list_transform(items, lambda item, nth: {'x': item, 'n': nth::INTEGER}))`, 'items'),
} // prettier-ignore
