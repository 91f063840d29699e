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
  // Zeros at the ends are no digits to lose. A DOUBLE has 17 at most, so that it is always a number.
  const digits = text.replace('.', '').replaceAll(/^-?0*|0+$/g, '')
  const isSafe = text.includes('.') ? digits.length <= 17 : Number.isSafeInteger(Number(text))
  return isSafe ? text : `"${text}"`
}

const same: Mend = (json) => json

/**
 * DuckDB writes NaN and infinities bare, which is no JSON: they become null. It writes 64-bit
 * integers as numbers, which JavaScript would read wrongly beyond 2^53 - 1: those become text, or
 * stay as they are where each column must keep one type (`keepsDigits`).
 */
export const createMend = (types: readonly DuckDBType[], keepsDigits: boolean): Mend => {
  const whole = types.some((type) => type.alias === 'JSON' || holds(type, wide))
  const decimal = types.some((type) => holds(type, exact))
  const odd = types.some((type) => holds(type, floating))
  const suspicions = [
    // Sixteen digits before any point; a DOUBLE has as many after it, and that is nothing to mend.
    ...(whole && !keepsDigits ? [String.raw`(?<![\d.])\d{16}`] : []),
    ...(decimal && !keepsDigits ? [String.raw`\d[\d.]{17}`] : []),
    ...(odd ? ['NaN|Infinity'] : []),
  ]
  if (suspicions.length === 0) return same
  const suspect = new RegExp(suspicions.join('|'))
  // What is looked for is ASCII, and no byte of another character is, so the bytes need no decoding.
  const mendOne = keepsDigits ? mendInfinite : mendToken
  return (json) =>
    suspect.test(json.toString('latin1')) ? Buffer.from(json.toString().replaceAll(token, mendOne)) : json
}
