import type { DuckDBMaterializedResult } from '@duckdb/node-api'
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

/** Rows of a statement that has run to its end: what a change gives back, or an EXPLAIN. */
export const openRun = async (
  result: DuckDBMaterializedResult,
  layout: Layout,
  { limit, offset = 0 }: Cut,
): Promise<RowSource> => {
  const names = result.columnNames()
  const types = result.columnTypes()
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
