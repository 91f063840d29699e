import { createFieldRewriter } from '../json/createFieldRewriter.js'

type Convert = (from: string, to: string) => string

/** SQL that makes a text a value of a column's type; the cast fails where the value does not fit. */
export const castText = (
  text: string,
  type: string,
  convert: Convert = (from, to) => `${from}::${to}`,
): string => {
  if (type === 'VARCHAR') return text
  // DuckDB would drop the zone of a text that it reads straight into a TIMESTAMP; nanoseconds keep it.
  const isZoned = type.startsWith('TIMESTAMP') && type !== 'TIMESTAMP_NS'
  return convert(isZoned ? convert(text, 'TIMESTAMPTZ') : text, type)
}

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Whether a column of this type can hold what a fraction says beyond a DOUBLE. */
export const keepsDigits = (type: string): boolean => type === 'VARCHAR' || type.startsWith('DECIMAL')

/** A number as a text, in which DuckDB loses none of its digits: it reads each fraction as a DOUBLE. */
export const quoteNumber = (token: string): string => (number.test(token) ? `"${token}"` : token)

/** JSON in which the numbers of these fields are texts. */
export const keepDigits = (bodies: readonly Buffer[], fields: ReadonlySet<string>): string[] =>
  bodies.map((body) =>
    (fields.size === 0 ? body : createFieldRewriter({ fields, rewrite: quoteNumber }).feed(body)).toString(),
  )
