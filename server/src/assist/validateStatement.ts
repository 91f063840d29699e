import type { DuckDBConnection } from '@duckdb/node-api'
import { placeOfUse } from '../query/movePlace.js'
import type { Place } from '../query/createSessions.js'
import type { Guard, Guarded } from '../query/createGuard.js'
import { readHead } from '../query/readHead.js'
import { planStatement } from '../query/planStatement.js'
import { messageOf } from '../query/refuseQuery.js'

const isPivot = ({ tokens }: Guarded) =>
  tokens.some((token) => token.kind === 'word' && /^pivot(_wider)?$/i.test(token.text))

/** What is wrong with a statement, found without running it; undefined when it is valid. */
export const validateStatement = async (
  connection: DuckDBConnection,
  guard: Guard,
  statement: string,
  place: Place,
  catalogs: readonly string[],
): Promise<string | undefined> => {
  const guarded = guard(statement)
  if ('problem' in guarded) return guarded.problem
  try {
    // Preparing a PIVOT would run its first half; a plan of it does not.
    if (isPivot(guarded) && readHead(guarded.tokens).verb !== 'create') {
      await connection.run(`EXPLAIN ${guarded.text}`)
      return undefined
    }
    const plan = await planStatement(connection, guard, statement)
    if (plan.kind === 'use') {
      const { catalog, schema } = placeOfUse(plan.tokens, place, catalogs)
      const found = await connection.runAndReadAll(
        'SELECT 1 FROM duckdb_schemas() WHERE database_name = $1 AND lower(schema_name) = lower($2)',
        [catalog, schema],
      )
      if (found.getRows().length === 0) return `There is no schema ${schema} in the catalog ${catalog}.`
    }
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
