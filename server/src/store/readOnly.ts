import type { DuckDBConnection } from '@duckdb/node-api'

/** Connections that are in such a transaction: a BEGIN within one would break it. */
const reading = new WeakSet<DuckDBConnection>()

export const isReading = (connection: DuckDBConnection): boolean => reading.has(connection)

/**
 * From now on DuckDB refuses what would change anything that is stored, whatever a view or a macro does.
 * The result ends that, by a ROLLBACK: DuckDB 1.5.6 is not to be used any more after a COMMIT here, when
 * `FROM range(nextval('s'))` has been planned, which takes a number all the same.
 */
export const beginReadOnly = async (connection: DuckDBConnection): Promise<() => Promise<void>> => {
  await connection.run('BEGIN TRANSACTION READ ONLY')
  reading.add(connection)
  return async () => {
    if (reading.delete(connection)) await connection.run('ROLLBACK').catch(() => undefined)
  }
}

/** Runs work that can change nothing. What it makes in the session's temporary catalog goes again. */
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

/** Whether an error says that a change was refused in such a transaction. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof Error && /launched in read-only mode/.test(error.message)

/** After a statement that failed, which breaks a transaction: another one of that kind in its place. */
export const renewReadOnly = async (connection: DuckDBConnection): Promise<void> => {
  if (!isReading(connection)) return
  await connection.run('ROLLBACK').catch(() => undefined)
  await connection.run('BEGIN TRANSACTION READ ONLY')
}
