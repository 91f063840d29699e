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
  kindProblem,
  nameProblem,
  widthProblem,
} from '../append/planAppend.js'
import { quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { type CsvDialect, maxRowBytes } from './createCsvReader.js'
import { quoteNumbers, readRecords } from './readRecords.js'
import { type FileColumn, findCommas, findTypes, readKnown, type TextColumn } from './textTypes.js'
import type { FileFormat } from './decodeBody.js'

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
  for (const { name, kinds, type } of columns) {
    // A cast to BOOLEAN takes 1 and "yes".
    const problem = type === 'BOOLEAN' && kindProblem(name, type, kinds)
    if (problem) throw refuse(400, 'invalid-upload', problem)
  }
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
  /** Whether it has times as Impala and older Spark write them: a day, and nanoseconds of it. */
  isInt96: boolean
  /** The fields within it. */
  fields: readonly ParquetField[]
}

/** Reads the tree of a parquet file's columns, and refuses what DuckDB would read wrongly or name anew. Returns the columns. */
const readParquetFields = async (connection: DuckDBConnection, file: string): Promise<ParquetField[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT name, coalesce(num_children, 0)::INT,
       CASE WHEN converted_type = 'DECIMAL' OR logical_type LIKE 'Decimal%' THEN precision::INT END,
       coalesce(logical_type LIKE '%isAdjustedToUTC=1%NANOS=NanoSeconds%', false), coalesce(type = 'INT96', false)
     FROM parquet_schema(${quoteText(file)}) ORDER BY column_id`,
  )
  const rows = reader.getRows().map(([name, children, digits, isZoned, isInt96]) => {
    return { name, children, digits, isZoned, isInt96, fields: [] } as ParquetField
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
      return { ...field, fields: takeFields(field) }
    })
    const problem = nameProblem(fields.map(({ name }) => name))
    if (problem !== undefined) throw refuse(400, 'invalid-upload', problem)
    return fields
  }
  return takeFields(rows.shift()!)
}

/** Changes the description at the end of a parquet file: a length of four bytes and PAR1 follow it. */
const changeFooter = async (file: string, change: (footer: string) => string) => {
  const handle = await openHandle(file, 'r+')
  try {
    const { size } = await handle.stat()
    const read = async (length: number, at: number) =>
      (await handle.read(Buffer.alloc(length), 0, length, at)).buffer
    const length = Math.min((await read(8, size - 8)).readUInt32LE(0), size - 8)
    const start = size - 8 - length
    const footer = Buffer.from(change((await read(length, start)).toString('latin1')), 'latin1')
    const end = Buffer.from('    PAR1')
    end.writeUInt32LE(footer.length)
    await handle.truncate(start)
    await handle.write(Buffer.concat([footer, end]), 0, footer.length + end.length, start)
  } finally {
    await handle.close()
  }
}

/**
 * DuckDB cuts nanoseconds of moments, and reads those of times without a zone. This makes such times of moments: it looks
 * for the fields 8 TIMESTAMP, 1 isAdjustedToUTC = true, 2 unit = NANOS in Thrift's compact protocol.
 */
const withoutZones = (footer: string) => footer.replaceAll('\x8c\x11\x1c\x3c\0\0\0', '\x8c\x12\x1c\x3c\0\0\0')

const leavesOf = (field: ParquetField): ParquetField[] =>
  field.fields.length === 0 ? [field] : field.fields.flatMap(leavesOf)

/**
 * Makes times of INT96 texts of twelve bytes: of the fields 1 type = INT96, 3 repetition and 4 name it makes 1 type =
 * FIXED_LEN_BYTE_ARRAY, 2 length = 12, 3 and 4. `all` are all such times of the file in their order.
 */
const asBytes = (footer: string, all: readonly ParquetField[], wanted: ReadonlySet<ParquetField>) => {
  let at = 0
  let changed = ''
  for (const leaf of all) {
    const bytes = Buffer.from(leaf.name)
    const length = bytes.length < 128 ? [bytes.length] : [(bytes.length % 128) + 128, bytes.length >> 7]
    const name = `\x18${String.fromCharCode(...length)}${bytes.toString('latin1')}`
    const found = ['\0', '\x02', '\x04']
      .map((repetition) => ({ repetition, place: footer.indexOf(`\x15\x06\x25${repetition}${name}`, at) }))
      .filter(({ place }) => place >= 0)
      .toSorted((a, b) => a.place - b.place)[0]
    if (found === undefined) throw inexact(leaf.name)
    const { repetition, place } = found
    const end = place + 4
    const type = wanted.has(leaf) ? `\x15\x0e\x15\x18\x15${repetition}` : footer.slice(place, end)
    changed += footer.slice(at, place) + type
    at = end
  }
  return changed + footer.slice(at)
}

const inexact = (name: string) =>
  refuse(
    400,
    'invalid-upload',
    `The times of INT96 in the column ${JSON.stringify(name)} cannot be read exactly. Write them in microseconds.`,
  )

/** The number in some of a text's bytes, of which the last is the highest. */
const numberIn = (bytes: string, from: number, to: number) => {
  const digits = Array.from({ length: to - from }, (_, n) => `substr(hex(${bytes}), ${2 * (to - n) - 1}, 2)`)
  return `('0x' || ${digits.join(' || ')})::BIGINT`
}
const nanosecondsIn = (bytes: string) => numberIn(bytes, 0, 8)
const daysIn = (bytes: string) => `(${numberIn(bytes, 8, 12)} - 2440588)`

/** Whether a column has a time of INT96 that is no whole number of microseconds. */
const hasCutTimes = async (connection: DuckDBConnection, file: string, column: ParquetField) => {
  const leaves = leavesOf(column)
  const name = quoteIdentifier(column.name)
  const value = column.isInt96 ? name : `unnest(${name}, recursive := true)`
  const times = `(SELECT ${value} FROM read_parquet(${quoteText(file)}))`
  // A map is not taken apart.
  if ((await describe(connection, times)).length !== leaves.length) throw inexact(column.name)
  const isCut = leaves.flatMap(({ isInt96 }, at) =>
    isInt96 ? [`${nanosecondsIn(`c${at}`)} % 1000 <> 0`] : [],
  )
  const reader = await connection.runAndReadAll(
    `SELECT 1 FROM ${times} t(${leaves.map((_, at) => `c${at}`).join(', ')}) WHERE ${isCut.join(' OR ')} LIMIT 1`,
  )
  return reader.currentRowCount > 0
}

/** The SQL of a parquet file's rows, with all nanoseconds, of which DuckDB cuts some. */
const readParquet = async (connection: DuckDBConnection, file: string, fields: readonly ParquetField[]) => {
  await changeFooter(file, withoutZones)
  const from = `read_parquet(${quoteText(file)})`
  const all = fields.flatMap(leavesOf).filter(({ isInt96 }) => isInt96)
  if (all.length === 0) return from
  let footer = ''
  await changeFooter(file, (given) => asBytes((footer = given), all, new Set(all)))
  const cut: ParquetField[] = []
  for (const field of fields) {
    if (!leavesOf(field).some(({ isInt96 }) => isInt96)) continue
    if (!(await hasCutTimes(connection, file, field))) continue
    if (!field.isInt96) throw inexact(field.name)
    cut.push(field)
  }
  await changeFooter(file, () => asBytes(footer, all, new Set(cut)))
  if (cut.length === 0) return from
  const values = cut.map((field) => {
    const name = quoteIdentifier(field.name)
    const late = `error(${quoteText(`A time of the column ${JSON.stringify(field.name)} is too far from 1970 for nanoseconds.`)})`
    const time = `${daysIn(name)}::HUGEINT * 86400000000000 + ${nanosecondsIn(name)}`
    return `make_timestamp_ns(coalesce(TRY_CAST(${time} AS BIGINT), CASE WHEN ${name} IS NOT NULL THEN ${late}::BIGINT END)) AS ${name}`
  })
  return `(SELECT * REPLACE (${values.join(', ')}) FROM ${from})`
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
  isNested(type) || isWhole(type) || isMoment(type) || /^(BOOLEAN|DOUBLE|FLOAT|DECIMAL|DATE|TIME)/.test(type)

/** How a column of a table that exists is read from values of another type. Reading fails where the cast would change a value. */
const convert = ({ name, type: from }: FileColumn, type: string): TextColumn => {
  if (from === 'VARCHAR') return readKnown({ name, type })
  const column = asIs({ name, type })
  // A FLOAT is never exactly what a fraction was.
  const isRounded = /\bFLOAT\b/.test(type) && !isWhole(from)
  if (from === type || isRounded || !isComparable(from) || !isComparable(type)) return column
  const given = quoteIdentifier(name)
  const message = `${given}::VARCHAR || ${quoteText(` would change; the column is ${type}`)}`
  const value = `CASE WHEN (${column.value})::${from} IS DISTINCT FROM ${given} THEN error(${message})::${type} ELSE ${column.value} END`
  return { ...column, value }
}

/**
 * Spark 2, and newer ones that are told to, count days by a calendar that differs before 1582, and times by local clocks
 * before 1900.
 */
const refuseOldCalendar = async (connection: DuckDBConnection, file: string, rows: string) => {
  const marks = await connection.runAndReadAll(
    `SELECT 1 FROM parquet_kv_metadata(${quoteText(file)}) WHERE decode(key) LIKE 'org.apache.spark.legacy%'
       OR (decode(key) = 'org.apache.spark.version' AND decode(value) LIKE '2.%') LIMIT 1`,
  )
  if (marks.currentRowCount === 0) return
  for (const { name, type } of await describe(connection, rows)) {
    if (!/DATE|TIMESTAMP/.test(type)) continue
    const old = String.raw`regexp_matches(${quoteIdentifier(name)}::VARCHAR, '\b(0\d|1[0-8])\d\d-\d\d-\d\d')`
    const found = await connection.runAndReadAll(`SELECT 1 FROM ${rows} WHERE ${old} LIMIT 1`)
    if (found.currentRowCount === 0) continue
    const message = `The column ${JSON.stringify(name)} has days before 1900 in Spark's old calendar. Write them with the rebase mode CORRECTED.`
    throw refuse(400, 'invalid-upload', message)
  }
}

const openParquet: Open = async (connection, { file, known }) => {
  const fields = await readParquetFields(connection, file)
  const from = await readParquet(connection, file, fields)
  await refuseOldCalendar(connection, file, from)
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
