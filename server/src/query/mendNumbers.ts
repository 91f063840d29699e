import { DuckDBTypeId, type DuckDBType } from '@duckdb/node-api'

export type Mend = (json: string) => string

const wide = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.DECIMAL,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.VARIANT,
])
const floating = new Set([DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE, DuckDBTypeId.VARIANT])

const holds = (type: DuckDBType, ids: ReadonlySet<DuckDBTypeId>): boolean => {
  if (ids.has(type.typeId)) return true
  const { valueType, keyType, entryTypes, memberTypes } = type as unknown as Record<string, unknown>
  const inner = [valueType, keyType, ...((entryTypes ?? memberTypes ?? []) as unknown[])]
  return inner.some((each) => each !== undefined && holds(each as DuckDBType, ids))
}

const token = /"(?:[^"\\]|\\.)*"|-?Infinity|-?NaN|-?\d{16,}(?:\.\d+)?(?![\d.eE])|-?\d+\.\d{15,}(?![\deE])/g

const mendToken = (text: string): string => {
  if (text.startsWith('"')) return text
  if (/[IN]/.test(text)) return 'null'
  const digits = text.replace(/^-?0*/, '').replace('.', '').replace(/^0+/, '')
  const exact = text.includes('.') ? digits.length <= 17 : Number.isSafeInteger(Number(text))
  return exact ? text : `"${text}"`
}

const same: Mend = (json) => json
const replace = (json: string) => json.replaceAll(token, mendToken)

/**
 * DuckDB writes NaN and infinities bare, which is no JSON: they become null. It writes 64-bit
 * integers as numbers, which JavaScript would read wrongly beyond 2^53 - 1: those become text.
 */
export const createMend = (types: readonly DuckDBType[]): Mend => {
  const long = types.some((type) => type.alias === 'JSON' || holds(type, wide))
  const odd = types.some((type) => holds(type, floating))
  if (!long && !odd) return same
  const suspect = long && odd ? /\d{16}|NaN|Infinity/ : long ? /\d{16}/ : /NaN|Infinity/
  return (json) => (suspect.test(json) ? replace(json) : json)
}
