import type { DuckDBConnection } from '@duckdb/node-api'

export interface BuiltIns {
  functions: readonly (readonly [name: string, type: string, stability: string, macro: string])[]
  views: ReadonlySet<string>
}

const functionsSql = `SELECT lower(function_name), function_type, coalesce(stability, ''), coalesce(macro_definition, '')
  FROM system.main.duckdb_functions() WHERE internal`
const viewsSql = 'SELECT DISTINCT lower(view_name) FROM system.main.duckdb_views() WHERE internal'

const read = async (connection: DuckDBConnection): Promise<BuiltIns> => {
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRows() as unknown
  const functions = (await rowsOf(functionsSql)) as BuiltIns['functions']
  const views = (await rowsOf(viewsSql)) as [string][]
  return { functions, views: new Set(views.map(([name]) => name)) }
}

let found: BuiltIns | undefined

/** All functions and views of DuckDB's own. It is asked once in a process, because no extension is ever loaded. */
export const readBuiltIns = async (connection: DuckDBConnection): Promise<BuiltIns> =>
  (found ??= await read(connection))
