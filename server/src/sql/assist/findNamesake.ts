import type { DuckDBConnection } from '@duckdb/node-api'
import { readHead } from '../guard/readHead.js'
import type { SqlToken } from '../guard/tokenize.js'

/** Where DuckDB lists what a CREATE can make. A table and a view cannot have the same name. */
const relations = `SELECT database_name, schema_name, table_name, 'table' FROM system.main.duckdb_tables()
  UNION ALL SELECT database_name, schema_name, view_name, 'view' FROM system.main.duckdb_views()`
const macros = `SELECT database_name, schema_name, function_name, 'macro' FROM system.main.duckdb_functions()
  WHERE function_type IN ('macro', 'table_macro')`
const listings: Record<string, string> = {
  table: relations,
  view: relations,
  macro: macros,
  function: macros,
  sequence: `SELECT database_name, schema_name, sequence_name, 'sequence' FROM system.main.duckdb_sequences()`,
  type: `SELECT database_name, schema_name, type_name, 'type' FROM system.main.duckdb_types()`,
  schema: `SELECT database_name, '', schema_name, 'schema' FROM system.main.duckdb_schemas()`,
}

/** Says what has the name already that a CREATE would give; EXPLAIN does not check that. Undefined when the name is free. */
export const findNamesake = async (
  connection: DuckDBConnection,
  tokens: readonly SqlToken[],
): Promise<string | undefined> => {
  const { verb, object, isTemporary, takesExisting, name } = readHead(tokens)
  const listing = listings[object]
  if (verb !== 'create' || takesExisting || listing === undefined || name.length === 0) return undefined
  const reader = await connection.runAndReadAll(
    'SELECT current_database(), current_schema(), list(lower(database_name)) FROM duckdb_databases()',
  )
  const [database, schema, { items }] = reader.getRows()[0] as [string, string, { items: string[] }]
  const own = name.at(-1)!
  const before = object === 'schema' ? [...name.slice(0, -1), ''] : name.slice(0, -1)
  // In a name of two parts the first may be a catalog, and then the schema is `main`.
  if (before.length === 1 && items.includes(before[0]!.toLowerCase())) before.push('main')
  const inSchema = before.at(-1) ?? (isTemporary ? 'main' : schema)
  const inCatalog = before.at(-2) ?? (isTemporary ? 'temp' : database)
  const found = await connection.runAndReadAll(
    `SELECT l.kind FROM (${listing}) l(catalog, schema, name, kind)
     WHERE lower(l.catalog) = lower($1) AND lower(l.schema) = lower($2) AND lower(l.name) = lower($3)`,
    [inCatalog, inSchema, own],
  )
  const kind = found.getRows()[0]?.[0] as string | undefined
  return kind && `There is a ${kind} ${own} already. Drop it first, or write CREATE OR REPLACE.`
}
