import type {
  DuckDBConnection,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api'
import { availableParallelism } from 'node:os'

/**
 * How many threads DuckDB stores rows with. One processor is left to the process that takes requests:
 * with two threads on two processors one spins while it waits for the other, which took a third more
 * processor time a row, and beside a full burst stored 32 to 40 thousand rows a second instead of 40 to 54.
 */
export const storingThreads = (threads: number): number =>
  Math.max(1, Math.min(threads, availableParallelism() - 1))

/**
 * The SQL of a table from `$rows`, one JSON text with an array of objects. Passing DuckDB a list of single
 * values takes this thread ten times as long. The text becomes a column first: DuckDB would read a constant
 * while it plans the statement, value by value, which takes three times as long.
 */
export const jsonRows = (columns: Readonly<Record<string, string>>): string =>
  `(SELECT unnest(from_json(document, '[${JSON.stringify(columns)}]'), recursive := true)
    FROM (SELECT unnest([$rows]) AS document))`

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
