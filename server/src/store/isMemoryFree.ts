import type { DuckDBConnection } from '@duckdb/node-api'

/** Blocks of files can be dropped at any moment. */
const statement = `SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE FROM duckdb_memory()
WHERE tag NOT IN ('BASE_TABLE', 'EXTERNAL_FILE_CACHE')`

const muchOfIt = 1 / 4

/** Whether DuckDB holds little of its memory besides blocks of files. */
export const isMemoryFree = async (connection: DuckDBConnection, memoryBytes: number): Promise<boolean> => {
  try {
    const [[bytes]] = (await connection.runAndReadAll(statement)).getRows() as [[number]]
    return bytes < muchOfIt * memoryBytes
  } catch {
    // There is not even enough to ask.
    return false
  }
}
