import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBType,
  StatementType,
} from '@duckdb/node-api'
import type { Guard, Guarded } from './guard/Guard.js'
import { readHead } from './text/readHead.js'
import { prepareOne } from './prepareOne.js'
import { refuseStatement, throwRefused } from './refuse.js'
import { forbidden, isReading } from '../duckdb/transactions.js'
import { type SqlToken, wordOf } from './text/tokenize.js'

/**
 * Throws for a statement that would take numbers from a sequence when the user may only read. DuckDB
 * refuses that only when the statement runs. For `range(nextval('s'))` it takes a number already when
 * it prepares the statement.
 */
export const refuseNumbers = (connection: DuckDBConnection, { tokens }: Guarded): void => {
  if (!isReading(connection)) return
  if (tokens.some((token) => token.kind !== 'text' && /^nextval$/i.test(token.text))) throw forbidden()
}

/** Statements that change a catalog, or explain a change, run in a transaction bound to one catalog. */
const changing: ReadonlySet<StatementType> = new Set([
  StatementType.INSERT,
  StatementType.UPDATE,
  StatementType.DELETE,
  StatementType.MERGE_INTO,
  StatementType.CREATE,
  StatementType.CREATE_FUNC,
  StatementType.DROP,
  StatementType.ALTER,
  StatementType.EXPLAIN,
])

/** The statement's kind in words, for the message that it is not allowed. */
const statementName = (type: StatementType): string =>
  (StatementType[type] ?? 'this').toLowerCase().replaceAll('_', ' ')

export interface Plan extends Guarded {
  /**
   * read: rows can be streamed out of a wrapped statement. change: writes, in a transaction bound to
   * one catalog. use: changes the connection's search path. other: runs as it is.
   */
  kind: 'read' | 'change' | 'use' | 'other'
  prepared: DuckDBPreparedStatement
  names: string[]
  types: DuckDBType[]
}

/** Throws for a setting that a client may not change. */
const kindOfSet = ({ tokens }: Guarded): 'use' | 'other' => {
  const words = tokens.map((token) => token.text.toLowerCase())
  if (words[0] === 'use') return 'use'
  const named = words[1] === 'session' || words[1] === 'local' ? words[2] : words[1]
  if (named === 'timezone' || named === 'variable') return 'other'
  if (named === 'time' && words.includes('zone')) return 'other'
  throw refuseStatement('Only TimeZone and variables can be set here; USE chooses a catalog and schema.')
}

const kindOf = (type: StatementType, guarded: Guarded): Plan['kind'] => {
  if (type === StatementType.SELECT) return 'read'
  if (changing.has(type)) return 'change'
  if (type === StatementType.SET) return kindOfSet(guarded)
  if (type === StatementType.CALL && readHead(guarded.tokens).verb === 'call') return 'other'
  throw refuseStatement(`A statement of the kind ${statementName(type)} is not allowed here.`)
}

/**
 * Guards, parses and binds a statement without running it. Throws an HttpError that says what is wrong with it.
 * A statement that is only described may have parameters.
 */
export const planStatement = async (
  connection: DuckDBConnection,
  guard: Guard,
  statement: string | { described: string } | { rewritten: string },
): Promise<Plan> => {
  const isRun = typeof statement === 'string' || 'rewritten' in statement
  const guarded =
    typeof statement === 'string'
      ? guard.check(statement)
      : guard.check('rewritten' in statement ? statement.rewritten : statement.described, true)
  if ('problem' in guarded) throw refuseStatement(guarded.problem, guarded.place)
  refuseNumbers(connection, guarded)
  let prepared: DuckDBPreparedStatement
  try {
    prepared = await prepareOne(connection, guarded.text)
    if (isRun && prepared.parameterCount > 0)
      throw refuseStatement('The statement has parameters; write the values.')
  } catch (error) {
    return throwRefused(error, guarded)
  }
  await checkNewType(connection, guarded.tokens)
  await checkAlter(connection, guarded.tokens)
  const kind = kindOf(prepared.statementType, guarded)
  const columns = Array.from({ length: prepared.columnCount }, (_, at) => at)
  return {
    ...guarded,
    kind,
    prepared,
    names: columns.map((at) => prepared.columnName(at)),
    types: columns.map((at) => prepared.columnType(at)),
  }
}

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
