import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBType,
  StatementType,
} from '@duckdb/node-api'
import type { Guard, Guarded } from './guard/Guard.js'
import { checkAlter, checkNewType } from './guard/checkReplay.js'
import { readHead } from './text/readHead.js'
import { prepareOne } from './prepareOne.js'
import { refuseStatement, throwRefused } from './refuse.js'
import { forbidden, isReading } from '../duckdb/transactions.js'

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
  statement: string | { described: string },
): Promise<Plan> => {
  const isRun = typeof statement === 'string'
  const guarded = guard.check(isRun ? statement : statement.described)
  if ('problem' in guarded) throw refuseStatement(guarded.problem)
  refuseNumbers(connection, guarded)
  let prepared: DuckDBPreparedStatement
  try {
    prepared = await prepareOne(connection, guarded.text)
    if (isRun && prepared.parameterCount > 0)
      throw refuseStatement('The statement has parameters; write the values.')
  } catch (error) {
    return throwRefused(error)
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
