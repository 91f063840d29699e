import { setTimeout as delay } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { dataChanges } from './changes.js'

/** A transaction that failed is still open when there was no memory for its ROLLBACK, either. */
const begin = async (connection: DuckDBConnection): Promise<void> => {
  try {
    await connection.run('BEGIN TRANSACTION')
  } catch (error) {
    if (!/transaction is aborted/.test((error as Error).message)) throw error
    await connection.run('ROLLBACK')
    await connection.run('BEGIN TRANSACTION')
  }
}

/**
 * Runs the work between BEGIN and COMMIT; whatever it throws rolls everything back. While the service runs, whatever
 * is stored is stored by this function, which counts it as a change.
 */
export const inTransaction = async <T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> => {
  await begin(connection)
  try {
    const result = await work()
    await dataChanges.during(() => connection.run('COMMIT'))
    return result
  } catch (error) {
    // A failed COMMIT has already ended the transaction, and then there is none to roll back.
    await connection.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}

const maxConflicts = 10
const retryMs = 20

/** These errors quote a user's value, which may contain the words of any other error. */
const quotesValue = /^(Conversion|Constraint|Invalid Input|Out of Range|Mismatch Type|Invalid) Error/

/** DuckDB's errors are plain ones; the service's own errors have a class of their own. */
const isOfDuckdb = (error: unknown): error is Error =>
  error instanceof Error && error.constructor === Error && !quotesValue.test(error.message)

/** Runs a transaction again when it conflicts with another one, which DuckDB finds out only at the end. */
export const retryConflicts = async <T>(
  work: () => Promise<T>,
  mayRetry: () => boolean = () => true,
): Promise<T> => {
  for (let conflicts = 1; ; conflicts++) {
    try {
      return await work()
    } catch (error) {
      const isConflict = isOfDuckdb(error) && /conflict/i.test(error.message)
      if (!isConflict || conflicts > maxConflicts || !mayRetry()) throw error
      await delay(retryMs * conflicts)
    }
  }
}

const transientErrors =
  /^(TransactionContext Error|Transaction Error|IO Error|Out of Memory Error|INTERRUPT Error|Conflict)/i

/** Whether DuckDB had too little memory. */
export const isOutOfMemory = (error: unknown): boolean =>
  isOfDuckdb(error) && /^Out of Memory Error/i.test(error.message)

/** Whether a disk was full. DuckDB calls it too little memory when it wanted to spill rows to that disk. */
export const isOutOfRoom = (error: unknown): boolean =>
  isOfDuckdb(error) &&
  /could not write|no space|disk is full|max_temp_directory_size|failed to offload/i.test(error.message)

/** Whether DuckDB has given up a catalog, or all of them: every later statement on it fails. */
export const isInvalidated = (error: unknown): boolean =>
  isOfDuckdb(error) && /has been invalidated/i.test(error.message)

/** Whether a statement has met an error of DuckDB's own, after which DuckDB gives up everything, or has come after one. */
export const isFatal = (error: unknown): error is Error =>
  isOfDuckdb(error) && (/^(INTERNAL|FATAL) Error/.test(error.message) || isInvalidated(error))

/**
 * Whether a failed write may succeed later. A conflict, a full disk, too little memory, or a DuckDB that must
 * be restarted has stopped it.
 */
export const isTransient = (error: unknown): boolean =>
  isOfDuckdb(error) &&
  (transientErrors.test(error.message) ||
    /conflict|no space|could not write|database has been invalidated/i.test(error.message))
