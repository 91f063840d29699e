import { createFieldRewriter } from '../json/createFieldRewriter.js'
import { daysIn } from '../json/checkTimestamp.js'

/**
 * `long` is an integer that a DOUBLE may not hold exactly. `whole` is a whole number that is written as a fraction or
 * with an exponent, such as 1.0.
 */
export type FieldKind = 'integer' | 'long' | 'whole' | 'float' | 'text' | 'timestamp' | 'boolean' | 'json'

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
    if (BigInt.asIntN(64, value) !== value) return 'float'
    return Number.isSafeInteger(Number(token)) ? 'integer' : 'long'
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
  createFieldRewriter({ fields, rewrite }).feed(Buffer.from(json))
  return found
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
  // Only a body with something like 1.0 or 1e2 can have an integer that was written as a fraction.
  const hasFractions = /\d(?:\.\d|[eE][-+\d])/.test(json)
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
