import type { DuckDBConnection } from '@duckdb/node-api'
import type { QueryStats } from './createQueryLog.js'
import { prepareOne } from './prepareOne.js'
import type { Plan } from './planStatement.js'
import { estimateScans, parsePlan } from './readPlan.js'

/** What the finished query is thought to have cost. Its rows are gone by now, so nobody waits for this. */
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
