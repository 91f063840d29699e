import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from '../../duckdb/quote.js'
import { isFatal, isForbidden } from '../../duckdb/transactions.js'
import { readOnlyUser } from '../../users/Identity.js'
import type { Guard } from '../guard/Guard.js'
import { prepareOne } from '../prepareOne.js'
import { estimateScans, parsePlan, type PlanNode } from '../readPlan.js'
import { messageOfSecondLine } from '../refuse.js'
import { refuseNumbers } from '../planStatement.js'

export interface TableScanEstimate {
  table_name: string
  estimated_rows: number
  filters: string | null
  scanned_bytes_estimate: number | null
  scanned_files_estimate: number | null
  total_bytes: number | null
  total_files: number | null
}

export interface Explanation {
  tables: TableScanEstimate[]
  error: string | null
  plan: unknown
  scanned_bytes_estimate: number | null
  scanned_files_estimate: number | null
  total_bytes: number | null
  total_files: number | null
}

/** DuckDB's storage works in blocks of this size. */
const blockBytes = 262_144

interface Size {
  /** On disk; null while none of the table has been written to its file. */
  bytes: number | null
  rows: number
}

const sizeOf = async (connection: DuckDBConnection, table: string): Promise<Size | undefined> => {
  try {
    const reader = await connection.runAndReadAll(
      `SELECT count(DISTINCT block_id) FILTER (WHERE block_id >= 0), count(*) = 0 OR bool_or(persistent)
       FROM pragma_storage_info(${quoteText(table)})`,
    )
    const rows = await connection.runAndReadAll(
      `SELECT estimated_size FROM system.main.duckdb_tables()
       WHERE database_name || '.' || schema_name || '.' || table_name = $1`,
      [table],
    )
    const [blocks, isOnDisk] = reader.getRows()[0] as [bigint, boolean]
    return {
      bytes: isOnDisk ? Number(blocks) * blockBytes : null,
      rows: Number(rows.getRows()[0]?.[0] ?? 0),
    }
  } catch {
    return undefined
  }
}

const estimate = async (connection: DuckDBConnection, scan: PlanNode): Promise<TableScanEstimate> => {
  const size = scan.table === undefined ? undefined : await sizeOf(connection, scan.table)
  const share = size === undefined || size.rows === 0 ? 1 : Math.min(1, scan.rows / size.rows)
  const bytes = size?.bytes ?? null
  return {
    table_name: scan.table ?? '',
    estimated_rows: scan.rows,
    filters: scan.filters ?? null,
    scanned_bytes_estimate: bytes === null ? null : Math.round(bytes * share),
    scanned_files_estimate: size === undefined ? null : 1,
    total_bytes: bytes,
    total_files: size === undefined ? null : 1,
  }
}

const fileOf = (table: string) => table.split('.', 1)[0]!
const sum = (values: (number | null)[]): number | null =>
  values.includes(null) ? null : values.reduce<number>((total, value) => total + (value ?? 0), 0)

export const failedExplanation = (error: string): Explanation => ({
  tables: [],
  error,
  plan: null,
  scanned_bytes_estimate: null,
  scanned_files_estimate: null,
  total_bytes: null,
  total_files: null,
})

/** Estimates what a statement would scan. A catalog is one file, so files are counted by catalog. */
export const explainStatement = async (
  connection: DuckDBConnection,
  guard: Guard,
  statement: string,
): Promise<Explanation> => {
  const guarded = guard.check(statement)
  if ('problem' in guarded) return failedExplanation(guarded.problem)
  let json: string
  try {
    // EXPLAIN ANALYZE would run the statement that it explains. A second statement behind a semicolon
    // would run too, but the guard has made sure that there is none.
    if (/^(explain|analyze)$/i.test(guarded.tokens[0]!.text)) {
      return failedExplanation('Send the statement alone, without EXPLAIN or ANALYZE.')
    }
    refuseNumbers(connection, guarded)
    const explain = await prepareOne(connection, `EXPLAIN (FORMAT JSON)\n${guarded.text}`)
    const reader = await explain.runAndReadAll()
    json = String(reader.getRows()[0]![1])
  } catch (error) {
    if (isFatal(error)) throw error
    return failedExplanation(isForbidden(error) ? readOnlyUser().message : messageOfSecondLine(error))
  }
  const tables: TableScanEstimate[] = []
  for (const scan of estimateScans(parsePlan(json))) tables.push(await estimate(connection, scan))
  const known = tables.every(({ total_files: files }) => files !== null)
  const files = known ? new Set(tables.map((table) => fileOf(table.table_name))).size : null
  return {
    tables,
    error: null,
    plan: JSON.parse(json) as unknown,
    scanned_bytes_estimate: sum(tables.map((table) => table.scanned_bytes_estimate)),
    scanned_files_estimate: files,
    total_bytes: sum(tables.map((table) => table.total_bytes)),
    total_files: files,
  }
}
