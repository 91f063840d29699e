import { type DuckDBConnection, type DuckDBType, DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api'
import {
  Field,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  makeData,
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
  TimestampMicrosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from 'apache-arrow'
import type { Cancellation } from '../Cancellation.js'
import type { Plan } from '../planStatement.js'
import { prepareOne } from '../prepareOne.js'
import { asTable, type Page, pageSql, uniqueNames, jsonOf } from './encodeRows.js'
import { type Rows, streamChunks } from './streamRows.js'
import { nestedTypes } from './postgresText.js'
import { quoteIdentifier } from '../../duckdb/quote.js'

/**
 * A type as SQL, with `DECIMAL(38,0)` instead of integers of 128 bits, such as `sum` returns. Parquet has
 * no such integers, and DuckDB would write them as DOUBLE. Undefined when the type holds none.
 */
export const exactType = (type: DuckDBType): string | undefined => {
  switch (type.typeId) {
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return 'DECIMAL(38,0)'
    case DuckDBTypeId.LIST: {
      const inner = exactType(type.valueType)
      return inner && `${inner}[]`
    }
    case DuckDBTypeId.ARRAY: {
      const { valueType, length } = type
      const inner = exactType(valueType)
      return inner && `${inner}[${length}]`
    }
    case DuckDBTypeId.MAP: {
      const { keyType, valueType } = type
      const [key, value] = [exactType(keyType), exactType(valueType)]
      return key || value ? `MAP(${key ?? sqlOf(keyType)}, ${value ?? sqlOf(valueType)})` : undefined
    }
    case DuckDBTypeId.STRUCT: {
      const { entryNames, entryTypes } = type
      const inner = entryTypes.map(exactType)
      // Fields without names cannot be written as a type.
      if (inner.every((each) => each === undefined) || entryNames.includes('')) return undefined
      const fields = entryNames.map(
        (name, at) => `${quoteIdentifier(name)} ${inner[at] ?? sqlOf(entryTypes[at]!)}`,
      )
      return `STRUCT(${fields.join(', ')})`
    }
    default:
      return undefined
  }
}

const sqlOf = (type: DuckDBType): string => (type.alias === 'JSON' ? 'JSON' : type.toString())

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

export interface StreamArrow {
  connection: DuckDBConnection
  plan: Plan
  page: Page
  cancellation: Cancellation
}

/** What ends a stream of Arrow: a mark, and a length of 0. */
const end = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])

/** Rows as a stream of Arrow's IPC format: the schema, then a batch for each of DuckDB's chunks. */
export const streamArrow = async (options: StreamArrow): Promise<Rows> => {
  const { connection, plan, page, cancellation } = options
  const { names, types } = plan
  const columns = types.map((type, at) => arrowColumn(`c${at}`, type))
  const values = columns.map(({ sql }, at) => `${sql} AS v${at}`)
  const rows = `SELECT true AS is_row, ${values.join(', ')} FROM ${asTable(plan.text, names.length)}${pageSql(page)}`
  const sql = `SELECT * FROM (${rows}) UNION ALL SELECT NULL, ${columns.map(() => 'NULL').join(', ')}`
  const prepared = await prepareOne(connection, sql)
  const chunks = await streamChunks(prepared, { connection, plan, cancellation })

  const schema = new Schema(uniqueNames(names).map((name, at) => new Field(name, columns[at]!.type, true)))
  const write = (batches: readonly RecordBatch[]): Buffer => {
    const writer = new RecordBatchStreamWriter()
    writer.reset(undefined, schema)
    for (const batch of batches) writer.write(batch)
    writer.finish()
    const bytes = writer.toUint8Array(true)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  const head = write([]).subarray(0, -end.length)
  let part: 'head' | 'rows' | 'over' = 'head'

  const nextBatch = async (): Promise<Buffer | undefined> => {
    const read = await chunks.next()
    if (read === undefined) return undefined
    const { chunk, rows: length } = read
    const children = columns.map(({ build }, at) => build(chunk.getColumnValues(at + 1).slice(0, length)))
    const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children })
    return length === 0
      ? Buffer.alloc(0)
      : write([new RecordBatch(schema, data)]).subarray(head.length, -end.length)
  }

  return {
    names,
    types,
    settled: chunks.settled,
    close: chunks.close,
    async next() {
      if (part === 'over') return undefined
      const batch = await nextBatch()
      const beginning = part === 'head' ? head : Buffer.alloc(0)
      part = batch === undefined ? 'over' : 'rows'
      return Buffer.concat([beginning, batch ?? end])
    },
  }
}
