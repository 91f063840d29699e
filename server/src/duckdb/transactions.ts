import { setTimeout as delay } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'

/** Runs work that is given to it one after the other. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>

export const createMutex = (): OneAtATime => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

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

/** Tells whether something has changed between two moments. */
export class Changes {
  #ended = 0
  #underWay = 0

  /** How many changes have ended; undefined while one is under way, and it is not known whether DuckDB shows it. */
  get count(): number | undefined {
    return this.#underWay === 0 ? this.#ended : undefined
  }

  /** Does work that changes something. A failure counts too, because a COMMIT that fails may have done its work. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++
    try {
      return await work()
    } finally {
      this.#underWay--
      this.#ended++
    }
  }
}

/**
 * Every change of what DuckDB has stored. They are counted for the whole process, so that no writer can be opened
 * without them: `inTransaction` counts each COMMIT.
 */
export const dataChanges = new Changes()

/** Every statement that may make, change or drop a view, a macro or a table's computed column. */
export const definitionChanges = new Changes()

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
