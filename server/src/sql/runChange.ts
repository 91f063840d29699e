import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api'
import { bindTransaction } from '../store/lakehouseSchema.js'
import { inTransaction, retryConflicts } from '../store/transactions.js'
import type { Plan } from './planStatement.js'
import { messageOf } from './refuse.js'

const crossing = /write to database "([^"]+)" in a transaction that has already modified/

export interface RunChangeOptions {
  connection: DuckDBConnection
  plan: Plan
  /** The catalog to try first. */
  catalog: string
  /** All that may be written to. */
  catalogs: readonly string[]
  isStopped(): boolean
}

/** Runs a change in a transaction that can write to one lakehouse catalog, the one that it names. */
export const runChange = async (options: RunChangeOptions): Promise<DuckDBMaterializedResult> => {
  const { connection, plan, catalog, catalogs, isStopped } = options
  const runIn = (bound: string) =>
    retryConflicts(
      () =>
        inTransaction(connection, async () => {
          await connection.run(bindTransaction(bound))
          return plan.prepared.run()
        }),
      () => !isStopped(),
    )
  try {
    return await runIn(catalog)
  } catch (error) {
    // DuckDB names the file that a statement writes to only when it is not the one it was bound to.
    const other = crossing.exec(messageOf(error))?.[1]
    if (other === undefined) throw error
    if (other === catalog || !catalogs.includes(other)) {
      throw new Error(`The catalog ${other} cannot be changed by SQL.`, { cause: error })
    }
    return runIn(other)
  }
}
