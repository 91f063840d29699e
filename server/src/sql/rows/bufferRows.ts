import { randomUUID } from 'node:crypto'
import {
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { encodeRows, isCsv, type Layout, type Page, uniqueNames, csvCell } from './encodeRows.js'
import { type Rows, createMend } from './streamRows.js'

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

/**
 * Writes the rows that a change returned exactly as those of a SELECT are written: they go into a
 * temporary table and are read from it. Undefined when a column's type cannot be written in SQL.
 */
const rowsThroughTable = async (
  connection: DuckDBConnection,
  result: DuckDBMaterializedResult,
  layout: Layout,
  page: Page,
): Promise<Buffer | undefined> => {
  const names = result.columnNames()
  const types = result.columnTypes()
  const table = `rows_${randomUUID().replaceAll('-', '')}`
  const columns = types.map((type, at) => `c${at} ${type.alias === 'JSON' ? 'JSON' : type.toString()}`)
  try {
    await connection.run(`CREATE TEMP TABLE ${table} (${columns.join(', ')})`)
  } catch {
    return undefined
  }
  try {
    const appender = await connection.createAppender(table, 'main', 'temp')
    for (const chunk of await result.fetchAllChunks()) appender.appendDataChunk(chunk)
    appender.closeSync()
    const keys = layout === 'object' ? uniqueNames(names) : names
    const reader = await connection.runAndReadAll(
      encodeRows(`FROM temp.main.${table}`, keys, layout, page, types),
    )
    const lines = Buffer.from(
      reader
        .getRows()
        .map(([line]) => line ?? '')
        .join(''),
    )
    return isCsv(layout) || layout === 'text' ? lines : createMend(types, layout === 'object')(lines)
  } finally {
    await connection.run(`DROP TABLE IF EXISTS temp.main.${table}`).catch(() => undefined)
  }
}

const csvText = (value: Json, escapes: boolean): string => {
  if (value === null) return ''
  return csvCell(typeof value === 'object' ? JSON.stringify(value) : String(value), escapes)
}

const rowsAtOnce = 1000

/** DuckDB and this file write these types alike, so they need no temporary table. */
const plain = new Set([DuckDBTypeId.BOOLEAN, DuckDBTypeId.INTEGER, DuckDBTypeId.BIGINT, DuckDBTypeId.VARCHAR])
const isPlain = (type: DuckDBType) => plain.has(type.typeId) && type.alias === undefined

/** Rows that are all written already. */
export const linesAsRows = (names: readonly string[], types: readonly DuckDBType[], lines: Buffer): Rows => {
  let left: Buffer | undefined = lines.length === 0 ? undefined : lines
  return {
    names,
    types,
    next() {
      const all = left
      left = undefined
      return Promise.resolve(all)
    },
  }
}

/** The rows of a statement that has run to its end: a change with RETURNING, or an EXPLAIN. */
export const bufferRows = async (
  connection: DuckDBConnection,
  result: DuckDBMaterializedResult,
  layout: Layout,
  page: Page,
): Promise<Rows> => {
  const names = result.columnNames()
  const types = result.columnTypes()
  if (!types.every(isPlain)) {
    const lines = await rowsThroughTable(connection, result, layout, page)
    if (lines !== undefined) return linesAsRows(names, types, lines)
  }
  const { limit, offset = 0 } = page
  const keys = uniqueNames(names)
  const rows = await result.getRows()
  const last = limit === undefined ? rows.length : Math.min(rows.length, offset + limit)
  let at = offset

  const line = (row: Json[]) => {
    if (isCsv(layout)) return row.map((value) => csvText(value, layout === 'escaped-csv')).join(',')
    return JSON.stringify(
      layout !== 'object' ? row : Object.fromEntries(row.map((value, i) => [keys[i]!, value])),
    )
  }
  return {
    names,
    types,
    next() {
      if (at >= last) return Promise.resolve(undefined)
      const some = rows.slice(at, Math.min(last, at + rowsAtOnce))
      at += some.length
      const lines = some.map((row) => line(row.map((value, i) => toJson(value, types[i]))))
      return Promise.resolve(`${lines.join('\n')}\n`)
    },
  }
}
