import type { DuckDBConnection } from '@duckdb/node-api'

export interface EventColumn {
  name: string
  /** DuckDB's name of the type. */
  type: string
}

/** The columns of events, in the table and in files. */
export const readEventColumns = async (connection: DuckDBConnection): Promise<EventColumn[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE analytics.raw.events)`,
  )
  return reader.getRowObjects() as unknown as EventColumn[]
}
