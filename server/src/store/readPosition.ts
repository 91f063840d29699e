import type { DuckDBConnection } from '@duckdb/node-api'

/** How far the accept log has been applied, 0 in a new store. */
export const readPosition = async (connection: DuckDBConnection, table: string): Promise<number> => {
  const reader = await connection.runAndReadAll(`SELECT applied FROM ${table}`)
  const [row] = reader.getRows()
  if (row !== undefined) return Number(row[0])
  await connection.run(`INSERT INTO ${table} VALUES (0)`)
  return 0
}
