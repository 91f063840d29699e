import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  type DuckDBType,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

/** Writes a number as text when JavaScript would read it wrongly. */
const ofInteger = (value: bigint): number | string =>
  value <= maxSafe && value >= -maxSafe ? Number(value) : value.toString()

const ofDecimal = (value: DuckDBDecimalValue): number | string => {
  const digits = value.value < 0n ? -value.value : value.value
  return digits <= maxSafe ? Number(value.toString()) : value.toString()
}

const isJsonText = (type: DuckDBType | undefined) => type?.alias === 'JSON'

const parse = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

const child = (type: DuckDBType | undefined, name: string): DuckDBType | undefined =>
  type !== undefined && name in type ? (type as unknown as Record<string, DuckDBType>)[name] : undefined

const ofStruct = (value: DuckDBStructValue, type: DuckDBType | undefined): Json => {
  const types = (type as unknown as { entryTypes?: DuckDBType[] } | undefined)?.entryTypes ?? []
  return Object.fromEntries(
    Object.entries(value.entries).map(([name, each], at) => [name, toJson(each, types[at])]),
  )
}

/** A DuckDB value as this API writes it: NaN and infinities are null, JSON stays JSON, types that JSON lacks are text. */
export const toJson = (value: DuckDBValue, type?: DuckDBType): Json => {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'bigint') return ofInteger(value)
  if (typeof value === 'string') return isJsonText(type) ? parse(value) : value
  if (value instanceof DuckDBDecimalValue) return ofDecimal(value)
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const valueType = child(type, 'valueType')
    return value.items.map((item) => toJson(item, valueType))
  }
  if (value instanceof DuckDBStructValue) return ofStruct(value, type)
  if (value instanceof DuckDBMapValue) {
    const valueType = child(type, 'valueType')
    return Object.fromEntries(
      value.entries.map((entry) => [String(toJson(entry.key)), toJson(entry.value, valueType)]),
    )
  }
  if (value instanceof DuckDBUnionValue) return toJson(value.value)
  return String(value)
}
