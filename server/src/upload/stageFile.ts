import type { DuckDBConnection } from '@duckdb/node-api'
import { Refusal } from '../http/Refusal.js'
import { openFile, type OpenFileOptions } from './openFile.js'
import type { FileColumn } from './textTypes.js'

export interface Staged {
  columns: FileColumn[]
  rows: number
}

const copy = async (
  connection: DuckDBConnection,
  stage: string,
  options: OpenFileOptions,
): Promise<Staged> => {
  const { columns, select } = await openFile(connection, options)
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${stage} AS ${select}`)
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM temp.main.${stage}`)
  return { columns, rows: Number(counted.getRows()[0]![0]) }
}

/** Puts a file's rows into a temporary table of the connection, which spills to disk like any other. */
export const stageFile = async (
  connection: DuckDBConnection,
  stage: string,
  options: Omit<OpenFileOptions, 'thorough'>,
): Promise<Staged> => {
  try {
    return await copy(connection, stage, { ...options, thorough: false })
  } catch (error) {
    if (error instanceof Refusal || options.format === 'parquet' || options.known !== undefined) throw error
    // A value far down may need another type than the first rows had.
    return copy(connection, stage, { ...options, thorough: true })
  }
}
