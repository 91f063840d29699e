import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../../duckdb/quote.js'
import type { Plan } from '../planStatement.js'
import { prepareOne } from '../prepareOne.js'
import { asTable, pageSql, uniqueNames, type Page } from './encodeRows.js'
import { exactType } from './streamArrow.js'

export interface ParquetFile {
  file: string
  bytes: number
  remove(): Promise<void>
}

export interface ExportOptions {
  plan: Plan
  page: Page
  folder: string
}

/**
 * DuckDB writes Parquet only to a file. The file goes into DuckDB's own temporary folder, the only one
 * that the locked engine can write to. User SQL must not read it there: the guard refuses names of
 * files, and the name has no ending by which DuckDB would take a name in SQL for a file.
 */
export const exportParquet = async (
  connection: DuckDBConnection,
  { plan, page, folder }: ExportOptions,
): Promise<ParquetFile> => {
  const file = join(folder, `export-${randomUUID()}`)
  const columns = uniqueNames(plan.names).map((name, at) => {
    const type = exactType(plan.types[at]!)
    return `c${at}${type === undefined ? '' : `::${type}`} AS ${quoteIdentifier(name)}`
  })
  const rows = `SELECT ${columns.join(', ')} FROM ${asTable(plan.text, plan.names.length)}${pageSql(page)}`
  const remove = () => rm(file, { force: true })
  await mkdir(folder, { recursive: true })
  try {
    // `current_query()` gives the statement as it is written here, so the folder does not stand in it.
    const copy = await prepareOne(connection, `COPY (${rows}) TO $1 (FORMAT parquet)`)
    try {
      copy.bindVarchar(1, file)
      await copy.run()
    } finally {
      copy.destroySync()
    }
    return { file, bytes: (await stat(file)).size, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
