import type { DuckDBConnection } from '@duckdb/node-api'

/** DuckDB can drop blocks of files from its memory at any moment, so they are not counted. */
const statement = `SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE FROM duckdb_memory()
WHERE tag NOT IN ('BASE_TABLE', 'EXTERNAL_FILE_CACHE')`

const freeShare = 1 / 4

/** Whether DuckDB uses less than a quarter of its memory, besides blocks of files. */
export const isMemoryFree = async (connection: DuckDBConnection, memoryBytes: number): Promise<boolean> => {
  try {
    const [[bytes]] = (await connection.runAndReadAll(statement)).getRows() as [[number]]
    return bytes < freeShare * memoryBytes
  } catch {
    // There is too little memory even for this query.
    return false
  }
}
