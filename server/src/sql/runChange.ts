import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api'
import { bindTransaction } from '../store/lakehouseSchema.js'
import { definitionChanges } from '../store/changes.js'
import { inTransaction, retryConflicts } from '../store/transactions.js'
import type { Plan } from './planStatement.js'
import { readHead } from './guard/readHead.js'
import { messageOf } from './refuse.js'

const crossing = /write to database "([^"]+)" in a transaction that has already modified/

export interface RunChangeOptions {
  connection: DuckDBConnection
  plan: Plan
  /** The catalog to try first. */
  catalog: string
  /** All catalogs that may be written to. */
  catalogs: readonly string[]
  isStopped(): boolean
}

const defining = /^(create|alter|drop)$/

const runInOne = async (options: RunChangeOptions): Promise<DuckDBMaterializedResult> => {
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
    // Only this error of DuckDB's says which catalog the statement writes to.
    const other = crossing.exec(messageOf(error))?.[1]
    if (other === undefined) throw error
    if (other === catalog || !catalogs.includes(other)) {
      throw new Error(`The catalog ${other} cannot be changed by SQL.`, { cause: error })
    }
    return runIn(other)
  }
}

/** Runs a change in a transaction that can write to one catalog. It finds out which one the statement writes to. */
export const runChange = (options: RunChangeOptions): Promise<DuckDBMaterializedResult> =>
  defining.test(readHead(options.plan.tokens).verb)
    ? definitionChanges.during(() => runInOne(options))
    : runInOne(options)
