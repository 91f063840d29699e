import { quoteText } from '../../duckdb/quote.js'
import { serverVersion } from '../Settings.js'
import { owner, pg } from './names.js'
import { formatType } from './typeTables.js'

/** Macros by their names: the overloads of each, with its parameters and the SQL of its result. */
export type Macros = Record<string, [parameters: string, sql: string][]>

/** A macro that is the same for each list of parameters. */
export const always = (sql: string, ...parameters: string[]): Macros[string] =>
  parameters.map((each) => [each, sql])

const settingOf = (isError: string) =>
  `CASE WHEN given IS NOT NULL THEN coalesce(json_extract_string(settings, '$."' || replace(lower(given), '"', '') || '"'), CASE WHEN ${isError} THEN error('unrecognized configuration parameter "' || given || '"') END) END`

/** The functions by which tools ask of the catalog. */
export const catalogFunctions: Macros = {
  version: always(`'PostgreSQL ${serverVersion}'`, ''),
  // The service writes the settings, as JSON with names in small letters.
  current_setting: [['settings, given', settingOf('true')], ['settings, given, missing', settingOf('missing IS NOT true')]],
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

/** The numbers of functions and types by their names, and their names: what casts to `regproc` and the like become. */
export const namesOfObjects: Macros = {
  to_regproc: always(`coalesce(try_cast(given AS BIGINT), (SELECT max(p.oid) FROM ${pg}.pg_proc p WHERE p.proname = replace(given::VARCHAR, 'pg_catalog.', '')))`, 'given'),
  to_regprocedure: always(`${pg}.to_regproc(regexp_extract(given::VARCHAR, '^[^(]*'))`, 'given'),
  regproc_name: always(`coalesce((SELECT max(p.proname) FROM ${pg}.pg_proc p WHERE p.oid::VARCHAR = object::VARCHAR), CASE object::VARCHAR WHEN '0' THEN '-' ELSE object::VARCHAR END)`, 'object'),
  regprocedure_name: always(`${pg}.regproc_name(object)`, 'object'),
  to_regtype: always(`coalesce(try_cast(given AS BIGINT), (SELECT max(t.oid) FROM ${pg}.pg_type t WHERE replace(replace(given::VARCHAR, '"', ''), 'pg_catalog.', '') IN (t.typname, ${pg}.format_type(t.oid, NULL))))`, 'given'),
  regtype_name: always(`${pg}.format_type(object::BIGINT, NULL)`, 'object'),
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

const groupsOf = (count: number) =>
  count === 0
    ? 'regexp_extract(value, pattern)'
    : Array.from({ length: count }, (_, nth) => `regexp_extract(value, pattern, ${nth + 1})`).join(', ')

/** Functions that PostgreSQL has and DuckDB has not, or has with another meaning. */
export const functions: Macros = {
  // `regexp_match` of a pattern with so many groups.
  ...Object.fromEntries(
    Array.from({ length: 10 }, (_, count) => [
      `match_${count}`,
      always(`CASE WHEN regexp_matches(value, pattern) THEN [${groupsOf(count)}] END`, 'value, pattern'),
    ]),
  ),
  date_trunc_in: always('timezone(zone, date_trunc(part, timezone(zone, moment)))', 'part, moment, zone'),
  like_any: always('len(list_filter(patterns, lambda pattern: value LIKE pattern)) > 0', 'value, patterns'),
  ilike_any: always('len(list_filter(patterns, lambda pattern: value ILIKE pattern)) > 0', 'value, patterns'),
  width_bucket: [
    ['operand, low, high, count', `CASE WHEN operand < low THEN 0 WHEN operand >= high THEN count + 1 ELSE floor((operand - low) * count / (high - low)) + 1 END::INTEGER`],
    ['operand, thresholds', 'len(list_filter(thresholds, lambda each: each <= operand))::INTEGER'],
  ],
  array_upper: always('len(items)', 'items, dimension'),
  array_lower: always('1', 'items, dimension'),
  quote_ident: always(`CASE WHEN regexp_full_match(name, '[a-z_][a-z0-9_$]*') AND NOT list_contains([${reservedWords}], name) THEN name ELSE '"' || replace(name, '"', '""') || '"' END`, 'name'),
  quote_literal: always(`('''' || replace(value::VARCHAR, '''', '''''') || '''')::VARCHAR`, 'value'),
  quote_nullable: always(`coalesce('''' || replace(value::VARCHAR, '''', '''''') || '''', 'NULL')`, 'value'),
  initcap: always(`array_to_string(list_transform(regexp_extract_all(lower(value), '[[:alnum:]]+|[^[:alnum:]]+'), lambda part: upper(part[1]) || part[2:]), '')`, 'value'),
  clock_timestamp: always('now()', ''),
  statement_timestamp: always('now()', ''),
  make_interval: always('to_years(years) + to_months(months) + to_days(7 * weeks + days) + to_hours(hours) + to_minutes(mins) + to_microseconds((secs * 1000000)::BIGINT)', 'years := 0, months := 0, weeks := 0, days := 0, hours := 0, mins := 0, secs := 0'),
  encode: [['value', 'value::VARCHAR::BLOB'], ['value, form', `CASE form WHEN 'hex' THEN lower(hex(value::BLOB)) WHEN 'base64' THEN to_base64(value::BLOB) ELSE error('encode writes hex and base64.') END`]],
  json_typeof: always(jsonTypeof, 'value'),
  jsonb_typeof: always(jsonTypeof, 'value'),
  parse_ident: always(`list_transform(regexp_extract_all(name, '"(?:[^"]|"")*"|[^. ]+'), lambda part: CASE WHEN part[1] = '"' THEN replace(part[2:-2], '""', '"') ELSE lower(part) END)`, 'name'),
} // prettier-ignore

const whole = (sql: string, ...parameters: string[]) => always(`CAST(${sql} AS INTEGER)`, ...parameters)

/** A field of a moment as `date_part` gives it: with the fraction of a second. */
const datePart = `CASE WHEN lower(part) IN ('second', 'seconds') THEN date_part('microsecond', value) / 1000000
  WHEN lower(part) IN ('millisecond', 'milliseconds') THEN date_part('microsecond', value) / 1000 ELSE date_part(part, value)::DOUBLE END`

/** Functions that DuckDB has too, with another value or type. */
export const valueFunctions: Macros = {
  // What `/` and `%` become; of NULL there is neither quotient nor error.
  quotient: always(`CASE WHEN value = 0 AND divided IS NOT NULL THEN error('division by zero') ELSE divided // value END`, 'divided, value'),
  remainder: always(`CASE WHEN value = 0 AND divided IS NOT NULL THEN error('division by zero') ELSE divided % value END`, 'divided, value'),
  divisor: always(`CASE WHEN value = 0 THEN error('division by zero') ELSE value END`, 'value'),
  date_part: always(datePart, 'part, value'),
  array_length: whole('nullif(len(items), 0)', 'items', 'items, dimension'),
  string_to_array: [
    ['value, sign', `CASE WHEN value = '' THEN [] WHEN sign IS NULL THEN string_split(value, '') WHEN sign = '' THEN [value] ELSE string_split(value, sign) END`],
    ['value, sign, missing', `list_transform(CASE WHEN value = '' THEN [] WHEN sign IS NULL THEN string_split(value, '') WHEN sign = '' THEN [value] ELSE string_split(value, sign) END, lambda item: nullif(item, missing))`],
  ],
  length: whole('length(value)', 'value'),
  char_length: whole('length(value)', 'value'),
  character_length: whole('length(value)', 'value'),
  strpos: whole('strpos(value, part)', 'value, part'),
  array_position: whole('list_position(items, item)', 'items, item'),
  cardinality: whole('len(items)', 'items'),
  json_array_length: whole('json_array_length(value)', 'value'),
  jsonb_array_length: whole('json_array_length(value)', 'value'),
  lpad: [['value, width', `lpad(value, width, ' ')`], ['value, width, fill', 'lpad(value, width, fill)']],
  rpad: [['value, width', `rpad(value, width, ' ')`], ['value, width, fill', 'rpad(value, width, fill)']],
  array_remove: always('list_filter(items, lambda each: each IS DISTINCT FROM item)', 'items, item'),
} // prettier-ignore
