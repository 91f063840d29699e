import { LIST, listValue, VARCHAR, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'
import { createFieldRewriter } from '../http/json/createFieldRewriter.js'
import { daysIn } from '../http/json/storableJson.js'
import { quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { type AppendPlan, isMoment, isNested, isWhole } from './planAppend.js'

/** A part of a statement that reads records, with its parameters. */
export interface Records {
  /** A table with the column `x`, which holds the fields as JSON, and `position`, which is the record's index in its body. */
  from: string
  values: Record<string, DuckDBValue>
  types: Record<string, DuckDBType>
}

export interface RecordSource {
  plan: AppendPlan
  fields: Fields
  bodies: readonly Buffer[]
}

export const readRecords = ({ plan, fields, bodies }: RecordSource): Records => {
  const shape = Object.fromEntries(plan.read.map(({ field }) => [field, 'JSON']))
  const isNumber = (field: string) => fields[field]?.some((kind) => ofNumbers.includes(kind))
  const exact = plan.read.filter(({ field, type }) => keepsDigits(type) && isNumber(field))
  const texts = keepDigits(bodies, new Set(exact.map(({ field }) => field)))
  return {
    from: `(SELECT unnest(items) AS x, generate_subscripts(items, 1) - 1 AS position FROM (
      SELECT from_json(body, ${quoteText(JSON.stringify([shape]))}) AS items FROM (SELECT unnest($bodies) AS body)
    ))`,
    values: { bodies: listValue(texts) },
    types: { bodies: LIST(VARCHAR) },
  }
}

export const digitsOf = (text: string) => String.raw`regexp_replace(${text}, '^-?[0.]*|\.|e.*$', '', 'g')`

export const isFractional = (type: string) => /^(DOUBLE|FLOAT|DECIMAL\(\d+,\d+\))$/.test(type)

/** A nested type in which each part holds more than it does in the type. A name within it is followed by a space. */
const widened = (type: string): string =>
  type
    .replaceAll(/\b(?:DOUBLE|FLOAT)(?=[),[])/g, 'HUGEINT ')
    .replaceAll(/\b(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(\d+,\d+\))(?=[),[])/g, 'DOUBLE')
    .replaceAll(/\bTIMESTAMP(?:_S|_MS)?(?=[),[])/g, 'TIMESTAMP_NS')
    .replaceAll(/\bTIME(?=[),[])/g, 'TIME_NS')
    .replaceAll(/\bDATE(?=[),[])/g, 'TIMESTAMP')

/** How many digits of a second a type holds. */
const secondDigits = (type: string): number => {
  const [, unit] = /^TIMESTAMP_(S|MS|NS)$/.exec(type) ?? []
  return unit === 'S' ? 0 : unit === 'MS' ? 3 : unit === 'NS' ? 9 : 6
}

const moreDigits = (text: string, digits: number) =>
  String.raw`regexp_matches(${text}, '\.\d{${digits}}\d*[1-9]')`

/** For some types DuckDB's cast would change the value. Returns conditions for that, each with its message. */
export const mistakes = (
  text: string,
  value: string,
  type: string,
): [condition: string, message: string][] => {
  if (isNested(type)) {
    const wide = widened(type)
    if (wide === type) return []
    const given = `TRY_CAST(${text} AS ${wide})`
    return [[`${given} IS NOT NULL AND ${given} IS DISTINCT FROM (${value})::${wide}`, 'would change']]
  }
  if (isWhole(type)) {
    const hasFraction = `CASE WHEN contains(lower(${text}), 'e') THEN ${value}::DOUBLE <> ${text}::DOUBLE ELSE ${moreDigits(text, 0)} END`
    return [[hasFraction, 'is no whole number']]
  }
  const [, scale] = /^DECIMAL\(\d+,(\d+)\)$/.exec(type) ?? []
  if (scale !== undefined) {
    const isRounded = `regexp_matches(${text}, '[eE]') AND ${value}::DOUBLE <> ${text}::DOUBLE`
    return [[`${moreDigits(text, Number(scale))} OR (${isRounded})`, 'has more digits than the column']]
  }
  if (isFractional(type)) {
    const isLong = String.raw`length(${text}) > ${type === 'FLOAT' ? 7 : 15} AND regexp_full_match(${text}, '[+-]?\d+')`
    return [
      [`isinf(${value}) AND regexp_matches(${text}, '\\d')`, 'is beyond the range of the column'],
      [
        `${isLong} AND rtrim(${digitsOf(text)}, '0') <> rtrim(${digitsOf(`${value}::VARCHAR`)}, '0')
         AND coalesce(TRY_CAST(${text} AS HUGEINT) <> TRY_CAST(${value} AS HUGEINT), true)`,
        'has more digits than the column',
      ],
    ]
  }
  if (type !== 'DATE' && type !== 'TIME' && !isMoment(type)) return []
  const isCut =
    type === 'DATE'
      ? `contains(${text}, ':') AND TRY_CAST(${text} AS TIMESTAMP) <> ${value}`
      : moreDigits(text, secondDigits(type))
  if (type === 'TIME')
    return [
      [isCut, 'is more exact than the column'],
      [`contains(${text}, 'T')`, 'has a day'],
    ]
  return [
    [String.raw`regexp_matches(${text}, '^\s*\d{1,3}[-/]')`, 'does not begin with a year of four digits'],
    [isCut, 'is more exact than the column'],
  ]
}

/** SQL that casts a field's value to the column's type. When the value does not fit, the cast fails, or gives NULL with `try`. */
export const castField = (field: string, type: string, mayFail: 'fail' | 'try' = 'fail'): string => {
  const value = `x.${quoteIdentifier(field)}`
  if (type === 'JSON') return value
  const convert = (from: string, to: string) =>
    mayFail === 'try' ? `TRY_CAST(${from} AS ${to})` : `${from}::${to}`
  // RFC 3339 allows a small t and z, and DuckDB does not.
  const text = isNested(type) ? value : isMoment(type) ? `upper(${value}->>'$')` : `(${value}->>'$')`
  const cast = isNested(type) ? convert(value, type) : castText(text, type, convert)
  // The contract keeps moments to the microsecond.
  const wrongs = /^TIMESTAMP( WITH TIME ZONE)?$/.test(type) ? [] : mistakes(text, cast, type)
  const cases = wrongs.map(([wrong, why]) => {
    return `WHEN ${wrong} THEN ${mayFail === 'try' ? 'NULL' : `error(${text} || ' ${why}')::${type}`}`
  })
  return cases.length === 0 ? cast : `CASE ${cases.join(' ')} ELSE ${cast} END`
}

type Convert = (from: string, to: string) => string

/** SQL that makes a text a value of a column's type; the cast fails where the value does not fit. */
export const castText = (
  text: string,
  type: string,
  convert: Convert = (from, to) => `${from}::${to}`,
): string => {
  if (type === 'VARCHAR') return text
  // DuckDB drops the zone of a text that it casts to TIMESTAMP. A cast to TIMESTAMP_NS respects the zone.
  const isZoned = isMoment(type) && type !== 'TIMESTAMP_NS'
  return convert(isZoned ? convert(text, 'TIMESTAMPTZ') : text, type)
}

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Whether a column of this type can hold more digits of a fraction than a DOUBLE. */
export const keepsDigits = (type: string): boolean => type === 'VARCHAR' || type.startsWith('DECIMAL')

/** Puts a number into quotation marks: DuckDB reads each fraction as a DOUBLE, and loses no digit of a text. */
export const quoteNumber = (token: string): string => (number.test(token) ? `"${token}"` : token)

/** Makes texts of the numbers in these fields. */
export const keepDigits = (bodies: readonly Buffer[], fields: ReadonlySet<string>): string[] =>
  bodies.map((body) =>
    (fields.size === 0 ? body : createFieldRewriter({ fields, rewrite: quoteNumber }).feed(body)).toString(),
  )

/**
 * `long` is an integer that a DOUBLE does not hold, `huge` such a one beyond BIGINT, `digits` one beyond HUGEINT.
 * `large` is an integer beyond BIGINT that a DOUBLE holds.
 * `whole` is a whole number that is written as a fraction or with an exponent, such as 1.0.
 */
export type FieldKind =
  | 'integer'
  | 'long'
  | 'large'
  | 'huge'
  | 'digits'
  | 'whole'
  | 'float'
  | 'text'
  | 'timestamp'
  | 'boolean'
  | 'json'

const ofNumbers: readonly FieldKind[] = ['float', 'whole', 'digits', 'huge', 'large', 'long', 'integer']

/** The kinds of values in each field, in the order in which the fields were first seen. A null has no kind. */
export type Fields = Record<string, FieldKind[]>

const timestamp =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

const isTimestamp = (text: string): boolean => {
  if (!timestamp.test(text)) return false
  const day = Number(text.slice(8, 10))
  return day <= 28 || day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)))
}

/** The first number that is too large for BIGINT. JSON.parse rounds BIGINT's greatest number up to it, so it does not count. */
const edge = 2 ** 63

const kindOf = (value: unknown): FieldKind | undefined => {
  if (value === null) return undefined
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'float'
    return Number.isSafeInteger(value) ? 'integer' : 'long'
  }
  if (typeof value === 'string') return isTimestamp(value) ? 'timestamp' : 'text'
  return typeof value === 'boolean' ? 'boolean' : 'json'
}

/** The kind of a number, by its digits as they were sent: JSON.parse keeps only the value. */
const kindOfToken = (token: string): FieldKind => {
  if (!/[.eE]/.test(token)) {
    const value = BigInt(token)
    const nearest = Number(token)
    // JavaScript writes zeros behind the digits that tell a number from its neighbours.
    const isDouble = BigInt(nearest) === value || String(nearest) === token
    if (BigInt.asIntN(64, value) === value) return isDouble ? 'integer' : 'long'
    if (BigInt.asIntN(128, value) !== value) return 'digits'
    return isDouble ? 'large' : 'huge'
  }
  const value = Number(token)
  const isRounded = /\.\d*[1-9]/.test(token) && !/[eE]/.test(token)
  return Number.isInteger(value) && Math.abs(value) < edge && !isRounded ? 'whole' : 'float'
}

const readNumbers = (fields: ReadonlySet<string>, json: string): Map<string, Set<FieldKind>> => {
  const found = new Map([...fields].map((name) => [name, new Set<FieldKind>()]))
  const rewrite = (token: string, field: string) => {
    if (token[0] !== '"') found.get(field)!.add(kindOfToken(token))
    return token
  }
  if (fields.size > 0) createFieldRewriter({ fields, rewrite }).feed(Buffer.from(json))
  return found
}

export type FieldMap = Map<string, FieldKind[]>

/** Adds the kinds of more records. */
export const addFields = (fields: FieldMap, more: Fields): void => {
  for (const [name, kinds] of Object.entries(more))
    fields.set(name, [...new Set([...(fields.get(name) ?? []), ...kinds])])
}

const integers: readonly FieldKind[] = ['integer', 'long']

/** Finds the kinds of all fields. `json` is the text that `records` were parsed from. */
export const describeFields = (records: readonly Record<string, unknown>[], json: string): Fields => {
  const found = new Map<string, Set<FieldKind>>()
  for (const record of records) {
    for (const name in record) {
      const kinds = found.get(name) ?? new Set()
      found.set(name, kinds)
      const kind = kindOf(record[name])
      if (kind !== undefined) kinds.add(kind)
    }
  }
  // Only 1.0, 1e2 and numbers of so many digits that they are rounded can be an integer that was written as a fraction.
  const hasFractions = /\d\.0+[\s,}\]]|[\d.]{16}|\d[eE][-+\d]/.test(json)
  const unsure = [...found].filter(([, kinds]) => kinds.has('long') || (hasFractions && kinds.has('integer')))
  const numbers = readNumbers(new Set(unsure.map(([name]) => name)), json)
  return Object.fromEntries(
    [...found].map(([name, kinds]) => {
      const read = numbers.get(name)
      return [
        name,
        read === undefined
          ? [...kinds]
          : [...new Set([...kinds].filter((kind) => !integers.includes(kind)).concat([...read]))],
      ]
    }),
  )
}
