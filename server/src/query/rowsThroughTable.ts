import { randomUUID } from 'node:crypto'
import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api'
import { createMend } from './mendNumbers.js'
import { uniqueNames } from './uniqueNames.js'
import { wrapRead, type Cut, type Layout } from './wrapRead.js'

/**
 * Lines of rows that a change gave back, written by DuckDB as those of a SELECT are: the rows go into
 * a temporary table and are read from it. Undefined when a column's type cannot be written in SQL.
 */
export const rowsThroughTable = async (
  connection: DuckDBConnection,
  result: DuckDBMaterializedResult,
  layout: Layout,
  cut: Cut,
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
      wrapRead(`FROM temp.main.${table}`, keys, layout, cut, types),
    )
    const lines = Buffer.from(
      reader
        .getRows()
        .map(([line]) => line ?? '')
        .join(''),
    )
    return layout === 'csv' ? lines : createMend(types)(lines)
  } finally {
    await connection.run(`DROP TABLE IF EXISTS temp.main.${table}`).catch(() => undefined)
  }
}
