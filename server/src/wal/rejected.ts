import { type DuckDBConnection, DuckDBTimestampValue } from '@duckdb/node-api'
import { splitArray } from '../json/splitArray.js'
import { maxDeadLetters, type DeadLetter } from './DeadLetters.js'
import type { LogEntry } from './segment.js'
import { requestOf } from './splitEntry.js'

/** A row of a table `rejected`. */
interface RejectedRow {
  seq: number
  received_at_ms: number
  kind: string
  target: string | undefined
  task_id: string
  /** Which row of its request it is, from 0. */
  position: number
  body: string
  reason: string
}

/** What a table `rejected` holds of rows that were set aside for one reason. */
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

/** A table `rejected`, by names as they are. */
export interface RejectedTable {
  catalog: string
  schema: string
}

/**
 * In the order of the table's columns. As one JSON text a row of 64 MB, which was too large for its own table, would
 * be too large for this one, too.
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
    // It is this that says whether they are there.
    appender.flushSync()
  } finally {
    appender.closeSync()
  }
}

/** The newest requests of which rows were set aside. */
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
