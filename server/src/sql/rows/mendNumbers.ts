import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'

export type Mend = (json: Buffer) => Buffer

const wide = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.DECIMAL,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.VARIANT,
])
const exact = new Set([DuckDBTypeId.DECIMAL, DuckDBTypeId.BIGNUM, DuckDBTypeId.VARIANT])
const floating = new Set([DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE, DuckDBTypeId.VARIANT])

const holds = (type: DuckDBType, ids: ReadonlySet<DuckDBTypeId>): boolean => {
  if (ids.has(type.typeId)) return true
  const { valueType, keyType, entryTypes, memberTypes } = type as unknown as Record<string, unknown>
  const inner = [valueType, keyType, ...((entryTypes ?? memberTypes ?? []) as unknown[])]
  return inner.some((each) => each !== undefined && holds(each as DuckDBType, ids))
}

const token = /"(?:[^"\\]|\\.)*"|-?Infinity|-?NaN|-?\d{16,}(?:\.\d+)?(?![\d.eE])|-?\d+\.\d+(?![\deE])/g

const mendInfinite = (text: string): string => (/^-?[IN]/.test(text) ? 'null' : text)

const mendToken = (text: string): string => {
  if (text.startsWith('"')) return text
  if (/[IN]/.test(text)) return 'null'
  // Zeros at either end are not counted: no reader loses them. A DOUBLE has at most 17 digits, so it
  // always stays a number.
  const digits = text.replace('.', '').replaceAll(/^-?0*|0+$/g, '')
  const isSafe = text.includes('.') ? digits.length <= 17 : Number.isSafeInteger(Number(text))
  return isSafe ? text : `"${text}"`
}

const same: Mend = (json) => json

/**
 * DuckDB writes NaN and infinities bare, which is not JSON, so they become null. It writes 64-bit
 * integers as numbers, which JavaScript reads wrongly beyond 2^53 - 1, so those become text. With
 * `keepsDigits` they stay numbers, because each column must keep one type.
 */
export const createMend = (types: readonly DuckDBType[], keepsDigits: boolean): Mend => {
  const hasWide = types.some((type) => type.alias === 'JSON' || holds(type, wide))
  const hasExact = types.some((type) => holds(type, exact))
  const hasFloating = types.some((type) => holds(type, floating))
  const suspicions = [
    // Only sixteen digits before a point are suspect: a DOUBLE may have sixteen after it and is right.
    ...(hasWide && !keepsDigits ? [String.raw`(?<![\d.])\d{16}`] : []),
    ...(hasExact && !keepsDigits ? [String.raw`\d[\d.]{17}`] : []),
    ...(hasFloating ? ['NaN|Infinity'] : []),
  ]
  if (suspicions.length === 0) return same
  const suspect = new RegExp(suspicions.join('|'))
  // All suspects are ASCII, and UTF-8 has no ASCII byte inside another character, so the search needs no decoding.
  const mendOne = keepsDigits ? mendInfinite : mendToken
  return (json) =>
    suspect.test(json.toString('latin1')) ? Buffer.from(json.toString().replaceAll(token, mendOne)) : json
}
