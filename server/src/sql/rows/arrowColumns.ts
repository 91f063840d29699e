import { type DuckDBType, DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api'
import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  makeData,
  TimestampMicrosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from 'apache-arrow'
import { exactType } from './exactType.js'
import { jsonOf } from './encodeRows.js'
import { nestedTypes } from './postgresText.js'

/** How a column becomes one of Arrow. */
export interface ArrowColumn {
  type: DataType
  /** The SQL of its values, as `build` takes them. */
  sql: string
  build(values: readonly DuckDBValue[]): Data
}

interface FixedArray {
  [at: number]: number | bigint
}

const bitOf = (at: number) => 1 << (at & 7)
const bitmapFor = (length: number) => new Uint8Array(Math.ceil(length / 8))

/** Which values there are, as Arrow says it. */
const presenceOf = (values: readonly DuckDBValue[]) => {
  const nullBitmap = bitmapFor(values.length)
  let nullCount = 0
  for (let at = 0; at < values.length; at++) {
    if (values[at] === null) nullCount++
    else nullBitmap[at >> 3]! |= bitOf(at)
  }
  return { length: values.length, nullCount, nullBitmap }
}

/** A column whose values all have the same number of bytes. */
const fixed = (
  type: DataType,
  sql: string,
  create: (length: number) => FixedArray,
  put: (data: FixedArray, at: number, value: never) => void = (data, at, value) => {
    data[at] = value
  },
): ArrowColumn => ({
  type,
  sql,
  build(values) {
    const data = create(values.length)
    for (let at = 0; at < values.length; at++) {
      if (values[at] !== null) put(data, at, values[at] as never)
    }
    return makeData({ type, ...presenceOf(values), data } as never)
  },
})

const truth = (sql: string): ArrowColumn =>
  fixed(new Bool(), sql, bitmapFor, (data, at, value: boolean) => {
    if (value) (data as Uint8Array)[at >> 3]! |= bitOf(at)
  })

const text = (sql: string): ArrowColumn => ({
  type: new Utf8(),
  sql,
  build(values) {
    const texts = values.map((value) => (value ?? '') as string)
    const valueOffsets = new Int32Array(texts.length + 1)
    for (const [at, each] of texts.entries())
      valueOffsets[at + 1] = valueOffsets[at]! + Buffer.byteLength(each)
    const data = new Uint8Array(Buffer.from(texts.join('')))
    return makeData({ type: new Utf8(), ...presenceOf(values), valueOffsets, data })
  },
})

const whole: ReadonlyMap<DuckDBTypeId, readonly [DataType, (length: number) => FixedArray]> = new Map([
  [DuckDBTypeId.TINYINT, [new Int8(), (length) => new Int8Array(length)]],
  [DuckDBTypeId.SMALLINT, [new Int16(), (length) => new Int16Array(length)]],
  [DuckDBTypeId.INTEGER, [new Int32(), (length) => new Int32Array(length)]],
  [DuckDBTypeId.BIGINT, [new Int64(), (length) => new BigInt64Array(length)]],
  [DuckDBTypeId.UTINYINT, [new Uint8(), (length) => new Uint8Array(length)]],
  [DuckDBTypeId.USMALLINT, [new Uint16(), (length) => new Uint16Array(length)]],
  [DuckDBTypeId.UINTEGER, [new Uint32(), (length) => new Uint32Array(length)]],
  [DuckDBTypeId.UBIGINT, [new Uint64(), (length) => new BigUint64Array(length)]],
  [DuckDBTypeId.FLOAT, [new Float32(), (length) => new Float32Array(length)]],
  [DuckDBTypeId.DOUBLE, [new Float64(), (length) => new Float64Array(length)]],
] satisfies [DuckDBTypeId, readonly [DataType, (length: number) => FixedArray]][])

const low64 = (1n << 64n) - 1n

/** A decimal is an integer of 128 bits; its scale says how many digits stand behind the point. */
const decimal = (width: number, scale: number, sql: string): ArrowColumn =>
  fixed(
    new Decimal(scale, width, 128),
    sql,
    (length) => new Uint32Array(4 * length),
    (data, at, { value }: { value: bigint }) => {
      const halves = new BigUint64Array((data as Uint32Array).buffer, 16 * at, 2)
      halves[0] = value & low64
      halves[1] = (value >> 64n) & low64
    },
  )

const moments = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
])

/**
 * Numbers, truth values, texts, days and moments are Arrow's own, with microseconds; an infinite day or moment is null.
 * All else is text: nested values as JSON.
 */
export const arrowColumn = (column: string, type: DuckDBType): ArrowColumn => {
  const { typeId } = type
  const known = whole.get(typeId)
  if (known !== undefined) return fixed(known[0], column, known[1])
  if (typeId === DuckDBTypeId.BOOLEAN) return truth(column)
  if (typeId === DuckDBTypeId.DATE) {
    const days = `CASE WHEN isfinite(${column}) THEN (${column} - DATE '1970-01-01')::INTEGER END`
    return fixed(new DateDay(), days, (length) => new Int32Array(length))
  }
  if (moments.has(typeId)) {
    const zone = typeId === DuckDBTypeId.TIMESTAMP_TZ ? 'UTC' : null
    const plain = zone === null ? `${column}::TIMESTAMP` : column
    const us = `CASE WHEN isfinite(${plain}) THEN epoch_us(${plain}) END`
    return fixed(new TimestampMicrosecond(zone), us, (length) => new BigInt64Array(length))
  }
  if (typeId === DuckDBTypeId.DECIMAL) return decimal(type.width, type.scale, column)
  const exact = exactType(type)
  if (exact === 'DECIMAL(38,0)') return decimal(38, 0, `${column}::${exact}`)
  if (nestedTypes.has(typeId))
    return text(`CASE WHEN ${column} IS NOT NULL THEN (${jsonOf(column, type)})::JSON::VARCHAR END`)
  return text(`${column}::VARCHAR`)
}
