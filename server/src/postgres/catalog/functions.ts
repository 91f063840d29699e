import { quoteText } from '../../store/quote.js'
import { always, type Macros } from './Macros.js'

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
