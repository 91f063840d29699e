import type { DuckDBConnection } from '@duckdb/node-api'
import { placeOfUse } from '../query/movePlace.js'
import type { Place } from '../query/createSessions.js'
import type { Guard } from '../query/createGuard.js'
import { prepareOne } from '../query/prepareOne.js'
import { runChange } from '../query/runChange.js'
import { analyticsCatalog } from '../store/analyticsSchema.js'
import { planStatement, type Plan } from '../query/planStatement.js'
import { messageOf } from '../query/refuseQuery.js'

/** Whether the change may be made where it would be: planned in the transaction it would run in. */
const tryChange = async (
  connection: DuckDBConnection,
  plan: Plan,
  place: Place,
  readable: readonly string[],
): Promise<void> => {
  const catalogs = readable.filter((each) => each !== analyticsCatalog)
  const catalog = catalogs.includes(place.catalog) ? place.catalog : catalogs[0]!
  // Not all that can be run can be explained, and the rest is known to be right already.
  const prepared = await prepareOne(connection, `EXPLAIN ${plan.text}`).catch(() => undefined)
  if (prepared === undefined || /^explain$/i.test(plan.tokens[0]!.text)) return
  await runChange({ connection, plan: { ...plan, prepared }, catalog, catalogs, isStopped: () => true })
}

/** What is wrong with a statement, found without running it; undefined when it is valid. */
export const validateStatement = async (
  connection: DuckDBConnection,
  guard: Guard,
  statement: string,
  place: Place,
  catalogs: readonly string[],
): Promise<string | undefined> => {
  try {
    const plan = await planStatement(connection, guard, statement)
    if (plan.kind === 'use') {
      const { catalog, schema } = placeOfUse(plan.tokens, place, catalogs)
      const found = await connection.runAndReadAll(
        'SELECT 1 FROM duckdb_schemas() WHERE database_name = $1 AND lower(schema_name) = lower($2)',
        [catalog, schema],
      )
      if (found.getRows().length === 0) return `There is no schema ${schema} in the catalog ${catalog}.`
    }
    if (plan.kind === 'change') await tryChange(connection, plan, place, catalogs)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
