import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../store/quote.js'
import { tableSql, type Target } from './Target.js'
import { type AppendPlan, type AppendProblem, shortName } from './planAppend.js'

/** Whether a column holds integers that would change as a DOUBLE. */
const holdsLongIntegers = async (connection: DuckDBConnection, target: Target, column: string) => {
  const name = quoteIdentifier(column)
  const reader = await connection.runAndReadAll(
    `SELECT 1 FROM ${tableSql(target)} WHERE ${name} > ${2 ** 53} OR ${name} < -${2 ** 53} LIMIT 1`,
  )
  return reader.currentRowCount > 0
}

/** Keeps a column with long integers BIGINT when the new values fit into it, and finds a problem when they do not. */
export const settleWidening = async (
  connection: DuckDBConnection,
  target: Target,
  plan: AppendPlan,
): Promise<AppendPlan | AppendProblem> => {
  let settled = plan
  for (const { column, mayStay } of plan.widen) {
    if (!(await holdsLongIntegers(connection, target, column))) continue
    if (!mayStay) {
      const why = 'holds integers that would change if it became DOUBLE, as this value needs'
      return {
        kind: 'problem',
        code: 'incompatible-schema',
        message: `The column ${shortName(column)} ${why}.`,
      }
    }
    settled = {
      ...settled,
      widen: settled.widen.filter((each) => each.column !== column),
      read: settled.read.map((each) => (each.column === column ? { ...each, type: 'BIGINT' } : each)),
    }
  }
  return settled
}
