import { always, type Macros } from './functions.js'

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
