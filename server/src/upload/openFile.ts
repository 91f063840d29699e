import type { DuckDBConnection } from '@duckdb/node-api'
import { HttpError, refuse } from '../http/HttpError.js'
import { keepsDigits } from '../append/describeFields.js'
import { type Column, isNested } from '../append/planAppend.js'
import { quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { maxRowBytes } from './createCsvReader.js'
import { quoteFractions, readJsonNames } from './unusualFields.js'
import { type FileColumn, isReadAsText, readFound, readKnown, settleTypes } from './textTypes.js'
import type { FileFormat } from './detectFormat.js'
import type { Limits } from '../link/ownLimits.js'

/** Finds a column by its name; case does not matter, as everywhere in SQL. */
export const findColumn = <T extends { name: string }>(columns: readonly T[], name: string): T | undefined =>
  columns.find((column) => column.name.toLowerCase() === name.toLowerCase())

export interface OpenFile {
  columns: FileColumn[]
  /** The SQL that selects the typed columns. They are called c0, c1 and so on, so that names in the file cannot clash. */
  select: string
}

export interface UploadedFile {
  file: string
  format: FileFormat
  /** The columns of a csv file. */
  names: readonly string[]
  /** The columns of the table that the rows go into; undefined when the file makes the table. */
  known: readonly Column[] | undefined
}

/** DuckDB may count the end of the line too. */
const maxLineBytes = maxRowBytes + 100

const csvOptions =
  `header = true, delim = ',', quote = '"', escape = '"', skip = 0, comment = '', strict_mode = true, ` +
  String.raw`null_padding = false, ignore_errors = false, allow_quoted_nulls = false, ` +
  String.raw`new_line = '\n', max_line_size = ${maxLineBytes}`

const describe = async (connection: DuckDBConnection, from: string): Promise<FileColumn[]> => {
  const reader = await connection.runAndReadAll(`DESCRIBE FROM ${from}`)
  return reader.getRows().map(([name, type]) => ({ name: name as string, type: type as string }))
}

const struct = (columns: readonly FileColumn[]) =>
  `{${columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type)}`).join(', ')}}`

const readJson = (file: string, columns: readonly FileColumn[]) =>
  `read_json(${quoteText(file)}, records = true, columns = ${struct(columns)})`

const selectAll = (values: readonly string[], from: string) =>
  `SELECT ${values.map((value, at) => `${value} AS c${at}`).join(', ')} FROM ${from}`

/** The SQL that reads a file once the types of its columns are decided. */
type ReadAs = (columns: readonly FileColumn[]) => string

const typeOf = (known: readonly Column[], name: string): string => {
  const column = findColumn(known, name)
  if (column === undefined)
    throw refuse(400, 'invalid-upload', `The table has no column ${JSON.stringify(name)}.`)
  return column.type
}

/** Each value is cast from its text straight to the table's type, because a type between them could change it. */
const openKnown = (names: readonly string[], known: readonly Column[], readAs: ReadAs): OpenFile => {
  const columns = names.map((name) => ({ name, type: typeOf(known, name) }))
  const values = columns.map((column) => readKnown(column))
  return { columns, select: selectAll(values, readAs(columns)) }
}

const openFound = async (
  connection: DuckDBConnection,
  found: readonly FileColumn[],
  readAs: ReadAs,
  thorough: boolean,
): Promise<OpenFile> => {
  const from = readAs(found.map(({ name, type }) => ({ name, type: isReadAsText(type) ? 'VARCHAR' : type })))
  const columns = thorough ? await settleTypes(connection, from, found) : [...found]
  const values = columns.map((column) => readFound(column, !thorough))
  return { columns, select: selectAll(values, from) }
}

/**
 * Finds the columns of an uploaded file, and the SQL that reads it so that a mistake in it is an error. A thorough look
 * reads every value to find the types, not only those of the first rows.
 */
type Open = (connection: DuckDBConnection, uploaded: UploadedFile, thorough: boolean) => Promise<OpenFile>

/** Opens a JSON file for a table that exists. Nested values are read as JSON, all others as text. */
const openKnownJson = async (
  connection: DuckDBConnection,
  { file, names, known }: { file: string; names: readonly string[]; known: readonly Column[] },
): Promise<OpenFile> => {
  const exact = names.filter((name) => keepsDigits(typeOf(known, name)))
  const source = await quoteFractions(connection, file, exact)
  return openKnown(names, known, (columns) => {
    const isJson = (type: string) => type === 'JSON' || isNested(type)
    const texts = columns.map(({ name, type }) => ({ name, type: isJson(type) ? 'JSON' : 'VARCHAR' }))
    return readJson(source, texts)
  })
}

/** Opens a JSON file. A column of nested values gets the type JSON. */
const openJson: Open = async (connection, { file, known }, thorough) => {
  const { names, records } = await readJsonNames(connection, quoteText(file))
  if (known !== undefined && records === 0) return { columns: [], select: 'SELECT 0 AS c0 WHERE false' }
  if (names.length === 0) throw refuse(400, 'invalid-upload', 'The file holds no field, and so no column.')
  if (known !== undefined) return openKnownJson(connection, { file, names, known })
  const every = 'maximum_depth = 2, sample_size = -1, map_inference_threshold = -1'
  const found = await describe(connection, `read_json(${quoteText(file)}, records = true, ${every})`)
  const columns = found.map(({ name, type }) => ({ name, type: isNested(type) ? 'JSON' : type }))
  return openFound(connection, columns, (read) => readJson(file, read), thorough)
}

/** Finds the types of a csv file. When DuckDB cannot, the columns are text, and reading them shows which row is wrong. */
const findCsv = async (connection: DuckDBConnection, { file, names }: UploadedFile, thorough: boolean) => {
  const sample = `sample_size = ${thorough ? -1 : 20_480}, names = [${names.map(quoteText).join(', ')}]`
  try {
    return await describe(connection, `read_csv(${quoteText(file)}, ${csvOptions}, ${sample})`)
  } catch {
    return names.map((name) => ({ name, type: 'VARCHAR' }))
  }
}

const openCsv: Open = async (connection, uploaded, thorough) => {
  const { file, names, known } = uploaded
  const readAs: ReadAs = (columns) =>
    `read_csv(${quoteText(file)}, ${csvOptions}, auto_detect = false, columns = ${struct(columns)})`
  if (known === undefined)
    return openFound(connection, await findCsv(connection, uploaded, thorough), readAs, thorough)
  return openKnown(names, known, (columns) => readAs(columns.map(({ name }) => ({ name, type: 'VARCHAR' }))))
}

const openParquet: Open = async (connection, { file, known }) => {
  const from = `read_parquet(${quoteText(file)})`
  const found = await describe(connection, from)
  const columns = known === undefined ? found : found.map(({ name }) => ({ name, type: typeOf(known, name) }))
  const values = columns.map(({ name, type }) => `${quoteIdentifier(name)}::${type}`)
  return { columns, select: selectAll(values, from) }
}

const openers = { csv: openCsv, json: openJson, parquet: openParquet }

export interface ToStage extends UploadedFile {
  /** How many rows the file has; undefined when it is not known. */
  rows: number | undefined
}

export interface Staged {
  columns: FileColumn[]
  rows: number
}

/** Puts a file's rows into a table. */
export const stageFile = async (
  connection: DuckDBConnection,
  stage: string,
  file: ToStage,
): Promise<Staged> => {
  const copy = async (thorough: boolean): Promise<Staged> => {
    const { columns, select } = await openers[file.format](connection, file, thorough)
    await connection.run(`CREATE OR REPLACE TABLE ${stage} AS ${select}`)
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${stage}`)
    return { columns, rows: Number(counted.getRows()[0]![0]) }
  }
  const staged = await copy(false).catch((error: unknown) => {
    if (error instanceof HttpError || file.format === 'parquet' || file.known !== undefined) throw error
    // A later value may need another type than the first rows had.
    return copy(true)
  })
  if ((file.rows ?? staged.rows) === staged.rows) return staged
  const message = `The file has ${file.rows} rows, of which ${staged.rows} could be read. Nothing was stored.`
  throw refuse(400, 'invalid-upload', message)
}

/** What the process that reads a file is told. */
export interface ToImport extends ToStage, Limits {
  /** The file of DuckDB's that the rows go into. */
  stage: string
  memoryLimit: string
  threads: number
}

/** What it answers. */
export type FromImporter =
  | { kind: 'staged'; staged: Staged }
  | { kind: 'refused'; status: number; code: string; message: string; headers: Record<string, string> }
  | { kind: 'failed'; reason: string }

/** The table of the rows in the file of the stage. */
export const stagedTable = (catalog: string): string => `${catalog}.main.staged`

/** The folder of what DuckDB puts aside while it reads a spooled file. */
export const spillFolder = (file: string): string => `${file}_spill`
