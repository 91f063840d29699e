import { randomUUID } from 'node:crypto'
import {
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api'
import { csvCell } from './csvCell.js'
import { encodeRows, isCsv, type Layout, type Page, uniqueNames } from './encodeRows.js'
import { createMend } from './mendNumbers.js'
import type { Rows } from './streamRows.js'
import { type Json, toJson } from './toJson.js'

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
