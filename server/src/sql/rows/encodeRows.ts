import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import { quoteText } from '../../duckdb/quote.js'
import { nestedTypes, postgresText } from './postgresText.js'

/**
 * How a spreadsheet's formula begins, in a cell that came from anybody: Excel, LibreOffice and Google Sheets run what
 * begins so. The last four are the wide forms, which Excel reads alike.
 */
const opening = '[=+@\\t\\r\\n＝＋－＠-]'

/** SQL for the text of a CSV cell. With `escapes`, a text that a spreadsheet would run has an apostrophe before it. */
export const csvCellSql = (column: string, escapes: boolean): string => {
  const plain = `${column}::VARCHAR`
  // A number with a sign, such as -5, is no formula.
  const isFormula = `regexp_matches(${plain}, '^${opening}') AND TRY_CAST(${plain} AS DOUBLE) IS NULL`
  const text = escapes ? `CASE WHEN ${isFormula} THEN concat('''', ${plain}) ELSE ${plain} END` : plain
  return `CASE WHEN ${column} IS NULL THEN '' WHEN ${plain} = '' OR regexp_matches(${plain}, '[",\\r\\n]')
   THEN '"' || replace(${text}, '"', '""') || '"' ELSE ${text} END`
}

const formula = new RegExp(`^${opening}`)

/** The text of a CSV cell, as `csvCellSql` writes it. */
export const csvCell = (text: string, escapes: boolean): string => {
  const isFormula = escapes && formula.test(text) && Number.isNaN(Number(text))
  const cell = isFormula ? `'${text}` : text
  return text === '' || /[",\r\n]/.test(text) ? `"${cell.replaceAll('"', '""')}"` : cell
}

const itemOf = (type: DuckDBType | undefined): DuckDBType | undefined =>
  type !== undefined && (type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY)
    ? (type as unknown as { valueType: DuckDBType }).valueType
    : undefined

const holdsMoment = (type: DuckDBType | undefined): boolean =>
  type?.typeId === DuckDBTypeId.TIMESTAMP_TZ || (type !== undefined && holdsMoment(itemOf(type)))

/** Only years of four digits are rewritten. Others, and infinities, stay as DuckDB writes them. */
const inIso = (sql: string) =>
  `${sql} BETWEEN TIMESTAMPTZ '0001-01-02 00:00:00+00' AND TIMESTAMPTZ '9999-12-30 00:00:00+00'`

const momentSql = (sql: string) => {
  const text = `(${sql})::VARCHAR`
  return `CASE WHEN ${inIso(sql)} THEN replace(${text}, ' ', 'T') ||
    CASE WHEN substr(${text}, -3, 1) IN ('+', '-') THEN ':00' ELSE '' END ELSE ${text} END`
}

const momentsIn = (sql: string, type: DuckDBType | undefined, depth = 0): string => {
  if (type?.typeId === DuckDBTypeId.TIMESTAMP_TZ) return momentSql(sql)
  const item = `t${depth}`
  return `list_transform(${sql}, lambda ${item}: ${momentsIn(item, itemOf(type), depth + 1)})`
}

/**
 * A table of columns c0, c1, … in which timestamps with a time zone are texts in ISO 8601, with the
 * offset of the connection's time zone. JavaScript cannot read DuckDB's own `2026-01-01 01:00:00+01`.
 */
export const writeMoments = (table: string, types: readonly DuckDBType[]): string => {
  if (!types.some(holdsMoment)) return table
  const columns = types.map((type, at) =>
    holdsMoment(type) ? `${momentsIn(`c${at}`, type)} AS c${at}` : `c${at}`,
  )
  return `(SELECT ${columns.join(', ')} FROM ${table})`
}

interface Inner {
  valueType?: DuckDBType
  keyType?: DuckDBType
  entryNames?: readonly string[]
  entryTypes?: readonly DuckDBType[]
  memberTypes?: readonly DuckDBType[]
}

const innerOf = (type: DuckDBType): DuckDBType[] => {
  const { valueType, keyType, entryTypes = [], memberTypes = [] } = type as Inner
  return [valueType, keyType, ...entryTypes, ...memberTypes].filter((each) => each !== undefined)
}

const holdsVariant = (type: DuckDBType): boolean =>
  type.typeId === DuckDBTypeId.VARIANT || innerOf(type).some(holdsVariant)

/** Whether the fields of a struct have no names: `row(1, 2)` makes one. */
const isRow = (type: DuckDBType): boolean =>
  type.typeId === DuckDBTypeId.STRUCT && (type as Inner).entryNames?.every((name) => name === '') === true

const isList = (type: DuckDBType): boolean =>
  type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY

const holdsRow = (type: DuckDBType): boolean =>
  isRow(type) || (isList(type) && holdsRow((type as Inner).valueType!))

/**
 * The SQL that makes JSON of a value. A row without names becomes an array: as an object it would have
 * one key many times, and a client would keep only the last. A VARIANT must be cast to become one
 * JSON value.
 */
export const jsonOf = (sql: string, type: DuckDBType | undefined, depth = 0): string => {
  if (type === undefined) return sql
  if (!holdsRow(type)) return holdsVariant(type) ? `(${sql})::JSON` : sql
  if (isList(type)) {
    const item = `x${depth}`
    const each = jsonOf(item, (type as Inner).valueType, depth + 1)
    return `list_transform(${sql}, lambda ${item}: ${each})`
  }
  const fields = (type as Inner).entryTypes!.map((each, at) => jsonOf(`(${sql})[${at + 1}]`, each, depth))
  return `CASE WHEN ${sql} IS NULL THEN NULL ELSE json_array(${fields.join(', ')}) END`
}

/** Makes names that can be keys of one object: a repeated name gets a number. */
export const uniqueNames = (names: readonly string[]): string[] => {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    return count === 0 ? name : `${name}_${count}`
  })
}

/**
 * In `escaped-csv` formulas are harmless. In `text` a line is a JSON array of the texts that the Postgres protocol
 * carries.
 */
export type Layout = 'array' | 'object' | 'csv' | 'escaped-csv' | 'text'

export const isCsv = (layout: Layout): boolean => layout === 'csv' || layout === 'escaped-csv'

export interface Page {
  limit?: number | undefined
  offset?: number | undefined
}

const columnsOf = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`)

const line = (layout: Layout, names: readonly string[], types: readonly DuckDBType[]): string => {
  const plain = columnsOf(names.length)
  if (layout === 'text') {
    const texts = plain.map((column, at) => postgresText(jsonOf(column, types[at]), types[at]!))
    return `json_array(${texts.join(', ')})::VARCHAR`
  }
  if (isCsv(layout)) {
    const cells = plain.map((column) => csvCellSql(column, layout === 'escaped-csv'))
    return `concat(${cells.join(", ',', ")})`
  }
  const columns = plain.map((column, at) => jsonOf(column, types[at]))
  if (layout === 'array') return `json_array(${columns.join(', ')})::VARCHAR`
  return `json_object(${columns.map((column, at) => `${quoteText(names[at]!)}, ${column}`).join(', ')})::VARCHAR`
}

const isNested = (type: DuckDBType | undefined): type is DuckDBType =>
  type !== undefined && nestedTypes.has(type.typeId)

/** The JSON of a nested value, as text. */
const jsonText = (column: string, type: DuckDBType): string =>
  `CASE WHEN ${column} IS NOT NULL THEN (${jsonOf(column, type)})::JSON::VARCHAR END`

/** Replaces `NaN` and infinities in JSON by null, but not inside its strings. */
const finite = (json: string) =>
  `CASE WHEN regexp_matches(${json}, 'NaN|Infinity') THEN list_aggregate(list_transform(
     regexp_extract_all(${json}, '"(?:[^"\\\\]|\\\\.)*"|[^"]+'), lambda part: CASE WHEN starts_with(part, '"') THEN part
     ELSE regexp_replace(part, '-?(NaN|Infinity)', 'null', 'g') END), 'string_agg', '') ELSE ${json} END`

/** A table in which nested values are written as JSON. */
const withJson = (table: string, types: readonly DuckDBType[]): string => {
  if (!types.some(isNested)) return table
  const columns = columnsOf(types.length)
  const select = (write: (column: string, type: DuckDBType) => string) =>
    columns.map((column, at) => (isNested(types[at]) ? `${write(column, types[at])} AS ${column}` : column))
  return `(SELECT ${select(finite).join(', ')} FROM (SELECT ${select(jsonText).join(', ')} FROM ${table}))`
}

/** The statement as a table whose columns are called c0, c1, …. */
export const asTable = (text: string, columnCount: number): string => {
  return `(${text}\n) AS t(${columnsOf(columnCount).join(', ')})`
}

export const pageSql = ({ limit, offset }: Page): string =>
  `${limit === undefined ? '' : ` LIMIT ${limit}`}${offset === undefined || offset === 0 ? '' : ` OFFSET ${offset}`}`

/**
 * The SQL that writes each row as one line, and a NULL after the last. A streamed result that fails
 * midway ends like a complete one: only the missing NULL shows that it failed.
 */
export const encodeRows = (
  text: string,
  names: readonly string[],
  layout: Layout,
  page: Page,
  types: readonly DuckDBType[],
): string => {
  const plain = asTable(text, names.length)
  // The Postgres protocol takes timestamps as DuckDB writes them.
  const table = layout === 'text' ? plain : writeMoments(plain, types)
  const from = isCsv(layout) ? withJson(table, types) : table
  const rows = `SELECT ${line(layout, names, types)} || chr(10) FROM ${from}${pageSql(page)}`
  return `SELECT * FROM (${rows}) UNION ALL SELECT NULL`
}
