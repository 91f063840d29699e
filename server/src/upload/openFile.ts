import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { isNested } from '../lakehouse/planAppend.js'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import { quoteText } from '../store/quoteText.js'
import type { FileFormat } from './detectFormat.js'

export interface FileColumn {
  name: string
  type: string
}

export interface OpenFile {
  connection: DuckDBConnection
  columns: FileColumn[]
  /** Selects the columns, typed. */
  select: string
  close(): void
}

export interface OpenFileOptions {
  file: string
  format: FileFormat
  memoryLimit: string
  tempFolder: string
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
const openJson = async (connection: DuckDBConnection, file: string, sample: string) => {
  const found = await describe(connection, `read_json(${file}, records = true, maximum_depth = 2, ${sample})`)
  const columns = found.map(({ name, type }) => ({ name, type: isNested(type) ? 'JSON' : type }))
  const read = columns.map(({ name, type }) => ({ name, type: type === 'TIMESTAMP' ? 'TIMESTAMPTZ' : type }))
  const values = columns.map(
    ({ name, type }) => `${quoteIdentifier(name)}::${type} AS ${quoteIdentifier(name)}`,
  )
  return {
    columns,
    select: `SELECT ${values.join(', ')} FROM read_json(${file}, records = true, columns = ${struct(read)})`,
  }
}

const openCsv = async (connection: DuckDBConnection, file: string, sample: string) => {
  const columns = await describe(connection, `read_csv(${file}, ${csvOptions}, ${sample})`)
  const from = `read_csv(${file}, ${csvOptions}, auto_detect = false, columns = ${struct(columns)})`
  return { columns, select: `FROM ${from}` }
}

const openParquet = async (connection: DuckDBConnection, file: string) => ({
  columns: await describe(connection, `read_parquet(${file})`),
  select: `FROM read_parquet(${file})`,
})

/**
 * Reads an uploaded file in an engine of its own, the only one with access to files; it holds no
 * data and runs no SQL of a user.
 */
export const openFile = async (options: OpenFileOptions): Promise<OpenFile> => {
  const { format, memoryLimit, tempFolder, thorough } = options
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    temp_directory: tempFolder,
    threads: '2',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const close = () => instance.closeSync()
  try {
    const connection = await instance.connect()
    await connection.run(`SET TimeZone = 'UTC'`)
    const file = quoteText(options.file)
    const sample = `sample_size = ${thorough ? -1 : 20_480}`
    const opened =
      format === 'parquet'
        ? await openParquet(connection, file)
        : await (format === 'csv' ? openCsv : openJson)(connection, file, sample)
    return { connection, ...opened, close }
  } catch (error) {
    close()
    throw error
  }
}
