import type { DuckDBType } from '@duckdb/node-api'

export interface RowSource {
  names: readonly string[]
  types: readonly DuckDBType[]
  /** Lines with their ends, many at a time; undefined after the last. Rejects when rows are missing. */
  next(): Promise<string | Buffer | undefined>
}
