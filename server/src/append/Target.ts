import type { DuckDBConnection } from '@duckdb/node-api'
import { refuse, shorten } from '../http/HttpError.js'
import { internalSchema, quoteIdentifier, quoteText } from '../duckdb/quote.js'
import type { Column } from './planAppend.js'

/** Names a table, which need not exist yet. */
export interface Target {
  catalog: string
  schema: string
  table: string
}

export const tableSql = ({ catalog, schema, table }: Target): string =>
  [catalog, schema, table].map(quoteIdentifier).join('.')

/** Reads `catalog`, `schema` and `table` from a URL; each is required. */
export const readTarget = (search: URLSearchParams, catalogs: readonly string[]): Target => {
  const read = (name: string) => {
    const value = search.get(name)
    if (value === null || value === '') throw refuse(400, 'invalid-parameter', `${name} is missing.`)
    if (value.length > 400 || value.includes('\0'))
      throw refuse(400, 'invalid-parameter', `${name} is not a name.`)
    return value
  }
  const target = { catalog: read('catalog'), schema: read('schema'), table: read('table') }
  if (!catalogs.includes(target.catalog)) {
    throw refuse(
      400,
      'unknown-target',
      `There is no catalog ${JSON.stringify(shorten(target.catalog))} to write to; there are ${catalogs.join(', ')}.`,
    )
  }
  if (target.schema.toLowerCase() === internalSchema) {
    throw refuse(400, 'invalid-parameter', `The schema ${internalSchema} belongs to the service.`)
  }
  return target
}

/** The columns of a table, or why there are none. */
export type TableState =
  | { kind: 'table'; columns: Column[] }
  | { kind: 'missing' }
  | { kind: 'no-schema' }
  | { kind: 'view' }

/**
 * An append gives this default to a column whose type it may widen later. A default belongs to its column: it is
 * renamed and dropped with the table, so a table that a user makes under the same name has none. It is written in
 * the statement that makes the column; a comment would be a statement more for each, of which 1,000 take a second.
 */
export const inferredDefault = 'CAST(NULL AS BIGINT)'
/** The comment that stood for it before. */
const inferredComment = 'Made by an append, which may make it DOUBLE.'

export const readTable = async (connection: DuckDBConnection, target: Target): Promise<TableState> => {
  const names = [target.catalog, target.schema, target.table]
  const same = 'database_name = $1 AND lower(schema_name) = lower($2)'
  const columns = await connection.runAndReadAll(
    `SELECT column_name, data_type, coalesce(column_default = ${quoteText(inferredDefault)}, false)
       OR coalesce(comment = ${quoteText(inferredComment)}, false) FROM duckdb_columns()
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
