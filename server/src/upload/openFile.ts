import { open as openHandle } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { refuse } from '../http/HttpError.js'
import { castText, type FieldKind, keepsDigits } from '../append/describeFields.js'
import {
  type Column,
  inferType,
  isMoment,
  isNested,
  isWhole,
  nameProblem,
  widthProblem,
} from '../append/planAppend.js'
import { quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { type CsvDialect, maxRowBytes } from './createCsvReader.js'
import { quoteNumbers, readRecords } from './readRecords.js'
import { type FileColumn, findCommas, findTypes, readKnown, type TextColumn } from './textTypes.js'
import type { FileFormat } from './detectFormat.js'

/** Finds a column by its name; case does not matter, as everywhere in SQL. */
export const findColumn = <T extends { name: string }>(columns: readonly T[], name: string): T | undefined =>
  columns.find((column) => column.name.toLowerCase() === name.toLowerCase())

export interface OpenFile {
  columns: TextColumn[]
  /** The SQL of what is read. */
  from: string
  /** How many rows there are, where that is known by another reader than DuckDB. */
  rows?: number
}

export interface UploadedFile {
  file: string
  format: FileFormat
  /** The columns of a csv file. */
  names: readonly string[]
  /** How a csv file is written. */
  dialect: CsvDialect | undefined
  /** The columns of the table that the rows go into; undefined when the file makes the table. */
  known: readonly Column[] | undefined
  /** How many columns the file may give a table that it makes. */
  maxColumns: number
}

/** How many digits a DECIMAL of DuckDB has at most. */
const mostDigits = 38
/** DuckDB may count the end of the line too. */
const maxLineBytes = maxRowBytes + 100

const csvOptions = ({ delimiter, header }: CsvDialect) =>
  `header = ${header}, delim = ${quoteText(delimiter)}, quote = '"', escape = '"', skip = 0, comment = '', ` +
  'strict_mode = true, null_padding = false, ignore_errors = false, allow_quoted_nulls = false, ' +
  String.raw`new_line = '\n', max_line_size = ${maxLineBytes}, auto_detect = false`

const describe = async (connection: DuckDBConnection, from: string): Promise<FileColumn[]> => {
  const reader = await connection.runAndReadAll(`DESCRIBE FROM ${from}`)
  return reader.getRows().map(([name, type]) => ({ name: name as string, type: type as string }))
}

const struct = (columns: readonly FileColumn[]) =>
  `{${columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type)}`).join(', ')}}`

/** A column whose values are read with their type. */
const asIs = ({ name, type }: FileColumn): TextColumn => ({
  name,
  type,
  value: `${quoteIdentifier(name)}::${type}`,
  isSettled: true,
  hasComma: false,
})

const readJson = (file: string, columns: readonly FileColumn[]) =>
  `read_json(${quoteText(file)}, records = true, columns = ${struct(columns)})`

const typeOf = (known: readonly Column[], name: string): string => {
  const column = findColumn(known, name)
  if (column === undefined)
    throw refuse(400, 'invalid-upload', `The table has no column ${JSON.stringify(name)}.`)
  return column.type
}

/** Each value is cast from its text straight to the table's type, because a type between them could change it. */
const typed = (names: readonly string[], known: readonly Column[]): FileColumn[] =>
  names.map((name) => ({ name, type: typeOf(known, name) }))

/** Finds the columns of an uploaded file, and the SQL that reads it so that a mistake in it is an error. */
type Open = (connection: DuckDBConnection, uploaded: UploadedFile) => Promise<OpenFile>

const numbers: readonly FieldKind[] = ['whole', 'float', 'large', 'huge', 'digits']

/** The type of a field in a table that the file makes: that of `/append`, or else one that holds all its kinds. */
const typeOfField = (kinds: readonly FieldKind[]): string =>
  kinds.length === 0 ? 'JSON' : (inferType(kinds) ?? (kinds.includes('json') ? 'JSON' : 'VARCHAR'))

/** Opens a JSON file. Nested values are read as JSON, numbers and truth values as such where that keeps them, all others as text. */
const openJson: Open = async (_, { file, known, maxColumns }) => {
  const { fields, records } = await readRecords(file, (names) => {
    if (known !== undefined) return void typed(names, known)
    const problem = widthProblem(0, names.length, maxColumns)
    if (problem !== undefined) throw refuse(400, 'invalid-upload', problem)
  })
  if (known !== undefined && records === 0)
    return { columns: [], from: '(SELECT 0 WHERE false)', rows: records }
  const all = Object.entries(fields)
  if (all.length === 0) throw refuse(400, 'invalid-upload', 'The file holds no field, and so no column.')
  const columns = all.map(([name, kinds]) => ({
    name,
    kinds,
    type: known === undefined ? typeOfField(kinds) : typeOf(known, name),
  }))
  const exact = columns.filter(
    ({ type, kinds }) => (keepsDigits(type) || isWhole(type)) && kinds.some((kind) => numbers.includes(kind)),
  )
  const source = await quoteNumbers(
    file,
    exact.map(({ name }) => name),
  )
  const isPlain = (type: string) => known === undefined && ['BIGINT', 'DOUBLE', 'BOOLEAN'].includes(type)
  const read = columns.map(({ name, type }) => ({
    name,
    type: isPlain(type) ? type : type === 'JSON' || isNested(type) ? 'JSON' : 'VARCHAR',
  }))
  const open = (column: FileColumn): TextColumn => {
    if (isPlain(column.type)) return asIs(column)
    if (known !== undefined || column.type !== 'TIMESTAMP') return readKnown(column)
    // RFC 3339 allows a small t and z, and DuckDB does not.
    return { ...asIs(column), value: castText(`upper(${quoteIdentifier(column.name)})`, column.type) }
  }
  return { columns: columns.map(open), from: readJson(source, read), rows: records }
}

/** Without a header the columns of a file are those of the table, one after the other. */
const namesByPlace = (names: readonly string[], known: readonly Column[]): string[] => {
  if (names.length === known.length) return known.map(({ name }) => name)
  const message = `The file has ${names.length} columns and no header, and the table has ${known.length}.`
  throw refuse(400, 'invalid-upload', message)
}

const openCsv: Open = async (connection, { file, names: named, dialect, known }) => {
  const names = known === undefined || dialect!.header ? named : namesByPlace(named, known)
  const texts = names.map((name) => ({ name, type: 'VARCHAR' }))
  const from = `read_csv(${quoteText(file)}, ${csvOptions(dialect!)}, columns = ${struct(texts)})`
  const mayHaveComma = dialect!.delimiter !== ','
  if (known === undefined)
    return { columns: await findTypes(connection, from, { names, mayHaveComma, all: false }), from }
  const columns = typed(names, known)
  const commas = mayHaveComma ? await findCommas(connection, from, columns) : new Set<string>()
  return { columns: columns.map((column) => readKnown(column, commas.has(column.name))), from }
}

interface ParquetField {
  name: string
  children: number
  /** How many digits a DECIMAL has. */
  digits: number | null
  isZoned: boolean
}

/** Reads the tree of a parquet file's columns, and refuses what DuckDB would read wrongly or name anew. Returns the columns. */
const readParquetFields = async (connection: DuckDBConnection, file: string): Promise<ParquetField[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT name, coalesce(num_children, 0)::INT,
       CASE WHEN converted_type = 'DECIMAL' OR logical_type LIKE 'Decimal%' THEN precision::INT END,
       coalesce(logical_type LIKE '%isAdjustedToUTC=1%NANOS=NanoSeconds%', false)
     FROM parquet_schema(${quoteText(file)}) ORDER BY column_id`,
  )
  const rows = reader.getRows().map(([name, children, digits, isZoned]) => {
    return { name, children, digits, isZoned } as ParquetField
  })
  for (const { name, digits } of rows) {
    if ((digits ?? 0) <= mostDigits) continue
    const message = `The column ${JSON.stringify(name)} has decimals of ${digits} digits, and at most ${mostDigits} can be read. Write them as texts.`
    throw refuse(400, 'invalid-upload', message)
  }
  /** Takes the fields within one, which follow it. */
  const takeFields = ({ children }: ParquetField): ParquetField[] => {
    const fields = Array.from({ length: children }, () => {
      const field = rows.shift()!
      takeFields(field)
      return field
    })
    const problem = nameProblem(fields.map(({ name }) => name))
    if (problem !== undefined) throw refuse(400, 'invalid-upload', problem)
    return fields
  }
  return takeFields(rows.shift()!)
}

/** The fields 8 TIMESTAMP, 1 isAdjustedToUTC = true, 2 unit = NANOS in Thrift's compact protocol. */
const zonedNanoseconds = Buffer.from('8c111c3c000000', 'hex')
/** The second byte for isAdjustedToUTC = false. */
const unzoned = 0x12

/**
 * DuckDB cuts nanoseconds of moments, and reads those of times without a zone. This makes such times of moments, in the
 * description at the end of the file: a length of four bytes and PAR1 follow it.
 */
const keepNanoseconds = async (file: string) => {
  const handle = await openHandle(file, 'r+')
  try {
    const { size } = await handle.stat()
    const read = async (length: number, at: number) =>
      (await handle.read(Buffer.alloc(length), 0, length, at)).buffer
    const length = Math.min((await read(8, size - 8)).readUInt32LE(0), size - 8)
    const footer = await read(length, size - 8 - length)
    for (let at = footer.indexOf(zonedNanoseconds); at >= 0; at = footer.indexOf(zonedNanoseconds, at + 1))
      footer[at + 1] = unzoned
    await handle.write(footer, 0, length, size - 8 - length)
  } finally {
    await handle.close()
  }
}

/** Whether one of the times is no whole number of microseconds. */
const hasNanoseconds = async (connection: DuckDBConnection, from: string, name: string) => {
  const reader = await connection.runAndReadAll(
    `SELECT 1 FROM ${from} WHERE epoch_ns(${quoteIdentifier(name)}) % 1000 <> 0 LIMIT 1`,
  )
  return reader.currentRowCount > 0
}

/** A value of these types that is cast, and cast back, must be the same. */
const isComparable = (type: string) =>
  !isNested(type) && (isWhole(type) || isMoment(type) || /^(DOUBLE|FLOAT|DECIMAL|DATE|TIME)/.test(type))

/** How a column of a table that exists is read from values of another type. Reading fails where the cast would change a value. */
const convert = ({ name, type: from }: FileColumn, type: string): TextColumn => {
  if (from === 'VARCHAR') return readKnown({ name, type })
  const column = asIs({ name, type })
  // A FLOAT is never exactly what a fraction was.
  const isRounded = type === 'FLOAT' && !isWhole(from)
  if (from === type || isRounded || !isComparable(from) || !isComparable(type)) return column
  const given = quoteIdentifier(name)
  const message = `${given}::VARCHAR || ' would change; the column is ${type}'`
  const value = `CASE WHEN (${column.value})::${from} IS DISTINCT FROM ${given} THEN error(${message})::${type} ELSE ${column.value} END`
  return { ...column, value }
}

const openParquet: Open = async (connection, { file, known }) => {
  const fields = await readParquetFields(connection, file)
  await keepNanoseconds(file)
  const from = `read_parquet(${quoteText(file)})`
  const columns: TextColumn[] = []
  for (const [at, column] of (await describe(connection, from)).entries()) {
    if (known !== undefined) columns.push(convert(column, typeOf(known, column.name)))
    else if (fields[at]?.isZoned !== true || (await hasNanoseconds(connection, from, column.name)))
      columns.push(asIs(column))
    else {
      const value = `${quoteIdentifier(column.name)}::TIMESTAMP::TIMESTAMPTZ`
      columns.push({ ...asIs(column), type: 'TIMESTAMP WITH TIME ZONE', value })
    }
  }
  return { columns, from }
}

export const openers = { csv: openCsv, json: openJson, parquet: openParquet }
