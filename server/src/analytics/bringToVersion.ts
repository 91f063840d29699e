import type { DuckDBConnection } from '@duckdb/node-api'
import { analyticsSchema, storeVersion } from '../store/analyticsSchema.js'
import { OperatorError } from '../OperatorError.js'
import { inTransaction } from '../store/transactions.js'

/** Statements that bring a store from the version in the key to the next one. */
export type Upgrades = Readonly<Record<number, readonly string[]>>

/** The list is empty because no version before this one was released. */
const released: Upgrades = {}

/** The version of a store: undefined for a new store, 0 for a store from before versions were written. */
const readVersion = async (connection: DuckDBConnection): Promise<number | undefined> => {
  const tables = await connection.runAndReadAll(
    `SELECT table_name FROM duckdb_tables() WHERE database_name = 'analytics' AND schema_name = 'raw'`,
  )
  const names = tables.getRows().flat()
  if (!names.includes('store')) return names.includes('events') ? 0 : undefined
  const reader = await connection.runAndReadAll('SELECT version FROM analytics.raw.store')
  return reader.getRows()[0]![0] as number
}

/** Makes the tables of a new store, or upgrades those of an older one, in one transaction. */
export const bringToVersion = async (
  connection: DuckDBConnection,
  wanted = storeVersion,
  upgrades = released,
): Promise<void> => {
  const version = await readVersion(connection)
  if (version === wanted) return
  const statements: string[] = version === undefined ? [analyticsSchema] : []
  for (let from = version ?? wanted; from !== wanted; from++) {
    const next = upgrades[from]
    if (next === undefined) {
      throw new OperatorError(
        `The store is of version ${version}, and this waymark-server reads version ${wanted}: start the waymark-server that wrote it, or name another folder by --data.`,
      )
    }
    statements.push(...next)
  }
  await inTransaction(connection, async () => {
    for (const sql of statements) await connection.run(sql)
    await connection.run('DELETE FROM analytics.raw.store')
    await connection.run(`INSERT INTO analytics.raw.store VALUES (${wanted})`)
  })
}
