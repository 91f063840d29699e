import type { DuckDBConnection } from '@duckdb/node-api'
import { readHead } from './readHead.js'
import { refuseStatement } from './refuseQuery.js'
import type { SqlToken } from './scanSql.js'

/**
 * A type goes into `main` or nowhere. DuckDB 1.5.6 cannot replay the creation of a type in a schema
 * that is in the same write-ahead log: after a kill the whole catalog would not open again.
 */
export const checkNewType = async (
  connection: DuckDBConnection,
  tokens: readonly SqlToken[],
): Promise<void> => {
  const { verb, object, isTemporary, name } = readHead(tokens)
  if (verb !== 'create' || object !== 'type' || isTemporary || name.length === 0) return
  const reader = await connection.runAndReadAll(
    'SELECT current_schema(), list(lower(database_name)) FROM duckdb_databases()',
  )
  const [current, { items: catalogs }] = reader.getRows()[0] as [string, { items: string[] }]
  const before = name.at(-2)
  // Of two parts the first may also be a catalog, and then the schema is `main`.
  const isCatalog = name.length === 2 && catalogs.includes(before!.toLowerCase())
  const schema = isCatalog ? 'main' : (before ?? current)
  if (schema.toLowerCase() === 'main') return
  throw refuseStatement(
    `A type can be made in the schema main only, not in ${schema}: write CREATE TYPE main.${name.at(-1)} AS …; tables of every schema may use it.`,
  )
}
