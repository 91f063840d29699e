import type { DuckDBConnection } from '@duckdb/node-api'
import type { QueryStats } from './QueryLog.js'
import type { Plan } from './planStatement.js'
import { prepareOne } from './prepareOne.js'

interface RawNode {
  name?: string
  children?: RawNode[]
  extra_info?: Record<string, unknown>
}

export interface PlanNode {
  name: string
  rows: number
  table?: string
  filters?: string
  children: PlanNode[]
}

const textOf = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return value.map(String).join(' AND ')
  return typeof value === 'string' && value !== '' ? value : undefined
}

const read = ({ name = '', children = [], extra_info = {} }: RawNode): PlanNode => {
  const table = textOf(extra_info['Table'])
  const filters = textOf(extra_info['Filters'])
  // DuckDB writes its estimates as text.
  const rows = Number(textOf(extra_info['Estimated Cardinality']) ?? 0)
  return {
    name: name.trim(),
    rows: Number.isFinite(rows) ? Math.max(0, Math.floor(rows)) : 0,
    ...(table === undefined ? {} : { table }),
    ...(filters === undefined ? {} : { filters }),
    children: children.map(read),
  }
}

/** `EXPLAIN (FORMAT JSON)` as a tree. */
export const parsePlan = (json: string): PlanNode[] => (JSON.parse(json) as RawNode[]).map(read)

/** The scans of stored tables in a plan. */
export const estimateScans = (nodes: readonly PlanNode[]): PlanNode[] =>
  nodes.flatMap((node) => [
    ...(node.name === 'SEQ_SCAN' || node.name === 'INDEX_SCAN' ? [node] : []),
    ...estimateScans(node.children),
  ])

/** Estimates what the finished query has cost. Its rows are sent already, so the client does not wait for this. */
export const readStats = async (connection: DuckDBConnection, plan: Plan): Promise<QueryStats | null> => {
  try {
    const memory = await connection.runAndReadAll(
      'SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()',
    )
    const stats: QueryStats = {
      caching: null,
      memory: { total_usage_bytes: Number(memory.getRows()[0]![0]) },
      scan: null,
    }
    if (plan.kind !== 'read') return stats
    const explained = await (
      await prepareOne(connection, `EXPLAIN (FORMAT JSON) ${plan.text}`)
    ).runAndReadAll()
    const nodes = parsePlan(String(explained.getRows()[0]![1]))
    stats.scan = {
      estimated_result_rows: nodes[0]?.rows ?? 0,
      estimated_scanned_rows: estimateScans(nodes).reduce((sum, scan) => sum + scan.rows, 0),
    }
    return stats
  } catch {
    return null
  }
}
