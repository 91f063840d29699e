import type { DuckDBConnection } from '@duckdb/node-api'
import { analyticsCatalog } from '../../duckdb/quote.js'
import { isFatal, isForbidden } from '../../duckdb/transactions.js'
import { readOnlyUser, type UserRole } from '../../users/Identity.js'
import type { Guard } from '../guard/Guard.js'
import { type Plan, planStatement } from '../planStatement.js'
import { tryPrepare, onlyReads } from '../prepareOne.js'
import { messageOf } from '../refuse.js'
import { runChange } from '../openRows.js'
import { pathOfUse, type SearchPath } from '../searchPath.js'
import { readHead } from '../text/readHead.js'
import type { SqlToken } from '../text/tokenize.js'

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

/** Throws when the change could not be made. It is planned in the transaction that it would run in. */
const tryChange = async (
  connection: DuckDBConnection,
  plan: Plan,
  path: SearchPath,
  readable: readonly string[],
): Promise<void> => {
  const catalogs = readable.filter((each) => each !== analyticsCatalog)
  const catalog = catalogs.includes(path.catalog) ? path.catalog : catalogs[0]!
  // DuckDB cannot explain every statement. The others have been prepared, and that is all there is to check.
  const prepared = await tryPrepare(connection, `EXPLAIN ${plan.text}`)
  if (prepared === undefined || /^explain$/i.test(plan.tokens[0]!.text)) return
  await runChange({ connection, plan: { ...plan, prepared }, catalog, catalogs, isStopped: () => true })
}

interface ErrorPosition {
  role: UserRole
  path: SearchPath
  readable: readonly string[]
}

/** Says what is wrong with a statement without running it; undefined when it is valid. */
export const validateStatement = async (
  connection: DuckDBConnection,
  guard: Guard,
  statement: string,
  { role, path, readable }: ErrorPosition,
): Promise<string | undefined> => {
  try {
    const plan = await planStatement(connection, guard, statement)
    if (role === 'read' && !onlyReads(plan)) return readOnlyUser().message
    if (plan.kind === 'use') {
      const { catalog, schema } = pathOfUse(plan.tokens, path, readable)
      const found = await connection.runAndReadAll(
        'SELECT 1 FROM system.main.duckdb_schemas() WHERE database_name = $1 AND lower(schema_name) = lower($2)',
        [catalog, schema],
      )
      if (found.getRows().length === 0) return `There is no schema ${schema} in the catalog ${catalog}.`
    }
    if (plan.kind !== 'change' || role === 'read') return undefined
    await tryChange(connection, plan, path, readable)
    return await findNamesake(connection, plan.tokens)
  } catch (error) {
    if (isFatal(error)) throw error
    return isForbidden(error) ? readOnlyUser().message : messageOf(error)
  }
}
