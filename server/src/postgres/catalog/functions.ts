import { quoteText } from '../../duckdb/quote.js'
import { intervalText } from '../../sql/rows/postgresText.js'
import { pg } from './names.js'

/** Macros by their names: the overloads of each, with its parameters and the SQL of its result. */
export type Macros = Record<string, [parameters: string, sql: string][]>

/** A macro that is the same for each list of parameters. */
export const always = (sql: string, ...parameters: string[]): Macros[string] =>
  parameters.map((each) => [each, sql])

/** The numbers of functions and types by their names, and their names: what casts to `regproc` and the like become. */
export const namesOfObjects: Macros = {
  to_regproc: always(`coalesce(try_cast(given AS BIGINT), (SELECT max(p.oid) FROM ${pg}.pg_proc p WHERE p.proname = replace(given::VARCHAR, 'pg_catalog.', '')))`, 'given'),
  to_regprocedure: always(`${pg}.to_regproc(regexp_extract(given::VARCHAR, '^[^(]*'))`, 'given'),
  regproc_name: always(`coalesce((SELECT max(p.proname) FROM ${pg}.pg_proc p WHERE p.oid::VARCHAR = object::VARCHAR), CASE object::VARCHAR WHEN '0' THEN '-' ELSE object::VARCHAR END)`, 'object'),
  regprocedure_name: always(`${pg}.regproc_name(object)`, 'object'),
  to_regtype: always(`coalesce(try_cast(given AS BIGINT), (SELECT max(t.oid) FROM ${pg}.pg_type t WHERE replace(replace(given::VARCHAR, '"', ''), 'pg_catalog.', '') IN (t.typname, ${pg}.format_type(t.oid, NULL))))`, 'given'),
  regtype_name: always(`${pg}.format_type(object::BIGINT, NULL)`, 'object'),
} // prettier-ignore

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

/**
 * SQL that names a value `pg_v` as often as it likes: a macro that writes its argument twice makes two of it. In the
 * bare `v.a` DuckDB would rather see a column of a table `v`.
 */
const once = (value: string, sql: string) => `list_transform([${value}], lambda pg_v: ${sql})[1]`

/** The later of two, of which neither is NULL. */
const laterOf = (a: string, b: string) =>
  `CASE WHEN pg_v.${a} <= pg_v.${b} THEN pg_v.${b} WHEN pg_v.${a} > pg_v.${b} THEN pg_v.${a} END`

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

const inDay = 86_400_000_000
const parts = `{'m': date_part('year', pg_v) * 12 + date_part('month', pg_v), 'd': date_part('day', pg_v), 't': date_part('hour', pg_v) * 3600000000 + date_part('minute', pg_v) * 60000000 + date_part('microsecond', pg_v)}`
const daysOfTime = `{'m': pg_v.m, 'd': pg_v.d + pg_v.t // ${inDay}, 't': pg_v.t % ${inDay}}`
const monthsOfDays = `{'m': pg_v.m + pg_v.d // 30, 'd': pg_v.d % 30, 't': pg_v.t}`
/** By how many the part above grows where it and the part below have other signs. */
const carried = (above: string, below: string) =>
  `CASE WHEN ${above} > 0 AND ${below} < 0 THEN -1 WHEN ${above} < 0 AND ${below} > 0 THEN 1 ELSE 0 END`
const below = 'CASE pg_v.d WHEN 0 THEN pg_v.t ELSE pg_v.d END'
const sameDays = `{'m': pg_v.m, 'd': pg_v.d + ${carried('pg_v.d', 'pg_v.t')}, 't': pg_v.t - ${carried('pg_v.d', 'pg_v.t')} * ${inDay}}`
const sameMonths = `{'m': pg_v.m + ${carried('pg_v.m', below)}, 'd': pg_v.d - 30 * ${carried('pg_v.m', below)}, 't': pg_v.t}`
const interval = 'to_months(pg_v.m::INTEGER) + to_days(pg_v.d::INTEGER) + to_microseconds(pg_v.t::BIGINT)'
const inSteps = (...steps: string[]) => always(steps.reduce(once, 'value'), 'value')

/** https://www.postgresql.org/docs/current/functions-datetime.html: 24 hours are a day, and 30 days a month. */
const justify: Macros = {
  justify_hours: inSteps(parts, daysOfTime, sameDays, interval),
  justify_days: inSteps(parts, monthsOfDays, sameMonths.replaceAll(below, 'pg_v.d'), interval),
  justify_interval: inSteps(parts, daysOfTime, monthsOfDays, sameMonths, sameDays, interval),
}

/** The keys in a path, which is a list or a text as `{a,b}`. */
const steps = `CASE WHEN contains(path::VARCHAR, '"') THEN error('A path has no quoted keys here.') WHEN path::VARCHAR IN ('{}', '[]') THEN []
  ELSE list_transform(string_split(trim(path::VARCHAR, '{}[]'), ','), lambda step: trim(step, ' ' || chr(39))) END`
/** A value with another one at a key or number: `pg_v.v` at `pg_v.s`, which becomes `pg_v.i`. */
const setOne = `CASE json_type(pg_v.v) WHEN 'OBJECT' THEN to_json(map_concat(from_json(pg_v.v, ${jsonMap}), map([pg_v.s], [pg_v.i])))
  WHEN 'ARRAY' THEN to_json(CASE WHEN try_cast(pg_v.s AS INTEGER) IS NULL OR try_cast(pg_v.s AS INTEGER) < 0 THEN error('A place in a list is a number from 0 here.')
    WHEN try_cast(pg_v.s AS INTEGER) >= json_array_length(pg_v.v) THEN list_append(from_json(pg_v.v, ${jsonList}), pg_v.i)
    ELSE list_transform(from_json(pg_v.v, ${jsonList}), lambda each, nth: CASE WHEN nth - 1 = try_cast(pg_v.s AS INTEGER) THEN pg_v.i ELSE each END) END) ELSE pg_v.v END`
const jsonAt = `CASE json_type(pg_v.v) WHEN 'ARRAY' THEN from_json(pg_v.v, ${jsonList})[try_cast(pg_v.p[1] AS INTEGER) + 1] WHEN 'OBJECT' THEN from_json(pg_v.v, ${jsonMap})[pg_v.p[1]] END`
const stepAt = (of: string, step: string, item: string) =>
  once(`{'v': ${of}, 's': ${step}, 'i': ${item}}`, setOne)

const jsonPaths: Macros = {
  json_keys_of: always(once('value::JSON', `CASE json_type(pg_v) WHEN 'ARRAY' THEN from_json(pg_v, '["VARCHAR"]') ELSE json_keys(pg_v) END`), 'value'),
  jsonb_set: always(once(`{'v': value::JSON, 'p': ${steps}, 'i': item::JSON}`, once(`{'v': pg_v.v, 'p': pg_v.p, 'i': pg_v.i, 'a': ${jsonAt}}`, `CASE WHEN pg_v.i IS NULL THEN NULL WHEN len(pg_v.p) = 0 THEN pg_v.v
    WHEN len(pg_v.p) = 1 THEN ${stepAt('pg_v.v', 'pg_v.p[1]', 'pg_v.i')} WHEN len(pg_v.p) > 2 THEN error('A path has two keys at most here.')
    WHEN pg_v.a IS NULL THEN pg_v.v ELSE ${once(`{'v': pg_v.v, 's': pg_v.p[1], 'i': ${stepAt('pg_v.a', 'pg_v.p[2]', 'pg_v.i')}}`, setOne)} END`)), 'value, path, item'),
} // prettier-ignore

/**
 * Macros that take their arguments out of a list first: within a lambda DuckDB tells a macro the types of aggregates.
 * `pg_v.a` would be a column in HAVING.
 */
const lateOf = (...names: string[]): Macros =>
  Object.fromEntries(
    names.map((name) => [
      `late_${name}`,
      always(
        once(`{'a': a, 'b': b}`, `${pg}.${name}(struct_extract(pg_v, 'a'), struct_extract(pg_v, 'b'))`),
        'a, b',
      ),
    ]),
  )

const chosen = (name: string, of: string, values = of) => `${pg}.${name}_of(${of}, 0::TINYINT, ${values})`

const jsonTypeof = `CASE json_type(value::JSON) WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'NULL' THEN 'null' ELSE 'number' END`

const groupsOf = (value: string, count: number) =>
  count === 0
    ? `regexp_extract(${value}, pattern)`
    : Array.from({ length: count }, (_, nth) => `regexp_extract(${value}, pattern, ${nth + 1})`).join(', ')

/** Functions that PostgreSQL has and DuckDB has not, or has with another meaning. */
export const functions: Macros = {
  ...itemFunctions,
  ...justify,
  ...jsonPaths,
  // `regexp_match` of a pattern with so many groups.
  ...Object.fromEntries(
    Array.from({ length: 10 }, (_, count) => [
      `match_${count}`,
      always(once('value', `CASE WHEN regexp_matches(pg_v, pattern) THEN [${groupsOf('pg_v', count)}] END`), 'value, pattern'),
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
  div: always(chosen('div', 'divided', 'divided, value'), 'divided, value'),
  date_bin: always(`CASE WHEN date_part('year', stride::INTERVAL) <> 0 OR date_part('month', stride::INTERVAL) <> 0 THEN error('timestamps cannot be binned into intervals containing months or years') ELSE time_bucket(stride::INTERVAL, value, origin) END`, 'stride, value, origin'),
  octet_length: always(chosen('octet_length', 'value'), 'value'),
  bit_length: always('bit_length(value)::INTEGER', 'value'),
  regexp_count: always('len(regexp_extract_all(value, pattern))::INTEGER', 'value, pattern'),
  regexp_substr: always(`nullif(regexp_extract(value, pattern), '')`, 'value, pattern'),
  regexp_like: always('regexp_matches(value, pattern)', 'value, pattern'),
  array_replace: always('list_transform(items, lambda each: CASE WHEN each IS NOT DISTINCT FROM a THEN b ELSE each END)', 'items, a, b'),
  array_positions: always('list_filter(list_transform(items, lambda each, nth: CASE WHEN each IS NOT DISTINCT FROM item THEN nth::INTEGER END), lambda nth: nth IS NOT NULL)', 'items, item'),
  array_ndims: always('CASE WHEN len(items) > 0 THEN 1 END', 'items'),
  array_dims: always(`CASE WHEN len(items) > 0 THEN '[1:' || len(items) || ']' END`, 'items'),
  array_fill: always(`CASE WHEN len(sizes) > 1 THEN error('An array has one dimension here.') ELSE list_transform(range(0, sizes[1]), lambda each: value) END`, 'value, sizes'),
  trim_array: always('items[:len(items) - count]', 'items, count'),
  jsonb_exists: always(`list_contains(${pg}.json_keys_of(value), key)`, 'value, key'),
  ...Object.fromEntries(['json_object_agg', 'jsonb_object_agg'].map((name) => [name, always('json_group_object(key, value)', 'key, value')])),
  to_hex: always(chosen('to_hex', 'value'), 'value'),
  decode: [['value', 'decode(value)'], ['value, form', `CASE form WHEN 'hex' THEN unhex(value) WHEN 'base64' THEN from_base64(value) ELSE error('decode reads hex and base64.') END`]],
  sha256: always('unhex(sha256(value))', 'value'),
  num_nulls: [['a', '(a IS NULL)::INTEGER'], ['a, b', '(a IS NULL)::INTEGER + (b IS NULL)::INTEGER']],
  num_nonnulls: [['a', '(a IS NOT NULL)::INTEGER'], ['a, b', '(a IS NOT NULL)::INTEGER + (b IS NOT NULL)::INTEGER']],
  date_trunc_in: always('timezone(zone, date_trunc(part, timezone(zone, moment)))', 'part, moment, zone'),
  ...Object.fromEntries(
    ['like', 'ilike', 'not_like', 'not_ilike'].flatMap((name) => {
      const each = `list_transform(patterns, lambda pattern: value ${name.replace('_', ' ').toUpperCase()} pattern ESCAPE '\\')`
      const ofAll = (first: string, other: string) => once(each, `CASE WHEN ${first} THEN ${other === 'false'} WHEN len(list_filter(pg_v, lambda found: found IS NOT NULL)) = len(pg_v) THEN ${other} END`)
      return [[`${name}_any`, always(ofAll('list_bool_or(pg_v)', 'false'), 'value, patterns')], [`${name}_all`, always(ofAll('NOT list_bool_and(pg_v)', 'true'), 'value, patterns')]]
    }),
  ),
  width_bucket: [
    ['operand, low, high, count', `CASE WHEN (operand < low) = (low < high) AND operand <> low THEN 0 WHEN (operand >= high) = (low < high) OR operand = high THEN count + 1 ELSE floor((operand - low) * count / (high - low)) + 1 END::INTEGER`],
    ['operand, thresholds', 'len(list_filter(thresholds, lambda each: each <= operand))::INTEGER'],
  ],
  array_upper: always('len(items)::INTEGER', 'items, dimension'),
  array_lower: always('1', 'items, dimension'),
  quote_ident: always(once('name', `CASE WHEN regexp_full_match(pg_v, '[a-z_][a-z0-9_$]*') AND NOT list_contains([${reservedWords}], pg_v) THEN pg_v ELSE '"' || replace(pg_v, '"', '""') || '"' END`), 'name'),
  quote_literal: always(`('''' || replace(value::VARCHAR, '''', '''''') || '''')::VARCHAR`, 'value'),
  quote_nullable: always(`coalesce('''' || replace(value::VARCHAR, '''', '''''') || '''', 'NULL')`, 'value'),
  initcap: always(`array_to_string(list_transform(regexp_extract_all(lower(value), '[\\pL\\pN]+|[^\\pL\\pN]+'), lambda part: upper(part[1]) || part[2:]), '')`, 'value'),
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
const datePart = once('value', `CASE WHEN lower(part) IN ('second', 'seconds') THEN date_part('microsecond', pg_v) / 1000000
  WHEN lower(part) IN ('millisecond', 'milliseconds') THEN date_part('microsecond', pg_v) / 1000 ELSE date_part(part, pg_v)::DOUBLE END`) // prettier-ignore

const splitBy = `CASE WHEN pg_v = '' THEN [] WHEN sign IS NULL THEN string_split(pg_v, '') WHEN sign = '' THEN [pg_v] ELSE string_split(pg_v, sign) END`

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
/** NULL has neither quotient nor error. */
const unlessZero = (sql: string) =>
  `CASE WHEN value = 0 AND divided IS NOT NULL THEN error('division by zero') ELSE ${sql} END`

/** A float `pg_v` in DuckDB's digits, which are the shortest; PostgreSQL takes an exponent from 1e15 on. */
const floatText = (
  written: string,
) => `CASE WHEN ${written} IN ('nan', 'inf', '-inf') THEN replace(replace(${written}, 'inf', 'Infinity'), 'nan', 'NaN')
  WHEN regexp_full_match(${written}, '-?\\d{16}\\.\\d+') THEN regexp_replace(regexp_replace(replace(regexp_replace(${written}, '\\.0$', ''), '.', ''), '^(-?\\d)(\\d*?)0*$', '\\1.\\2e+15'), '\\.e', 'e') ELSE regexp_replace(${written}, '\\.0$', '') END`
const itemText = `CASE WHEN x IS NULL THEN 'NULL' WHEN regexp_full_match(x, '[^\\s{}",\\\\]+') AND lower(x) <> 'null' THEN x ELSE '"' || replace(replace(x, '\\', '\\\\'), '"', '\\"') || '"' END`
const itemsText = (item = 'x') =>
  `'{' || array_to_string(list_transform(list_transform(pg_v::VARCHAR::VARCHAR[], lambda x: ${item}), lambda x: ${itemText}), ',') || '}'`
const listText = `CASE WHEN suffix(typeof(pg_v), '[][]') THEN error('An array of arrays has no text here.') WHEN typeof(pg_v) = 'DOUBLE[]' THEN ${itemsText(floatText('x'))} ELSE ${itemsText()} END`
/** A numeric without digits has become one with zeros that it need not have. */
const numericText = `CASE WHEN typeof(pg_v) = 'DECIMAL(38,10)' THEN regexp_replace(pg_v::VARCHAR, '\\.?0+$', '') ELSE pg_v::VARCHAR END`

/** A value as a text: DuckDB writes floats, lists, intervals and bytes otherwise. */
const textOf = (ofBool: string, ofList = listText) =>
  byType(
    'value',
    { 'BIGINT VARCHAR HUGEINT': 'value::VARCHAR', BOOLEAN: ofBool, 'DATE TIMESTAMP TIMESTAMPTZ': `regexp_replace(value::VARCHAR, ' \\(BC\\)(.*)$', '\\1 BC')`, DOUBLE: once('value', floatText('pg_v::VARCHAR')), DECIMAL: once('value', numericText) },
    once('value', `CASE typeof(pg_v) WHEN 'DOUBLE' THEN ${floatText('pg_v::VARCHAR')} WHEN 'DECIMAL(38,10)' THEN ${numericText} WHEN 'INTERVAL' THEN ${intervalText(`replace(pg_v::VARCHAR, 'month', 'mon')`)} WHEN 'BLOB' THEN '\\x' || lower(hex(pg_v::VARCHAR::BLOB))
      ELSE CASE WHEN suffix(typeof(pg_v), '[]') THEN ${ofList} ELSE pg_v::VARCHAR END END`),
  ) // prettier-ignore

const mergedJson = `CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN json_type(a) = 'OBJECT' AND json_type(b) = 'OBJECT'
  THEN to_json(map_concat(from_json(a, ${jsonMap}), from_json(b, ${jsonMap})))
  ELSE to_json(list_concat(CASE json_type(a) WHEN 'ARRAY' THEN from_json(a, ${jsonList}) ELSE [a] END, CASE json_type(b) WHEN 'ARRAY' THEN from_json(b, ${jsonList}) ELSE [b] END)) END`

const withoutKey = `CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN json_type(a) = 'OBJECT' THEN to_json(map_from_entries(list_filter(map_entries(from_json(a, ${jsonMap})), lambda each: each.key <> b::VARCHAR)))
  WHEN json_type(a) = 'ARRAY' THEN to_json(list_filter(from_json(a, ${jsonList}), lambda each: each ->> '$' IS DISTINCT FROM b::VARCHAR)) ELSE error('cannot delete from scalar') END`

const joinedTexts = `${pg}.text(a) || ${pg}.text(b)`

/** What a macro of `valueFunctions` calls by the types of its arguments. */
export const typedFunctions: Macros = {
  // A float has fifteen digits that can be told from noise.
  avg_of: byType('mean', { 'BIGINT HUGEINT DECIMAL': `format('{:.15g}', mean)::DECIMAL(38, 10)` }, 'mean'),
  mean_of: byType('value', { 'BIGINT HUGEINT': '(sum(value) // count(value))::DECIMAL(38, 10) + ((sum(value) % count(value)) / count(value))::DECIMAL(38, 10)', DECIMAL: `format('{:.15g}', avg(value))::DECIMAL(38, 10)` }, 'avg(value)'),
  div_of: byType('divided, value', { 'BIGINT HUGEINT': unlessZero('(divided // value)::DECIMAL(38, 0)') }, unlessZero(`CASE WHEN abs(divided / value) > 1e15 THEN error('The quotient has more digits than div writes here.') ELSE trunc(divided / value)::DECIMAL(38, 0) END`)),
  octet_length_of: byType('value', { VARCHAR: 'strlen(value)::INTEGER', BLOB: 'octet_length(value)::INTEGER' }, 'strlen(value::VARCHAR)::INTEGER'),
  to_hex_of: byType('value', { INTEGER: `right(lower(system.main.to_hex(value)), 8)`, BIGINT: 'lower(system.main.to_hex(value))' }, 'lower(system.main.to_hex(value))'),
  sum_of: byType('total', { INTEGER: 'total::BIGINT', 'BIGINT HUGEINT': 'total' }, 'total'),
  quotient_of: byType('divided, value', { INTERVAL: unlessZero('divided / value') }, unlessZero('divided // value')),
  date_trunc_of: byType('part, value', { DATE: 'date_trunc(part, value::TIMESTAMPTZ)', TIMESTAMP: 'date_trunc(part, value)' }, 'date_trunc(part, value)'),
  end_of: byType('start, until', { INTERVAL: 'start + until' }, 'until'),
  to_time_of: byType('value', { TIMESTAMPTZ: 'value::TIMESTAMP::TIME' }, 'value::TIME'),
  moment_of: byType('whole, local, written', { VARCHAR: 'written', TIMESTAMP: 'local' }, 'whole'),
  minus_of: [['l DATE, r DATE, nearest BIGINT, a, b', '(a - b)::INTEGER'], ['l TINYINT[][][][], r TINYINT[][][][], nearest TINYINT, a, b', 'a - b'], ['l, r, nearest, a, b', 'a - b']],
  without_of: [['of BOOLEAN, a, b', withoutKey], ['of INTEGER, a, b', 'a - b']],
  // A value counts as one of these kinds: a list is a VARCHAR, JSON is true, bytes and what is not known a DATE, and all else is 1.
  joined_text_of: [['of INTEGER, a, b', `${pg}.text(a) || b`], ['of BOOLEAN, a, b', `${pg}.joined(a, b::JSON)`], ['of VARCHAR, a, b', 'a || b'], ['of DATE, a, b', 'a || b']],
  joined_of: [
    ...['INTEGER INTEGER', 'INTEGER BOOLEAN', 'BOOLEAN INTEGER'].map((types): [string, string] => [`l ${types.replace(' ', ', r ')}, a, b`, joinedTexts]),
    ...['VARCHAR VARCHAR', 'VARCHAR DATE', 'DATE VARCHAR', 'DATE DATE', 'DATE INTEGER', 'INTEGER DATE', 'DATE BOOLEAN', 'BOOLEAN DATE'].map((types): [string, string] => [`l ${types.replace(' ', ', r ')}, a, b`, 'a || b']),
    ['l BOOLEAN, r BOOLEAN, a, b', mergedJson],
    ['l VARCHAR, r INTEGER, a, b', 'list_append(a, b)'],
    ['l INTEGER, r VARCHAR, a, b', 'list_prepend(a, b)'],
  ],
  text_of: textOf('value::VARCHAR'),
  piece_of: textOf('value::VARCHAR', `error('array_append joins a list and an item.')`),
  shown_of: textOf(`CASE value WHEN true THEN 't' WHEN false THEN 'f' END`),
  kind_of: [
    ...byType('value', { 'BIGINT DOUBLE DECIMAL HUGEINT BOOLEAN DATE TIME TIMESTAMP TIMESTAMPTZ INTERVAL UUID': '1', BLOB: 'NULL::DATE', VARCHAR: `${pg}.json_or_text_of(value)` }, 'NULL::DATE').slice(0, -1),
    ['of, nearest, value', `''`],
  ],
  json_or_text_of: [['of VARCHAR', '1'], ['of JSON', 'true']],
} // prettier-ignore

const isFloat = `typeof(pg_v) IN ('DOUBLE', 'FLOAT')`
/** A number without its sign, with as many places behind the point as a format has. PostgreSQL rounds a float as C does. */
const roundedText = `CASE WHEN ${isFloat} THEN format(form, abs(pg_v)::DOUBLE) ELSE round(abs(pg_v), places)::VARCHAR END`
/** The digits `w` before the point, and `f` behind it, as a format has them. */
const numberText = `CASE WHEN pg_v.t = 'nan' AND digits > 2 THEN 'NaN' WHEN length(pg_v.w) > digits OR pg_v.t = 'inf' THEN pg_v.s || over
  WHEN kept IS NOT NULL AND places > 0 AND kept + least = 0 AND pg_v.w || rtrim(pg_v.f, '0') = '' THEN pg_v.s || '0.'
  ELSE pg_v.s || ltrim(regexp_replace(lpad(lpad(pg_v.w, greatest(least, length(pg_v.w))::INTEGER, '0'), digits, ' '), cut, joined), ' ,')
    || CASE WHEN places = 0 THEN '' WHEN kept IS NULL THEN '.' || pg_v.f ELSE '.' || left(pg_v.f, kept) || rtrim(substring(pg_v.f, kept + 1), '0') END END`

/** What stands before the first letter counts, and is empty. */
const substring: Macros[string] = [['value, start', 'system.main.substring(value, CASE WHEN start < 1 THEN 1 ELSE start END)'], ['value, start, count', `system.main.substring(value, CASE WHEN start < 1 THEN 1 ELSE start END, CASE WHEN count < 0 THEN error('negative substring length not allowed') WHEN start < 1 THEN CASE WHEN count + start < 1 THEN 0 ELSE count + start - 1 END ELSE count END)`]] // prettier-ignore

/** Functions that DuckDB has too, with another value or type. */
export const valueFunctions: Macros = {
  // PostgreSQL takes the even one of two floats that are equally near.
  round: [['value', once('value', `(round(pg_v) - CASE WHEN typeof(pg_v) = 'DOUBLE' AND abs(pg_v - trunc(pg_v)) = 0.5 AND abs(round(pg_v)) % 2 = 1 THEN sign(pg_v) ELSE 0 END)`)], ['value, places', 'round(value::DECIMAL(38, 10), places)']],
  sum: always(chosen('sum', 'value', 'sum(value)'), 'value'),
  avg: always(chosen('mean', 'value'), 'value'),
  ...Object.fromEntries(['substring', 'substr'].map((name) => [name, substring])),
  sign: always('sign(value)::DOUBLE', 'value'),
  text: always(chosen('text', 'value'), 'value'),
  piece: always(chosen('piece', 'value'), 'value'),
  shown: always(chosen('shown', 'value'), 'value'),
  array_to_string: [['items, sign', `array_to_string(list_transform(items, lambda each: ${pg}.shown(each)), sign)`], ['items, sign, missing', `array_to_string(list_transform(items, lambda each: coalesce(${pg}.shown(each), missing)), sign)`]],
  date_trunc: always(chosen('date_trunc', 'value', 'part, value'), 'part, value'),
  minus: always(chosen('minus', 'a, b'), 'a, b'),
  without: always(`${pg}.without_of(${chosen('kind', 'a')}, a, b)`, 'a, b'),
  joined: always(`${pg}.joined_of(${chosen('kind', 'a')}, ${chosen('kind', 'b')}, a, b)`, 'a, b'),
  joined_text: always(`${pg}.joined_text_of(${chosen('kind', 'a')}, a, b)`, 'a, b'),
  to_time: always(once('value', chosen('to_time', 'pg_v')), 'value'),
  moment: always(chosen('moment', 'beside', 'whole, local, written'), 'beside, whole, local, written'),
  // What `/` and `%` become.
  quotient: always(chosen('quotient', 'divided', 'divided, value'), 'divided, value'),
  ends_at: always(chosen('end', 'until', 'start, until'), 'start, until'),
  ...lateOf('quotient', 'minus', 'joined', 'joined_text'),
  remainder: always(unlessZero('divided % value'), 'divided, value'),
  divisor: always(`CASE WHEN value = 0 THEN error('division by zero') ELSE value END`, 'value'),
  overlaps: always(once(`{'a': a, 'b': ${pg}.ends_at(a, b), 'c': c, 'd': ${pg}.ends_at(c, d)}`, once(`{'a': least(pg_v.a, pg_v.b), 'b': ${laterOf('a', 'b')}, 'c': least(pg_v.c, pg_v.d), 'd': ${laterOf('c', 'd')}}`, `CASE WHEN pg_v.a = pg_v.c THEN nullif(pg_v.b IS NOT NULL AND pg_v.d IS NOT NULL, false) WHEN pg_v.a > pg_v.c THEN pg_v.a < pg_v.d OR nullif(pg_v.b IS NULL, true) WHEN pg_v.a < pg_v.c THEN pg_v.c < pg_v.b OR nullif(pg_v.d IS NULL, true) END`)), 'a, b, c, d'),
  to_number: always(once('value::VARCHAR', once(`{'s': CASE WHEN regexp_matches(pg_v, '[-<]') THEN '-' ELSE '' END, 'w': regexp_extract(regexp_replace(pg_v, '[^0-9.]', '', 'g'), '^[0-9]*'), 'f': regexp_extract(pg_v, '\\.([0-9]*)', 1)}`, `CASE WHEN pg_v.w || pg_v.f = '' THEN error('There is no number in the text.') WHEN length(pg_v.w) > whole THEN error('The text has more digits than the format of to_number.') WHEN pg_v.s IS NOT NULL THEN (pg_v.s || '0' || pg_v.w || '.' || left(pg_v.f, fraction) || '0')::DECIMAL(38, 10) END`)), 'value, whole, fraction'),
  // `to_char` of a number. The places before the point and how many of them are written at least, those behind it, and how many of these FM leaves.
  number_text: always(once('value', once(`{'t': ${roundedText}, 'n': pg_v < 0 AND (${isFloat} OR round(abs(pg_v), places) <> 0)}`, once(`{'w': ltrim(split_part(pg_v.t, '.', 1), '0'), 'f': rpad(split_part(pg_v.t, '.', 2), places, '0'), 't': pg_v.t, 's': CASE WHEN pg_v.n THEN '-' ELSE '' END}`, once(numberText, `CASE WHEN kept IS NULL THEN lpad(pg_v, CASE pg_v WHEN 'NaN' THEN digits + 1 ELSE width END, ' ') ELSE pg_v END`)))), 'value, digits, least, places, form, cut, joined, over, kept, width'),
  date_part: always(datePart, 'part, value'),
  array_length: whole('nullif(len(items), 0)', 'items', 'items, dimension'),
  string_to_array: [['value, sign', once('value', splitBy)], ['value, sign, missing', `list_transform(${once('value', splitBy)}, lambda item: nullif(item, missing))`]],
  ...Object.fromEntries(['length', 'char_length', 'character_length'].map((name) => [name, whole('length(value)', 'value')])),
  strpos: whole('strpos(value, part)', 'value, part'),
  array_position: whole('list_position(items, item)', 'items, item'),
  cardinality: whole('len(items)', 'items'),
  ...Object.fromEntries(['json_array_length', 'jsonb_array_length'].map((name) => [name, whole('json_array_length(value)', 'value')])),
  lpad: [['value, width', `lpad(value, width, ' ')`], ['value, width, fill', 'lpad(value, width, fill)']],
  rpad: [['value, width', `rpad(value, width, ' ')`], ['value, width, fill', 'rpad(value, width, fill)']],
  array_remove: always('list_filter(items, lambda each: each IS DISTINCT FROM item)', 'items, item'),
} // prettier-ignore
