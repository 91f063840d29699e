import { setTimeout as delay } from 'node:timers/promises'
import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api'
import { inTransaction } from '../store/inTransaction.js'
import { bindTransaction } from '../store/lakehouseSchema.js'
import type { Plan } from './planStatement.js'
import { messageOf } from './refuseQuery.js'

const maxConflicts = 5
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
  const { connection, plan, catalogs, isStopped } = options
  let { catalog } = options
  for (let conflicts = 0; ;) {
    try {
      return await inTransaction(connection, async () => {
        await connection.run(bindTransaction(catalog))
        return plan.prepared.run()
      })
    } catch (error) {
      const message = messageOf(error)
      const other = crossing.exec(message)?.[1]
      if (other !== undefined) {
        if (other === catalog || !catalogs.includes(other)) {
          throw new Error(`The catalog ${other} cannot be changed by SQL.`, { cause: error })
        }
        catalog = other
      } else if (/conflict/i.test(message) && ++conflicts <= maxConflicts && !isStopped()) {
        await delay(20 * conflicts)
      } else throw error
    }
  }
}
