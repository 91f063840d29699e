import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import { internalSchema } from '../store/lakehouseSchema.js'
import type { Column } from './planAppend.js'
import type { Target } from './Target.js'

/** A table's columns, or what stands in the way of one. */
export type TableState =
  | { kind: 'table'; columns: Column[] }
  | { kind: 'missing' }
  | { kind: 'no-schema' }
  | { kind: 'view' }

export const readTable = async (connection: DuckDBConnection, target: Target): Promise<TableState> => {
  const names = [target.catalog, target.schema, target.table]
  const same = 'database_name = $1 AND lower(schema_name) = lower($2)'
  const columns = await connection.runAndReadAll(
    `SELECT c.column_name, c.data_type, i.column_name IS NOT NULL FROM duckdb_columns() c
     LEFT JOIN ${quoteIdentifier(target.catalog)}.${internalSchema}.inferred i
       ON i.schema_name = c.schema_name AND i.table_name = c.table_name AND i.column_name = c.column_name
     WHERE c.database_name = $1 AND lower(c.schema_name) = lower($2) AND lower(c.table_name) = lower($3) ORDER BY c.column_index`,
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
