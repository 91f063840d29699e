import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { root } from '../setup/root.mjs'

const catalog = (/** @type {string} */ name) =>
  import(pathToFileURL(join(root, 'server/dist/postgres/catalog', name)).href)

/**
 * Names of tables, columns and functions in the catalog for Postgres's tools that none of the statements contains: what
 * no tool asks for goes.
 * @param {readonly string[]} statements
 * @returns {Promise<string[]>}
 */
export async function findUnasked(statements) {
  const { createCatalog } = await catalog('createCatalog.js')
  const { catalogFunctions } = await catalog('catalogFunctions.js')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  for (const each of createCatalog) await connection.run(each)
  const columns = await connection.runAndReadAll(
    "SELECT DISTINCT unnest([replace(table_name, 'information_schema_', ''), column_name]) FROM duckdb_columns() WHERE schema_name = 'pg' AND table_name NOT LIKE '%_map'",
  )
  connection.closeSync()
  const asked = new Set(
    statements
      .join(' ')
      .toLowerCase()
      .match(/[a-z_]\w*/g),
  )
  const names = [...columns.getRows().flat(), ...Object.keys(catalogFunctions)].map(String)
  return names.filter((name) => !asked.has(name)).toSorted()
}
