import type { DuckDBConnection } from '@duckdb/node-api'

/** The connections that are in a transaction that only reads. A second BEGIN would fail there. */
const reading = new WeakSet<DuckDBConnection>()

export const isReading = (connection: DuckDBConnection): boolean => reading.has(connection)

/**
 * From now on DuckDB refuses every change of what is stored, also one that a view or a macro would make.
 * The returned function ends that by a ROLLBACK, not by a COMMIT. Planning `FROM range(nextval('s'))` takes a
 * number in spite of the transaction, and DuckDB 1.5.6 cannot be used any more after it has committed that.
 */
export const beginReadOnly = async (connection: DuckDBConnection): Promise<() => Promise<void>> => {
  await connection.run('BEGIN TRANSACTION READ ONLY')
  reading.add(connection)
  return async () => {
    if (reading.delete(connection)) await connection.run('ROLLBACK').catch(() => undefined)
  }
}

/** Runs work in a transaction that only reads. Temporary tables that it makes are gone afterwards. */
export const inReadOnly = async <T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> => {
  if (isReading(connection)) return work()
  const end = await beginReadOnly(connection)
  try {
    return await work()
  } finally {
    await end()
  }
}

export const forbidden = () =>
  new Error('Numbers cannot be taken: the transaction was launched in read-only mode.')

/** Whether an error says that a transaction that only reads has refused a change. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof Error && /launched in read-only mode/.test(error.message)

/** Begins a new transaction that only reads, because a statement that fails breaks the one before. */
export const renewReadOnly = async (connection: DuckDBConnection): Promise<void> => {
  if (!isReading(connection)) return
  await connection.run('ROLLBACK').catch(() => undefined)
  await connection.run('BEGIN TRANSACTION READ ONLY')
}
