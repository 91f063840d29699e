import { DuckDBInstance } from '@duckdb/node-api'
import { registerHistories } from '../duckdb/histories.js'

export interface BuiltIns {
  functions: readonly (readonly [name: string, type: string, stability: string, macro: string])[]
  views: ReadonlySet<string>
}

const functionsSql = `SELECT lower(function_name), function_type, coalesce(stability, ''), coalesce(macro_definition, '')
  FROM system.main.duckdb_functions() WHERE internal`
const viewsSql = 'SELECT DISTINCT lower(view_name) FROM system.main.duckdb_views() WHERE internal'

const read = async (): Promise<BuiltIns> => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  registerHistories(connection)
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRows() as unknown
  const functions = (await rowsOf(functionsSql)) as BuiltIns['functions']
  const views = (await rowsOf(viewsSql)) as [string][]
  connection.closeSync()
  instance.closeSync()
  return { functions, views: new Set(views.map(([name]) => name)) }
}

let found: Promise<BuiltIns> | undefined

/**
 * All functions and views of DuckDB's own, and the service's function, which no store changes: no extension is ever loaded. A process that is
 * going to be an engine asks before there is a store to open.
 */
export const readBuiltIns = (): Promise<BuiltIns> => (found ??= read())
