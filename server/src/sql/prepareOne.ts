import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBPreparedStatement,
  StatementType,
} from '@duckdb/node-api'
import { isReading } from '../store/readOnly.js'
import { refuseStatement } from './refuse.js'

/** Makes something temporary. Nothing else can be changed, though nobody has asked yet who may do so. */
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
 * DuckDB makes several statements of a PIVOT that has to look for its columns: temporary types for
 * them, then the statement, and a transaction around these when it is no SELECT. The transactions
 * here are our own, so the types are made, the rest is left out, and the statement is given back.
 */
const prepareParts = async (
  connection: DuckDBConnection,
  extracted: DuckDBExtractedStatements,
): Promise<DuckDBPreparedStatement> => {
  const first = await extracted.prepare(0)
  // Within a transaction that is open already there is a SET in the place of BEGIN and COMMIT.
  const ends = isReading(connection) ? StatementType.SET : StatementType.TRANSACTION
  const inTransaction = first.statementType === ends
  const last = extracted.count - (inTransaction ? 2 : 1)
  for (let at = inTransaction ? 1 : 0; at < last; at++) {
    // One that is prepared is taken out, and cannot be prepared again.
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

/** Prepares a text that the guard, or we, have made sure is one statement. */
export const prepareOne = async (
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> => {
  const extracted = await connection.extractStatements(sql)
  return extracted.count === 1 ? extracted.prepare(0) : prepareParts(connection, extracted)
}
