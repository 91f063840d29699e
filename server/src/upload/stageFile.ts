import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import { openFile, type FileColumn, type OpenFile, type OpenFileOptions } from './openFile.js'

export interface Staged {
  columns: FileColumn[]
  rows: number
}

/** The stage's extra column: true in the one row that comes after all of the file's. */
export const endColumn = '__waymark_end'

const fill = async (connection: DuckDBConnection, stage: string, file: OpenFile): Promise<number> => {
  const nulls = file.columns.map(() => 'NULL').join(', ')
  const appender = await connection.createAppender(stage, 'main', 'temp')
  const result = await file.connection.stream(
    `SELECT false, * FROM (${file.select}) UNION ALL SELECT true, ${nulls}`,
  )
  let rows = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    appender.appendDataChunk(chunk)
    rows += chunk.rowCount
  }
  appender.closeSync()
  return rows - 1
}

const copy = async (
  connection: DuckDBConnection,
  stage: string,
  options: OpenFileOptions,
): Promise<Staged> => {
  const file = await openFile(options)
  try {
    const list = file.columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ')
    await connection.run(`CREATE OR REPLACE TEMP TABLE ${stage} (${endColumn} BOOLEAN, ${list})`)
    const rows = await fill(connection, stage, file)
    const end = await connection.runAndReadAll(`SELECT count(*) FROM temp.main.${stage} WHERE ${endColumn}`)
    if (Number(end.getRows()[0]![0]) === 1) return { columns: file.columns, rows }
    // A stream that fails midway ends like a complete one; run without its rows it says why.
    await file.connection.run(`EXPLAIN ANALYZE ${file.select}`)
    throw new Error('The file could not be read to its end.')
  } finally {
    file.close()
  }
}

/** Puts a file's rows into a temporary table of the connection. */
export const stageFile = async (
  connection: DuckDBConnection,
  stage: string,
  options: Omit<OpenFileOptions, 'thorough'>,
): Promise<Staged> => {
  try {
    return await copy(connection, stage, { ...options, thorough: false })
  } catch (error) {
    if (options.format === 'parquet') throw error
    // A value far down may need another type than the first rows had.
    return copy(connection, stage, { ...options, thorough: true })
  }
}
