import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from '../store/quoteText.js'
import type { Column } from './planAppend.js'
import type { Target } from './Target.js'

/** A table's columns, or what stands in the way of one. */
export type TableState =
  | { kind: 'table'; columns: Column[] }
  | { kind: 'missing' }
  | { kind: 'no-schema' }
  | { kind: 'view' }

/**
 * What an append writes on a column whose type it may widen later. It belongs to the column: it goes
 * where the table goes, and is gone with it, so that a table made by hand under the same name has none.
 */
export const inferredComment = 'Made by an append, which may make it DOUBLE.'

export const readTable = async (connection: DuckDBConnection, target: Target): Promise<TableState> => {
  const names = [target.catalog, target.schema, target.table]
  const same = 'database_name = $1 AND lower(schema_name) = lower($2)'
  const columns = await connection.runAndReadAll(
    `SELECT column_name, data_type, coalesce(comment = ${quoteText(inferredComment)}, false) FROM duckdb_columns()
     WHERE ${same} AND lower(table_name) = lower($3) ORDER BY column_index`,
    names,
  )
  const kinds = await connection.runAndReadAll(
    `SELECT 'view' FROM duckdb_views() WHERE ${same} AND lower(view_name) = lower($3)
     UNION ALL
     SELECT 'schema' FROM duckdb_schemas() WHERE ${same} AND $3 <> ''`,
    names,
  )
  const found = kinds.getRows().flat()
  if (!found.includes('schema')) return { kind: 'no-schema' }
  if (found.includes('view')) return { kind: 'view' }
  const rows = columns.getRows()
  if (rows.length === 0) return { kind: 'missing' }
  return {
    kind: 'table',
    columns: rows.map(([name, type, inferred]) => ({
      name: name as string,
      type: type as string,
      inferred: inferred as boolean,
    })),
  }
}
