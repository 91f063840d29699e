import { type DuckDBConnection, DuckDBTimestampValue } from '@duckdb/node-api'
import { splitArray } from '../http/json/sliceItems.js'
import type { LogEntry } from './segment.js'
import { requestOf } from './splitEntry.js'
import { isInvalidated, isOutOfMemory, isOutOfRoom } from '../duckdb/transactions.js'

/** Says how many rows of a request could not be stored. */
export interface DeadLetter {
  /** The sequence of the request's last row, which also identifies its task. */
  request: number
  rows: number
  /** Why the first of these rows could not be stored. */
  reason: string
}

export const maxDeadLetters = 10_000

/** The dead letters of the newest requests. */
export class RecentDeadLetters {
  readonly #kept = new Map<number, DeadLetter>()

  add({ request, rows, reason }: DeadLetter): void {
    const known = this.#kept.get(request)
    this.#kept.set(
      request,
      known === undefined ? { request, rows, reason } : { ...known, rows: known.rows + rows },
    )
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= maxDeadLetters) break
      this.#kept.delete(old)
    }
  }

  /** Replaces the dead letter of the same request. */
  put(letter: DeadLetter): void {
    this.#kept.delete(letter.request)
    this.add(letter)
  }

  get(request: number): DeadLetter | undefined {
    return this.#kept.get(request)
  }

  all(): DeadLetter[] {
    return [...this.#kept.values()]
  }

  /** Replaces all dead letters. */
  replace(letters: readonly DeadLetter[]): void {
    this.#kept.clear()
    for (const letter of letters) this.add(letter)
  }
}

/** Says why rows cannot be stored. `of` is `request` when the reason holds for all rows of the request. */
export class Unstorable extends Error {
  constructor(
    readonly of: 'request' | 'row',
    message: string,
  ) {
    super(message)
    this.name = 'Unstorable'
  }
}

/**
 * Says why rows are not being stored, in words that anybody may read. DuckDB's own words do not serve: they hold paths
 * of this machine and parts of rows.
 */
export const whyFailing = (error: unknown): string => {
  if (isOutOfRoom(error)) return 'The disk of the data folder is full, or takes no writes.'
  if (isOutOfMemory(error))
    return 'Storing rows, or the queries that run meanwhile, needs more memory than DuckDB may have (--memory-limit).'
  if (isInvalidated(error))
    return 'DuckDB closed the store after an error; the engine is being started again.'
  return 'DuckDB reports an error; the log of the service says which.'
}

/** A row of the table `rejected`, which each catalog has. */
interface RejectedRow {
  seq: number
  received_at_ms: number
  kind: string
  target: string | undefined
  task_id: string
  /** The index of the row in its request, from 0. */
  position: number
  body: string
  reason: string
}

/** The rows of the table `rejected` for entries that are set aside for one reason. */
export const rejectedRows = (
  entries: readonly LogEntry[],
  reason: string,
  taskIdOf: (last: number) => string,
): RejectedRow[] =>
  entries.flatMap((entry) => {
    const { first, last } = requestOf(entry)
    const shared = {
      received_at_ms: entry.receivedAtMs,
      kind: entry.kind,
      target: entry.target,
      task_id: taskIdOf(last),
      reason,
    }
    return splitArray(entry.body).map((row, at) => {
      const seq = entry.first + at
      return { ...shared, seq, position: seq - first, body: row.toString() }
    })
  })

/** Names a table `rejected`; the names are not quoted. */
export interface RejectedTable {
  catalog: string
  schema: string
}

/**
 * Writes rows by an appender, column by column in the table's order. One JSON text of all columns would fail for a row
 * of 64 MB: such a row was already too large for its own table.
 */
export const insertRejected = async (
  connection: DuckDBConnection,
  { catalog, schema }: RejectedTable,
  rows: readonly RejectedRow[],
): Promise<void> => {
  const appender = await connection.createAppender('rejected', schema, catalog)
  try {
    for (const { seq, received_at_ms, kind, body, reason, target, task_id, position } of rows) {
      appender.appendBigInt(BigInt(seq))
      appender.appendTimestamp(new DuckDBTimestampValue(BigInt(Math.round(1000 * received_at_ms))))
      appender.appendVarchar(kind)
      appender.appendVarchar(body)
      appender.appendVarchar(reason)
      if (target === undefined) appender.appendNull()
      else appender.appendVarchar(target)
      appender.appendVarchar(task_id)
      appender.appendBigInt(BigInt(position))
      appender.endRow()
    }
    // Only `flushSync` throws when DuckDB does not take the rows.
    appender.flushSync()
  } finally {
    appender.closeSync()
  }
}

/** Reads the dead letters of the newest requests. */
export const readDeadLetters = async (
  connection: DuckDBConnection,
  table: string,
  lastOfTask: (taskId: string) => number | undefined,
): Promise<DeadLetter[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT task_id, count(*)::INT, arg_min(reason, seq) FROM ${table}
     GROUP BY task_id ORDER BY max(seq) DESC LIMIT ${maxDeadLetters}`,
  )
  return (reader.getRows() as [string, number, string][]).toReversed().flatMap(([taskId, rows, reason]) => {
    const request = lastOfTask(taskId)
    return request === undefined ? [] : [{ request, rows, reason }]
  })
}
