import type { DuckDBConnection } from '@duckdb/node-api'
import { splitArray } from '../json/splitArray.js'
import { jsonRows } from '../store/jsonRows.js'
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

const columns = {
  seq: 'BIGINT',
  received_at_ms: 'BIGINT',
  kind: 'VARCHAR',
  target: 'VARCHAR',
  task_id: 'VARCHAR',
  position: 'BIGINT',
  body: 'VARCHAR',
  reason: 'VARCHAR',
}

export const insertRejected = async (
  connection: DuckDBConnection,
  table: string,
  rows: readonly RejectedRow[],
): Promise<void> => {
  await connection.run(
    `INSERT INTO ${table} (seq, received_at, kind, target, task_id, position, body, reason)
     SELECT seq, epoch_ms(received_at_ms), kind, target, task_id, position, body, reason
     FROM ${jsonRows(columns)}`,
    { rows: JSON.stringify(rows) },
  )
}

/** The newest requests of which rows were set aside. */
export const readDeadLetters = async (
  connection: DuckDBConnection,
  table: string,
  lastOfTask: (taskId: string) => number | undefined,
): Promise<DeadLetter[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT task_id, count(*)::INT, arg_min(reason, seq) FROM ${table} WHERE task_id IS NOT NULL
     GROUP BY task_id ORDER BY max(seq) DESC LIMIT ${maxDeadLetters}`,
  )
  return (reader.getRows() as [string, number, string][]).toReversed().flatMap(([taskId, rows, reason]) => {
    const request = lastOfTask(taskId)
    return request === undefined ? [] : [{ request, rows, reason }]
  })
}
