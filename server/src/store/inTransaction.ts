import type { DuckDBConnection } from '@duckdb/node-api'

/** Runs the work between BEGIN and COMMIT; whatever it throws rolls everything back. */
export const inTransaction = async <T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> => {
  await connection.run('BEGIN TRANSACTION')
  try {
    const result = await work()
    await connection.run('COMMIT')
    return result
  } catch (error) {
    // A failed COMMIT has already ended the transaction, and then there is none to roll back.
    await connection.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}
