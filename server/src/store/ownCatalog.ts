import type { DuckDBConnection } from '@duckdb/node-api'

/** The service's own catalog, which is in memory: what Postgres's tools ask for first. */
export const ownCatalog = 'waymark_pg'

/** DuckDB's first catalog is in memory and has the name `memory`. It makes way for an operator's catalog of that name. */
export const makeWay = async (connection: DuckDBConnection, catalog: string): Promise<void> => {
  if (catalog !== 'memory') return
  for (const statement of [`ATTACH ':memory:' AS ${ownCatalog}`, `USE ${ownCatalog}`, 'DETACH memory'])
    await connection.run(statement)
}
