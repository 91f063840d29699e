import { quoteText } from '../../duckdb/quote.js'
import { serverVersion } from '../Settings.js'
import { owner, pg } from './names.js'
import { formatType } from './typeTables.js'

/** Macros by their names: the overloads of each, with its parameters and the SQL of its result. */
export type Macros = Record<string, [parameters: string, sql: string][]>

/** A macro that is the same for each list of parameters. */
export const always = (sql: string, ...parameters: string[]): Macros[string] =>
  parameters.map((each) => [each, sql])

/** The functions by which tools ask of the catalog. */
export const catalogFunctions: Macros = {
  version: always(`'PostgreSQL ${serverVersion}'`, ''),
  current_setting: always('NULL::VARCHAR', 'given', 'given, missing'),
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
  pg_get_functiondef: always('NULL::VARCHAR', 'object'),
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
  _pg_expandarray: always(`unnest(list_transform(items, lambda item, nth: {'x': item, 'n': nth}))`, 'items'),
} // prettier-ignore

/** The numbers of functions and types by their names, and their names: what casts to `regproc` and the like become. */
export const namesOfObjects: Macros = {
  to_regproc: always(`coalesce(try_cast(given AS BIGINT), (SELECT max(p.oid) FROM ${pg}.pg_proc p WHERE p.proname = replace(given::VARCHAR, 'pg_catalog.', '')))`, 'given'),
  to_regprocedure: always(`${pg}.to_regproc(regexp_extract(given::VARCHAR, '^[^(]*'))`, 'given'),
  regproc_name: always(`coalesce((SELECT max(p.proname) FROM ${pg}.pg_proc p WHERE p.oid::VARCHAR = object::VARCHAR), CASE object::VARCHAR WHEN '0' THEN '-' ELSE object::VARCHAR END)`, 'object'),
  regprocedure_name: always(`${pg}.regproc_name(object)`, 'object'),
  to_regtype: always(`coalesce(try_cast(given AS BIGINT), (SELECT max(t.oid) FROM ${pg}.pg_type t WHERE given::VARCHAR IN (t.typname, ${pg}.format_type(t.oid, NULL))))`, 'given'),
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

const jsonList = `'["JSON"]'`
const jsonMap = `'"MAP(VARCHAR, JSON)"'`
const asJson = 'value::JSON'

/** Functions that give rows, with the columns of these; without a name it is that of the function, or its alias. */
const items: Readonly<Record<string, readonly [columns: string, parameters: string, sql: string]>> = {
  json_array_elements: ['value', 'value', `from_json(${asJson}, ${jsonList})`],
  json_array_elements_text: ['value', 'value', `list_transform(from_json(${asJson}, ${jsonList}), lambda each: each ->> '$')`],
  json_object_keys: ['', 'value', `json_keys(${asJson})`],
  json_each: ['key value', 'value', `map_entries(from_json(${asJson}, ${jsonMap}))`],
  json_each_text: ['key value', 'value', `list_transform(map_entries(from_json(${asJson}, ${jsonMap})), lambda each: {'key': each.key, 'value': each.value ->> '$'})`],
  regexp_split_to_table: ['', 'value, pattern', 'string_split_regex(value, pattern)'],
  string_to_table: ['', 'value, sign', 'string_split(value, sign)'],
} // prettier-ignore

const withJsonb = Object.entries(items).flatMap(([name, item]) =>
  name.startsWith('json_')
    ? [[name, item] as const, [name.replace('json', 'jsonb'), item] as const]
    : [[name, item] as const],
)

export const listed: Readonly<Record<string, string>> = Object.fromEntries(
  withJsonb.map(([name, [columns]]) => [name, columns]),
)

const itemFunctions: Macros = Object.fromEntries(
  withJsonb.flatMap(([name, [, parameters, sql]]) => [
    [`${name}_items`, always(sql, parameters)],
    [name, always(`unnest(${sql})`, parameters)],
  ]),
)

const monthsOf = `(date_part('year', value) * 12 + date_part('month', value))`
const microsOf = `(date_part('hour', value) * 3600000000 + date_part('minute', value) * 60000000 + date_part('microsecond', value))`
const inDay = '86400000000'
/** By how many the part above grows where it and the part below have other signs. */
const carried = (above: string, below: string) =>
  `CASE WHEN ${above} > 0 AND ${below} < 0 THEN -1 WHEN ${above} < 0 AND ${below} > 0 THEN 1 ELSE 0 END`

/** https://www.postgresql.org/docs/current/functions-datetime.html: 24 hours are a day, and 30 days a month. */
const justify: Macros = {
  justified_days_of: always(`to_months(m::INTEGER) + to_days((d + ${carried('d', 't')})::INTEGER) + to_microseconds((t - ${carried('d', 't')} * ${inDay})::BIGINT)`, 'm, d, t'),
  justified_months_of: always(`${pg}.justified_days_of(m + ${carried('m', '(CASE d WHEN 0 THEN t ELSE d END)')}, d - 30 * ${carried('m', '(CASE d WHEN 0 THEN t ELSE d END)')}, t)`, 'm, d, t'),
  justify_hours: always(`${pg}.justified_days_of(${monthsOf}, date_part('day', value) + ${microsOf} // ${inDay}, ${microsOf} % ${inDay})`, 'value'),
  justify_days: always(`${pg}.justified_months_of(${monthsOf} + date_part('day', value) // 30, date_part('day', value) % 30, 0) + to_microseconds(${microsOf})`, 'value'),
  justify_interval: always(`${pg}.justified_months_of(${monthsOf} + (date_part('day', value) + ${microsOf} // ${inDay}) // 30, (date_part('day', value) + ${microsOf} // ${inDay}) % 30, ${microsOf} % ${inDay})`, 'value'),
} // prettier-ignore

/** The keys in a path, which is a list or a text as `{a,b}`. */
const stepsOf = `list_transform(string_split(regexp_replace(path::VARCHAR, '^[{\\[]|[}\\]]$', '', 'g'), ','), lambda step: trim(step, ' "' || chr(39)))`
const jsonAt = (place: string) =>
  `(CASE json_type(value::JSON) WHEN 'ARRAY' THEN from_json(value::JSON, ${jsonList})[try_cast(${place} AS INTEGER) + 1] ELSE from_json(value::JSON, ${jsonMap})[${place}] END)`

const jsonPaths: Macros = {
  set_step_of: always(`CASE json_type(value::JSON) WHEN 'OBJECT' THEN to_json(map_concat(from_json(value::JSON, ${jsonMap}), map([step], [item::JSON])))
    WHEN 'ARRAY' THEN to_json(CASE WHEN try_cast(step AS INTEGER) >= json_array_length(value::JSON) THEN list_append(from_json(value::JSON, ${jsonList}), item::JSON)
      ELSE list_transform(from_json(value::JSON, ${jsonList}), lambda each, nth: CASE WHEN nth - 1 = try_cast(step AS INTEGER) + CASE WHEN try_cast(step AS INTEGER) < 0 THEN json_array_length(value::JSON) ELSE 0 END THEN item::JSON ELSE each END) END)
    ELSE value::JSON END`, 'value, step, item'),
  set_steps_of: always(`CASE len(steps) WHEN 0 THEN value::JSON WHEN 1 THEN ${pg}.set_step_of(value, steps[1], item)
    WHEN 2 THEN CASE WHEN ${jsonAt('steps[1]')} IS NULL THEN value::JSON ELSE ${pg}.set_step_of(value, steps[1], ${pg}.set_step_of(${jsonAt('steps[1]')}, steps[2], item)) END
    ELSE error('A path has two keys at most here.') END`, 'value, steps, item'),
  jsonb_set: always(`${pg}.set_steps_of(value, ${stepsOf}, item)`, 'value, path, item'),
} // prettier-ignore

const jsonTypeof = `CASE json_type(value::JSON) WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'NULL' THEN 'null' ELSE 'number' END`

const groupsOf = (value: string, count: number) =>
  count === 0
    ? `regexp_extract(${value}, pattern)`
    : Array.from({ length: count }, (_, nth) => `regexp_extract(${value}, pattern, ${nth + 1})`).join(', ')

const stripNulls = `to_json(map_from_entries(list_filter(map_entries(from_json(value::JSON, ${jsonMap})), lambda each: json_type(each.value) <> 'NULL')))`

/** Functions that PostgreSQL has and DuckDB has not, or has with another meaning. */
export const functions: Macros = {
  ...itemFunctions,
  ...justify,
  ...jsonPaths,
  // `regexp_match` of a pattern with so many groups.
  ...Object.fromEntries(
    Array.from({ length: 10 }, (_, count) => [
      `match_${count}`,
      always(`CASE WHEN regexp_matches(value, pattern) THEN [${groupsOf('value', count)}] END`, 'value, pattern'),
    ]),
  ),
  // `regexp_matches` with the flag g: each match is looked at again for its groups.
  ...Object.fromEntries(
    Array.from({ length: 10 }, (_, count) => [
      `matches_${count}`,
      always(`unnest(list_transform(regexp_extract_all(value, pattern), lambda part: [${groupsOf('part', count)}]))`, 'value, pattern'),
    ]),
  ),
  overlay: [['value, piece, start', 'left(value, start - 1) || piece || substring(value, start + length(piece))'], ['value, piece, start, count', 'left(value, start - 1) || piece || substring(value, start + count)']],
  div: always('trunc(a / b)::DECIMAL(38, 0)', 'a, b'),
  date_bin: always('time_bucket(stride::INTERVAL, value, origin)', 'stride, value, origin'),
  octet_length: always('strlen(value::VARCHAR)::INTEGER', 'value'),
  bit_length: always('bit_length(value)::INTEGER', 'value'),
  regexp_count: always('len(regexp_extract_all(value, pattern))::INTEGER', 'value, pattern'),
  regexp_substr: always(`nullif(regexp_extract(value, pattern), '')`, 'value, pattern'),
  regexp_like: always('regexp_matches(value, pattern)', 'value, pattern'),
  array_replace: always('list_transform(items, lambda each: CASE WHEN each IS NOT DISTINCT FROM a THEN b ELSE each END)', 'items, a, b'),
  array_positions: always('list_filter(list_transform(items, lambda each, nth: CASE WHEN each IS NOT DISTINCT FROM item THEN nth::INTEGER END), lambda nth: nth IS NOT NULL)', 'items, item'),
  array_ndims: always('CASE WHEN len(items) > 0 THEN 1 END', 'items'),
  array_dims: always(`CASE WHEN len(items) > 0 THEN '[1:' || len(items) || ']' END`, 'items'),
  array_fill: always('list_transform(range(0, sizes[1]), lambda each: value)', 'value, sizes'),
  trim_array: always('items[:len(items) - count]', 'items, count'),
  array_to_string: [['items, sign', 'array_to_string(items, sign)'], ['items, sign, missing', `array_to_string(list_transform(items, lambda each: coalesce(each::VARCHAR, missing)), sign)`]],
  jsonb_exists: always(`list_contains(coalesce(json_keys(value::JSON), from_json(value::JSON, '["VARCHAR"]')), key)`, 'value, key'),
  ...Object.fromEntries(['json_strip_nulls', 'jsonb_strip_nulls'].map((name) => [name, always(stripNulls, 'value')])),
  ...Object.fromEntries(['json_object_agg', 'jsonb_object_agg'].map((name) => [name, always('json_group_object(key, value)', 'key, value')])),
  to_hex: always('lower(to_hex(value))', 'value'),
  decode: [['value', 'decode(value)'], ['value, form', `CASE form WHEN 'hex' THEN unhex(value) WHEN 'base64' THEN from_base64(value) ELSE error('decode reads hex and base64.') END`]],
  sha256: always('unhex(sha256(value))', 'value'),
  num_nulls: [['a', '(a IS NULL)::INTEGER'], ['a, b', '(a IS NULL)::INTEGER + (b IS NULL)::INTEGER']],
  num_nonnulls: [['a', '(a IS NOT NULL)::INTEGER'], ['a, b', '(a IS NOT NULL)::INTEGER + (b IS NOT NULL)::INTEGER']],
  date_trunc_in: always('timezone(zone, date_trunc(part, timezone(zone, moment)))', 'part, moment, zone'),
  like_any: always('len(list_filter(patterns, lambda pattern: value LIKE pattern)) > 0', 'value, patterns'),
  ilike_any: always('len(list_filter(patterns, lambda pattern: value ILIKE pattern)) > 0', 'value, patterns'),
  width_bucket: [
    ['operand, low, high, count', `CASE WHEN operand < low THEN 0 WHEN operand >= high THEN count + 1 ELSE floor((operand - low) * count / (high - low)) + 1 END::INTEGER`],
    ['operand, thresholds', 'len(list_filter(thresholds, lambda each: each <= operand))::INTEGER'],
  ],
  array_upper: always('len(items)::INTEGER', 'items, dimension'),
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

/**
 * Overloads by the type of a first argument, which is there for that alone: DuckDB casts it, and a value stays what it
 * is. Before an aggregate runs DuckDB does not know its type, and takes the overload to which it need not widen `nearest`.
 */
const byType = (parameters: string, cases: Record<string, string>, rest: string): Macros[string] => [
  ...Object.entries(cases).flatMap(([types, sql]) =>
    types.split(' ').map((type): [string, string] => [`of ${type}, nearest BIGINT, ${parameters}`, sql]),
  ),
  [`of TINYINT[][][][], nearest TINYINT, ${parameters}`, rest],
  [`of, nearest, ${parameters}`, rest],
]
const chosen = (name: string, of: string, values = of) => `${pg}.${name}_of(${of}, 0::TINYINT, ${values})`

/** Of NULL there is neither quotient nor error. */
const unlessZero = (sql: string) =>
  `CASE WHEN value = 0 AND divided IS NOT NULL THEN error('division by zero') ELSE ${sql} END`

const written = 'value::VARCHAR'
const floatText = `CASE ${written} WHEN 'nan' THEN 'NaN' WHEN 'inf' THEN 'Infinity' WHEN '-inf' THEN '-Infinity'
  ELSE CASE WHEN abs(try_cast(${written} AS DOUBLE)) >= 1e15 THEN regexp_replace(format('{:.16e}', try_cast(${written} AS DOUBLE)), '\\.?0*e', 'e') ELSE regexp_replace(${written}, '\\.0$', '') END END`
const listText = `'{' || array_to_string(list_transform(${written}::VARCHAR[], lambda x: CASE WHEN x IS NULL THEN 'NULL' WHEN regexp_full_match(x, '[^\\s{}",\\\\]+') AND lower(x) <> 'null' THEN x ELSE '"' || replace(replace(x, '\\', '\\\\'), '"', '\\"') || '"' END), ',') || '}'`
/** A numeric without digits has become one with zeros that it need not have. */
const numericText = `CASE WHEN typeof(value) = 'DECIMAL(38,10)' THEN regexp_replace(${written}, '\\.?0+$', '') ELSE ${written} END`

/** A value as a text: DuckDB writes floats, lists, intervals and bytes otherwise. */
const textOf = (ofBool: string, ofList = listText) =>
  byType(
    'value',
    {
      'BIGINT VARCHAR HUGEINT DATE TIMESTAMP TIMESTAMPTZ': written,
      BOOLEAN: ofBool,
      DOUBLE: floatText,
      DECIMAL: numericText,
    },
    `CASE typeof(value) WHEN 'DOUBLE' THEN ${floatText} WHEN 'DECIMAL(38,10)' THEN ${numericText} WHEN 'INTERVAL' THEN replace(${written}, 'month', 'mon') WHEN 'BLOB' THEN '\\x' || lower(hex(${written}::BLOB))
      ELSE CASE WHEN suffix(typeof(value), '[]') THEN ${ofList} ELSE ${written} END END`,
  )

const mergedJson = `CASE WHEN json_type(a) = 'OBJECT' AND json_type(b) = 'OBJECT'
  THEN to_json(map_concat(from_json(a, ${jsonMap}), from_json(b, ${jsonMap})))
  ELSE to_json(list_concat(CASE json_type(a) WHEN 'ARRAY' THEN from_json(a, ${jsonList}) ELSE [a] END, CASE json_type(b) WHEN 'ARRAY' THEN from_json(b, ${jsonList}) ELSE [b] END)) END`

const withoutKey = `CASE json_type(a) WHEN 'OBJECT' THEN to_json(map_from_entries(list_filter(map_entries(from_json(a, ${jsonMap})), lambda each: each.key <> b::VARCHAR)))
  WHEN 'ARRAY' THEN to_json(list_filter(from_json(a, ${jsonList}), lambda each: each ->> '$' IS DISTINCT FROM b::VARCHAR)) ELSE error('cannot delete from scalar') END`

const joinedTexts = `${pg}.text(a) || ${pg}.text(b)`

/** What a macro of `valueFunctions` calls by the types of its arguments. */
export const typedFunctions: Macros = {
  avg_of: byType('mean', { 'BIGINT HUGEINT DECIMAL': 'mean::DECIMAL(38, 10)' }, 'mean'),
  sum_of: byType('total', { INTEGER: 'total::BIGINT', 'BIGINT HUGEINT': 'total' }, 'total'),
  quotient_of: byType('divided, value', { INTERVAL: unlessZero('divided / value') }, unlessZero('divided // value')),
  date_trunc_of: byType('part, value', { DATE: 'date_trunc(part, value::TIMESTAMPTZ)', TIMESTAMP: 'date_trunc(part, value)' }, 'date_trunc(part, value)'),
  minus_of: [['l DATE, r DATE, nearest BIGINT, a, b', '(a - b)::INTEGER'], ['l TINYINT[][][][], r TINYINT[][][][], nearest TINYINT, a, b', 'a - b'], ['l, r, nearest, a, b', 'a - b']],
  without_of: [['of BOOLEAN, a, b', withoutKey], ['of INTEGER, a, b', 'a - b']],
  // Of these kinds: a list is a VARCHAR, JSON is true, bytes and what is not known a DATE, and all else is 1.
  joined_text_of: [['of INTEGER, a, b', `${pg}.text(a) || b`], ['of BOOLEAN, a, b', `${pg}.joined(a, b::JSON)`], ['of VARCHAR, a, b', 'a || b'], ['of DATE, a, b', 'a || b']],
  joined_of: [
    ...['INTEGER INTEGER', 'INTEGER BOOLEAN', 'BOOLEAN INTEGER'].map((types): [string, string] => [`l ${types.replace(' ', ', r ')}, a, b`, joinedTexts]),
    ...['VARCHAR VARCHAR', 'VARCHAR DATE', 'DATE VARCHAR', 'DATE DATE', 'DATE INTEGER', 'INTEGER DATE', 'DATE BOOLEAN', 'BOOLEAN DATE'].map((types): [string, string] => [`l ${types.replace(' ', ', r ')}, a, b`, 'a || b']),
    ['l BOOLEAN, r BOOLEAN, a, b', mergedJson],
    ['l VARCHAR, r INTEGER, a, b', 'list_append(a, b)'],
    ['l INTEGER, r VARCHAR, a, b', 'list_prepend(a, b)'],
  ],
  text_of: textOf(written),
  piece_of: textOf(written, `error('array_append joins a list and an item.')`),
  shown_of: textOf(`CASE value WHEN true THEN 't' WHEN false THEN 'f' END`),
  kind_of: [
    ...byType('value', { 'BIGINT DOUBLE DECIMAL HUGEINT BOOLEAN DATE TIME TIMESTAMP TIMESTAMPTZ INTERVAL UUID': '1', BLOB: 'NULL::DATE', VARCHAR: `${pg}.json_or_text_of(value)` }, 'NULL::DATE').slice(0, -1),
    ['of, nearest, value', `''`],
  ],
  json_or_text_of: [['of VARCHAR', '1'], ['of JSON', 'true']],
} // prettier-ignore

/** What stands before the first letter counts, and is empty. */
const substring: Macros[string] = [['value, start', 'system.main.substring(value, greatest(start, 1))'], ['value, start, count', 'system.main.substring(value, greatest(start, 1), greatest(count + least(start, 1) - 1, 0))']] // prettier-ignore

/** Functions that DuckDB has too, with another value or type. */
export const valueFunctions: Macros = {
  // Of two neighbours that are equally near PostgreSQL takes the even float.
  round: [['value', `(round(value) - CASE WHEN typeof(value) = 'DOUBLE' AND abs(value - trunc(value)) = 0.5 AND abs(round(value)) % 2 = 1 THEN sign(value) ELSE 0 END)`], ['value, places', 'round(value::DECIMAL(38, 10), places)']],
  sum: always(chosen('sum', 'value', 'sum(value)'), 'value'),
  avg: always(chosen('avg', 'value', 'avg(value)'), 'value'),
  ...Object.fromEntries(['substring', 'substr'].map((name) => [name, substring])),
  sign: always('sign(value)::DOUBLE', 'value'),
  text: always(chosen('text', 'value'), 'value'),
  piece: always(chosen('piece', 'value'), 'value'),
  shown: always(chosen('shown', 'value'), 'value'),
  date_trunc: always(chosen('date_trunc', 'value', 'part, value'), 'part, value'),
  minus: always(chosen('minus', 'a, b'), 'a, b'),
  without: always(`${pg}.without_of(${chosen('kind', 'a')}, a, b)`, 'a, b'),
  joined: always(`${pg}.joined_of(${chosen('kind', 'a')}, ${chosen('kind', 'b')}, a, b)`, 'a, b'),
  joined_text: always(`${pg}.joined_text_of(${chosen('kind', 'a')}, a, b)`, 'a, b'),
  // What `/` and `%` become.
  quotient: always(chosen('quotient', 'divided * value', 'divided, value'), 'divided, value'),
  remainder: always(unlessZero('divided % value'), 'divided, value'),
  divisor: always(`CASE WHEN value = 0 THEN error('division by zero') ELSE value END`, 'value'),
  date_part: always(datePart, 'part, value'),
  array_length: whole('nullif(len(items), 0)', 'items', 'items, dimension'),
  string_to_array: [
    ['value, sign', `CASE WHEN value = '' THEN [] WHEN sign IS NULL THEN string_split(value, '') WHEN sign = '' THEN [value] ELSE string_split(value, sign) END`],
    ['value, sign, missing', `list_transform(CASE WHEN value = '' THEN [] WHEN sign IS NULL THEN string_split(value, '') WHEN sign = '' THEN [value] ELSE string_split(value, sign) END, lambda item: nullif(item, missing))`],
  ],
  ...Object.fromEntries(['length', 'char_length', 'character_length'].map((name) => [name, whole('length(value)', 'value')])),
  strpos: whole('strpos(value, part)', 'value, part'),
  array_position: whole('list_position(items, item)', 'items, item'),
  cardinality: whole('len(items)', 'items'),
  ...Object.fromEntries(['json_array_length', 'jsonb_array_length'].map((name) => [name, whole('json_array_length(value)', 'value')])),
  lpad: [['value, width', `lpad(value, width, ' ')`], ['value, width, fill', 'lpad(value, width, fill)']],
  rpad: [['value, width', `rpad(value, width, ' ')`], ['value, width, fill', 'rpad(value, width, fill)']],
  array_remove: always('list_filter(items, lambda each: each IS DISTINCT FROM item)', 'items, item'),
} // prettier-ignore
