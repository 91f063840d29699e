import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBPreparedStatement,
  StatementType,
} from '@duckdb/node-api'
import { isFatal, isReading } from '../duckdb/transactions.js'
import { refuseStatement } from './refuse.js'
import { readHead } from './text/readHead.js'
import { wordOf } from './text/tokenize.js'
import type { Plan } from './planStatement.js'

/** EXPLAIN ANALYZE carries these out. */
const writing = /^(insert|update|delete|merge|truncate|create|drop|alter|copy)$/

/** Whether a statement changes no table. Reads, USE and SET change none, nor does EXPLAIN of a read. */
export const onlyReads = ({ kind, tokens }: Plan): boolean => {
  if (kind !== 'change') return true
  if (!/^explain$/i.test(tokens[0]!.text)) return false
  const { verb } = readHead(tokens)
  const isHidden = verb === 'with' && tokens.some((token) => writing.test(wordOf(token)))
  return !writing.test(verb) && !isHidden
}

/**
 * Runs a statement that makes something temporary. The transaction only reads, because nobody has
 * checked yet whether the user may change tables.
 */
const runReadOnly = async (connection: DuckDBConnection, statement: DuckDBPreparedStatement) => {
  if (isReading(connection)) {
    await statement.run()
    return
  }
  await connection.run('BEGIN TRANSACTION READ ONLY')
  try {
    await statement.run()
    await connection.run('COMMIT')
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/**
 * DuckDB turns a PIVOT that has to find its columns into several statements: it creates temporary
 * types for the columns, then runs the statement. Unless that is a SELECT, BEGIN and COMMIT stand
 * around them. The service has transactions of its own, so this function creates the types, drops
 * BEGIN and COMMIT, and returns the statement.
 */
const prepareParts = async (
  connection: DuckDBConnection,
  extracted: DuckDBExtractedStatements,
): Promise<DuckDBPreparedStatement> => {
  const first = await extracted.prepare(0)
  // Within a transaction that is open already DuckDB writes SET instead of BEGIN and COMMIT.
  const ends = isReading(connection) ? StatementType.SET : StatementType.TRANSACTION
  const inTransaction = first.statementType === ends
  const last = extracted.count - (inTransaction ? 2 : 1)
  for (let at = inTransaction ? 1 : 0; at < last; at++) {
    // DuckDB removes a statement from the list when it prepares it, so the first cannot be prepared again.
    const before = at === 0 ? first : await extracted.prepare(at)
    if (before.statementType !== StatementType.CREATE) {
      throw refuseStatement(
        'DuckDB makes several statements of this one. Send them one at a time: of an ALTER TABLE … ADD COLUMN whose default must be computed, first the column without it, then ALTER … SET DEFAULT, then an UPDATE.',
      )
    }
    await runReadOnly(connection, before)
  }
  return extracted.prepare(last)
}

/** Prepares one statement. The guard, or the service's own code, has made sure that it is only one. */
export const prepareOne = async (
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> => {
  const extracted = await connection.extractStatements(sql)
  return extracted.count === 1 ? extracted.prepare(0) : prepareParts(connection, extracted)
}

/** Prepares a statement that DuckDB may refuse: then it is undefined. */
export const tryPrepare = async (
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement | undefined> => {
  try {
    return await prepareOne(connection, sql)
  } catch (error) {
    if (isFatal(error)) throw error
    return undefined
  }
}
