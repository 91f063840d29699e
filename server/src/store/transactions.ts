import { setTimeout as delay } from 'node:timers/promises'
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

const maxConflicts = 10
const retryMs = 20

/** Errors that tell of a value, whose words may be those of any other error. */
const ofData = /^(Conversion|Constraint|Invalid Input|Out of Range|Mismatch Type|Invalid) Error/

/** DuckDB's errors are plain ones; those of ours have a class of their own. */
const isOfDuckdb = (error: unknown): error is Error =>
  error instanceof Error && error.constructor === Error && !ofData.test(error.message)

/** Runs a transaction again when another one was in its way, which DuckDB finds out only at the end. */
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

const passing =
  /^(TransactionContext Error|Transaction Error|IO Error|Out of Memory Error|INTERRUPT Error|Conflict)/i

/** Whether DuckDB had too little memory. */
export const isOutOfMemory = (error: unknown): boolean =>
  isOfDuckdb(error) && /^Out of Memory Error/i.test(error.message)

/** Whether a disk took no more, which DuckDB calls too little memory where it wanted to put memory aside there. */
export const isOutOfRoom = (error: unknown): boolean =>
  isOfDuckdb(error) &&
  /could not write|no space|disk is full|max_temp_directory_size|failed to offload/i.test(error.message)

/** Whether DuckDB has given a catalog up, or all of them: from then on it takes and answers nothing. */
export const isInvalidated = (error: unknown): boolean =>
  isOfDuckdb(error) && /has been invalidated/i.test(error.message)

/** Whether a failed write is worth another try: it met a conflict, a full disk, too little memory, or a DuckDB that must be started anew. */
export const isTransient = (error: unknown): boolean =>
  isOfDuckdb(error) &&
  (passing.test(error.message) ||
    /conflict|no space|could not write|database has been invalidated/i.test(error.message))
