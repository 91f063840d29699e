import { createFieldRewriter } from '../json/createFieldRewriter.js'

type Convert = (from: string, to: string) => string

/** SQL that makes a text a value of a column's type; the cast fails where the value does not fit. */
export const castText = (
  text: string,
  type: string,
  convert: Convert = (from, to) => `${from}::${to}`,
): string => {
  if (type === 'VARCHAR') return text
  // DuckDB drops the zone of a text that it casts to TIMESTAMP. A cast to TIMESTAMP_NS respects the zone.
  const isZoned = type.startsWith('TIMESTAMP') && type !== 'TIMESTAMP_NS'
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
