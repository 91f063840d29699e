import type { DuckDBConnection } from '@duckdb/node-api'
import { isNested } from '../lakehouse/planAppend.js'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import { quoteText } from '../store/quoteText.js'
import type { FileFormat } from './detectFormat.js'

export interface FileColumn {
  name: string
  type: string
}

export interface OpenFile {
  columns: FileColumn[]
  /** Selects the columns, typed. */
  select: string
}

export interface OpenFileOptions {
  file: string
  format: FileFormat
  /** Looks at every row to find the types, not only at the first ones. */
  thorough: boolean
}

const csvOptions =
  `header = true, delim = ',', quote = '"', escape = '"', skip = 0, comment = '', strict_mode = true, ` +
  'null_padding = false, ignore_errors = false, allow_quoted_nulls = false'

const describe = async (connection: DuckDBConnection, from: string): Promise<FileColumn[]> => {
  const reader = await connection.runAndReadAll(`DESCRIBE FROM ${from}`)
  return reader.getRows().map(([name, type]) => ({ name: name as string, type: type as string }))
}

const struct = (columns: readonly FileColumn[]) =>
  `{${columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type)}`).join(', ')}}`

/** A column of JSON's nested values is JSON, and a moment keeps its zone until it is stored in UTC. */
const openJson = async (connection: DuckDBConnection, file: string, sample: string): Promise<OpenFile> => {
  const found = await describe(connection, `read_json(${file}, records = true, maximum_depth = 2, ${sample})`)
  const columns = found.map(({ name, type }) => ({ name, type: isNested(type) ? 'JSON' : type }))
  const read = columns.map(({ name, type }) => ({ name, type: type === 'TIMESTAMP' ? 'TIMESTAMPTZ' : type }))
  const values = columns.map(
    ({ name, type }) => `${quoteIdentifier(name)}::${type} AS ${quoteIdentifier(name)}`,
  )
  const from = `read_json(${file}, records = true, columns = ${struct(read)})`
  return { columns, select: `SELECT ${values.join(', ')} FROM ${from}` }
}

const openCsv = async (connection: DuckDBConnection, file: string, sample: string): Promise<OpenFile> => {
  const columns = await describe(connection, `read_csv(${file}, ${csvOptions}, ${sample})`)
  const from = `read_csv(${file}, ${csvOptions}, auto_detect = false, columns = ${struct(columns)})`
  return { columns, select: `SELECT * FROM ${from}` }
}

const openParquet = async (connection: DuckDBConnection, file: string): Promise<OpenFile> => ({
  columns: await describe(connection, `read_parquet(${file})`),
  select: `SELECT * FROM read_parquet(${file})`,
})

/** Finds out what an uploaded file holds, and how to read it so that a mistake in it is an error. */
export const openFile = (connection: DuckDBConnection, options: OpenFileOptions): Promise<OpenFile> => {
  const { format, thorough } = options
  const file = quoteText(options.file)
  if (format === 'parquet') return openParquet(connection, file)
  const sample = `sample_size = ${thorough ? -1 : 20_480}`
  return format === 'csv' ? openCsv(connection, file, sample) : openJson(connection, file, sample)
}
