import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api'
import { createMend } from './mendNumbers.js'
import type { Plan } from './planStatement.js'
import type { RowSource } from './RowSource.js'
import { uniqueNames } from './uniqueNames.js'
import { wrapRead, type Cut, type Layout } from './wrapRead.js'

export interface OpenReadOptions {
  connection: DuckDBConnection
  plan: Plan
  layout: Layout
  cut: Cut
  /** Says why the rows stopped, when they stopped before their end. */
  explainBreak(): Promise<Error>
}

/**
 * Streams rows that DuckDB has already written as text: twice as fast as reading values one by one.
 * Undefined when the statement cannot stand inside another.
 */
export const openRead = async (options: OpenReadOptions): Promise<RowSource | undefined> => {
  const { connection, plan, layout, cut, explainBreak } = options
  const { names, types } = plan
  const sql = wrapRead(plan.text, layout === 'object' ? uniqueNames(names) : names, layout, cut)
  const wrapped = await connection.prepare(sql).catch(() => undefined)
  if (wrapped === undefined) return undefined
  const mend = layout === 'csv' ? (text: string) => text : createMend(types)
  let result: DuckDBResult
  try {
    result = await wrapped.stream()
  } catch {
    throw await explainBreak()
  }
  let complete = false

  return {
    names,
    types,
    async next() {
      if (complete) return undefined
      const chunk = await result.fetchChunk().catch(() => null)
      if (chunk === null || chunk.rowCount === 0) throw await explainBreak()
      const lines = chunk.getColumnValues(0) as (string | null)[]
      if (lines.at(-1) === null) {
        complete = true
        lines.pop()
      }
      return lines.length === 0 ? undefined : mend(lines.join('\n'))
    },
  }
}
