import type { DuckDBConnection } from '@duckdb/node-api'
import { refuseStatement } from '../refuse.js'
import { readHead } from '../text/readHead.js'
import { type SqlToken, wordOf } from '../text/tokenize.js'

interface Made {
  kind: 'type' | 'macro'
  name: string
  catalog: string
  full: string
}

/** Lists the users' types and macros. The query has full names, so that no macro of a user's can replace its functions. */
const findMade = async (connection: DuckDBConnection): Promise<Made[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT 'type', lower(type_name), database_name, concat_ws('.', database_name, schema_name, type_name)
     FROM system.main.duckdb_types() WHERE NOT internal
     UNION SELECT 'macro', lower(function_name), database_name, NULL
     FROM system.main.duckdb_functions() WHERE NOT internal AND function_type = 'macro'`,
  )
  return (reader.getRows() as [Made['kind'], string, string, string][]).map(
    ([kind, name, catalog, full]) => ({
      kind,
      name,
      catalog,
      full,
    }),
  )
}

/**
 * Throws for an ALTER TABLE that DuckDB 1.5.6 could not replay. After a kill it replays its log
 * without the connection's search path, and a catalog does not open again when a type or macro is not
 * found. A type is found by its full name. A macro is refused even so: its body may name others.
 */
export const checkAlter = async (
  connection: DuckDBConnection,
  tokens: readonly SqlToken[],
): Promise<void> => {
  const { verb, object, nameAt } = readHead(tokens)
  if (verb !== 'alter' || object !== 'table') return
  const tail = tokens.slice(nameAt + 1)
  const textAt = (at: number) => (tail[at]?.kind === 'text' ? '' : (tail[at]?.text.toLowerCase() ?? ''))
  const typeAt = tail.findIndex((token) => wordOf(token) === 'type')
  const usingAt = tail.findIndex((token) => wordOf(token) === 'using')
  const isInType = (at: number) => typeAt >= 0 && at > typeAt && (usingAt < 0 || at < usingAt)

  const made = await findMade(connection)
  for (const at of tail.keys()) {
    const isFull = textAt(at - 1) === '.' && textAt(at - 3) === '.'
    let first = at
    while (textAt(first - 1) === '.') first -= 2
    const isType = isInType(at) || textAt(first - 1) === ':' || textAt(first - 1) === 'as'
    for (const { kind, name, catalog, full } of made) {
      if (textAt(at) !== name) continue
      const isTemporary = catalog === 'temp'
      if (kind === 'macro' && textAt(at + 1) === '(' && (isTemporary || typeAt >= 0)) {
        throw refuseStatement(`ALTER TABLE cannot use the macro ${name}: write out what it does.`)
      }
      if (kind !== 'type' || !isType) continue
      if (isTemporary) throw refuseStatement(`ALTER TABLE cannot use the temporary type ${name}.`)
      if (typeAt >= 0 && !isFull) {
        throw refuseStatement(`Name the type ${name} in full in an ALTER TABLE … TYPE: ${full}.`)
      }
    }
  }
}

/**
 * Throws for a new type outside of the schema `main`. DuckDB 1.5.6 cannot replay the creation of a type
 * in a schema that was made in the same log: after a kill the whole catalog would not open again.
 */
export const checkNewType = async (
  connection: DuckDBConnection,
  tokens: readonly SqlToken[],
): Promise<void> => {
  const { verb, object, isTemporary, name } = readHead(tokens)
  if (verb !== 'create' || object !== 'type' || isTemporary || name.length === 0) return
  const reader = await connection.runAndReadAll(
    'SELECT system.main.current_schema(), list(lower(database_name)) FROM system.main.duckdb_databases()',
  )
  const [current, { items: catalogs }] = reader.getRows()[0] as [string, { items: string[] }]
  const before = name.at(-2)
  // In a name of two parts the first may be a catalog, and then the schema is `main`.
  const isCatalog = name.length === 2 && catalogs.includes(before!.toLowerCase())
  const schema = isCatalog ? 'main' : (before ?? current)
  if (schema.toLowerCase() === 'main') return
  throw refuseStatement(
    `A type can be made in the schema main only, not in ${schema}: write CREATE TYPE main.${name.at(-1)} AS …; tables of every schema may use it.`,
  )
}
