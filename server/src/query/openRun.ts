import {
  DuckDBTypeId,
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  type DuckDBType,
} from '@duckdb/node-api'
import { rowsThroughTable } from './rowsThroughTable.js'
import type { RowSource } from './RowSource.js'
import { toJson, type Json } from './toJson.js'
import { uniqueNames } from './uniqueNames.js'
import type { Cut, Layout } from './wrapRead.js'

const csvCell = (value: Json): string => {
  if (value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const rowsAtOnce = 1000

/** Both ways write these alike, and this one is at hand. */
const plain = new Set([DuckDBTypeId.BOOLEAN, DuckDBTypeId.INTEGER, DuckDBTypeId.BIGINT, DuckDBTypeId.VARCHAR])
const isPlain = (type: DuckDBType) => plain.has(type.typeId) && type.alias === undefined

const once = (names: string[], types: DuckDBType[], lines: Buffer): RowSource => {
  let left: Buffer | undefined = lines.length === 0 ? undefined : lines
  return {
    names,
    types,
    next() {
      const taken = left
      left = undefined
      return Promise.resolve(taken)
    },
  }
}

/** Rows of a statement that has run to its end: what a change gives back, or an EXPLAIN. */
export const openRun = async (
  connection: DuckDBConnection,
  result: DuckDBMaterializedResult,
  layout: Layout,
  cut: Cut,
): Promise<RowSource> => {
  const names = result.columnNames()
  const types = result.columnTypes()
  if (!types.every(isPlain)) {
    const lines = await rowsThroughTable(connection, result, layout, cut)
    if (lines !== undefined) return once(names, types, lines)
  }
  const { limit, offset = 0 } = cut
  const keys = uniqueNames(names)
  const rows = await result.getRows()
  const last = limit === undefined ? rows.length : Math.min(rows.length, offset + limit)
  let at = offset

  const line = (row: Json[]) => {
    if (layout === 'csv') return row.map(csvCell).join(',')
    return JSON.stringify(
      layout === 'array' ? row : Object.fromEntries(row.map((value, i) => [keys[i]!, value])),
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
