import {
  StatementType,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBType,
} from '@duckdb/node-api'
import { Refusal } from '../http/Refusal.js'
import type { Guard, Guarded } from './createGuard.js'
import { checkAlter } from './checkAlter.js'
import { checkNewType } from './checkNewType.js'
import { prepareOne } from './prepareOne.js'
import { readHead } from './readHead.js'
import { messageOf, refuseStatement } from './refuseQuery.js'
import { changing, statementName } from './statementTypes.js'

export interface Plan extends Guarded {
  /**
   * read: rows can be streamed out of a wrapped statement. change: writes, in a transaction bound to
   * one catalog. use: moves the session. other: runs as it is.
   */
  kind: 'read' | 'change' | 'use' | 'other'
  prepared: DuckDBPreparedStatement
  names: string[]
  types: DuckDBType[]
}

/** Settings a session may have of its own. */
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

/** Guards, parses and binds a statement without running it; a refusal says what is wrong with it. */
export const planStatement = async (
  connection: DuckDBConnection,
  guard: Guard,
  statement: string,
): Promise<Plan> => {
  const guarded = guard(statement)
  if ('problem' in guarded) throw refuseStatement(guarded.problem)
  let prepared: DuckDBPreparedStatement
  try {
    prepared = await prepareOne(connection, guarded.text)
    if (prepared.parameterCount > 0) throw refuseStatement('The statement has parameters; write the values.')
  } catch (error) {
    throw error instanceof Refusal ? error : refuseStatement(messageOf(error))
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
