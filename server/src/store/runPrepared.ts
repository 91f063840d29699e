import type {
  DuckDBConnection,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api'

const prepared = new WeakMap<DuckDBConnection, Map<string, DuckDBPreparedStatement>>()

export interface Parameters {
  values: Record<string, DuckDBValue>
  types: Record<string, DuckDBType>
}

/**
 * Lets statements be prepared anew. Once a view or table was made, DuckDB plans a statement that was prepared before at
 * each of its runs, which for a large one takes longer than the run.
 */
export const forgetPrepared = (connection: DuckDBConnection): void => {
  prepared.delete(connection)
}

/**
 * Runs a statement that is often repeated. It is planned once for each connection. Each parameter must be
 * written with its type, as `$name::TYPE`; without it DuckDB plans the statement again for each value.
 */
export const runPrepared = async (
  connection: DuckDBConnection,
  sql: string,
  { values, types }: Parameters,
): Promise<DuckDBMaterializedResult> => {
  const known = prepared.get(connection) ?? new Map<string, DuckDBPreparedStatement>()
  prepared.set(connection, known)
  const statement = known.get(sql) ?? (await connection.prepare(sql))
  known.set(sql, statement)
  statement.bind(values, types)
  return statement.run()
}
