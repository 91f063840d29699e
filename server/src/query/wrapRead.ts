import type { DuckDBType } from '@duckdb/node-api'
import { jsonOf } from './jsonOf.js'
import { quoteText } from '../store/quoteText.js'

export type Layout = 'array' | 'object' | 'csv'

export interface Cut {
  limit?: number | undefined
  offset?: number | undefined
}

const csvCell = (column: string) =>
  `CASE WHEN ${column} IS NULL THEN '' WHEN ${column}::VARCHAR = '' OR regexp_matches(${column}::VARCHAR, '[",\\r\\n]')
   THEN '"' || replace(${column}::VARCHAR, '"', '""') || '"' ELSE ${column}::VARCHAR END`

const line = (layout: Layout, names: readonly string[], types: readonly DuckDBType[]): string => {
  const plain = names.map((_, at) => `c${at}`)
  const columns = plain.map((column, at) => jsonOf(column, types[at]))
  if (layout === 'array') return `json_array(${columns.join(', ')})::VARCHAR`
  if (layout === 'csv') return `concat(${plain.map(csvCell).join(", ',', ")})`
  return `json_object(${columns.map((column, at) => `${quoteText(names[at]!)}, ${column}`).join(', ')})::VARCHAR`
}

/** The statement as a table whose columns are c0, c1, … whatever they were called. */
export const asTable = (text: string, columnCount: number): string => {
  const columns = Array.from({ length: columnCount }, (_, at) => `c${at}`).join(', ')
  return `(${text}\n) AS t(${columns})`
}

export const cutSql = ({ limit, offset }: Cut): string =>
  `${limit === undefined ? '' : ` LIMIT ${limit}`}${offset === undefined || offset === 0 ? '' : ` OFFSET ${offset}`}`

/**
 * One line a row, made inside DuckDB with its end, and a NULL after the last. A streamed result that fails
 * midway ends like a complete one; when the NULL is missing it did.
 */
export const wrapRead = (
  text: string,
  names: readonly string[],
  layout: Layout,
  cut: Cut,
  types: readonly DuckDBType[],
): string => {
  const rows = `SELECT ${line(layout, names, types)} || chr(10) FROM ${asTable(text, names.length)}${cutSql(cut)}`
  return `SELECT * FROM (${rows}) UNION ALL SELECT NULL`
}
