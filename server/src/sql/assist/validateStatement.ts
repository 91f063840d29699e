import type { DuckDBConnection } from '@duckdb/node-api'
import { analyticsCatalog } from '../../store/analyticsSchema.js'
import { isForbidden } from '../../store/readOnly.js'
import { isFatal } from '../../store/transactions.js'
import { readOnlyUser, type UserRole } from '../../users/Identity.js'
import type { Guard } from '../guard/Guard.js'
import { onlyReads } from '../onlyReads.js'
import { type Plan, planStatement } from '../planStatement.js'
import { tryPrepare } from '../prepareOne.js'
import { messageOf } from '../refuse.js'
import { findNamesake } from './findNamesake.js'
import { runChange } from '../runChange.js'
import { pathOfUse, type SearchPath } from '../searchPath.js'

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
