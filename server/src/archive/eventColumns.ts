import type { DuckDBConnection } from '@duckdb/node-api'
import { keyNames } from '../store/keptColumns.js'

export interface EventColumn {
  name: string
  /** DuckDB's name of the type. */
  type: string
}

/** The columns of events in files: those of the table without its keys. */
export const readEventColumns = async (connection: DuckDBConnection): Promise<EventColumn[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * EXCLUDE (${keyNames}) FROM analytics.raw.events)`,
  )
  return reader.getRowObjects() as unknown as EventColumn[]
}
