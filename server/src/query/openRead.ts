import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'
import { createMend } from './mendNumbers.js'
import type { Plan } from './planStatement.js'
import { prepareOne } from './prepareOne.js'
import { readText } from './readText.js'
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
 * Streams rows that DuckDB has already written as text, while it makes the next.
 * Undefined when the statement cannot stand inside another.
 */
export const openRead = async (options: OpenReadOptions): Promise<RowSource | undefined> => {
  const { connection, plan, layout, cut, explainBreak } = options
  const { names, types } = plan
  const sql = wrapRead(plan.text, layout === 'object' ? uniqueNames(names) : names, layout, cut, types)
  const wrapped = await prepareOne(connection, sql).catch(() => undefined)
  if (wrapped === undefined) return undefined
  const mend = layout === 'csv' ? (lines: Buffer) => lines : createMend(types)
  let result: DuckDBResult
  try {
    result = await wrapped.stream()
  } catch {
    throw await explainBreak()
  }
  const fetch = () => result.fetchChunk().catch(() => null)
  let fetched: Promise<DuckDBDataChunk | null> | undefined = fetch()

  return {
    names,
    types,
    async next() {
      if (fetched === undefined) return undefined
      const chunk = await fetched
      if (chunk === null || chunk.rowCount === 0) throw await explainBreak()
      const rows = chunk.rowCount
      const complete = chunk.getColumnVector(0).getItem(rows - 1) === null
      fetched = complete ? undefined : fetch()
      const lines = mend(readText(chunk, complete ? rows - 1 : rows))
      return lines.length === 0 ? undefined : lines
    },
  }
}
