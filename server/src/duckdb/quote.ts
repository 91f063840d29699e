import type { DuckDBConnection } from '@duckdb/node-api'

export const analyticsCatalog = 'analytics'

/** The service's own schema in every lakehouse catalog; user statements may not write in it. */
export const internalSchema = 'waymark_internal'

export interface View {
  name: string
  comment: string
  /** The SQL after FROM, with conditions and groups. */
  from: string
  /** Each column with its SQL and its comment. */
  columns: readonly (readonly [name: string, sql: string, comment: string])[]
}

/** The statements that make a view of the catalog `analytics`, with its comments. */
export const viewSql = ({ name, comment, from, columns }: View): string => {
  const view = `analytics.main.${name}`
  const list = columns.map(([column, sql]) => `${sql} AS ${quoteIdentifier(column)}`)
  const comments = columns.map(
    ([column, , text]) => `COMMENT ON COLUMN ${view}.${quoteIdentifier(column)} IS ${quoteText(text)};`,
  )
  return `CREATE OR REPLACE VIEW ${view} AS SELECT ${list.join(', ')} FROM ${from};
    COMMENT ON VIEW ${view} IS ${quoteText(comment)}; ${comments.join(' ')}`
}

/** The service's own catalog, which is in memory: what Postgres's tools ask for first. */
export const ownCatalog = 'waymark_pg'

/** DuckDB's first catalog is in memory and has the name `memory`. It makes way for an operator's catalog of that name. */
export const makeWay = async (connection: DuckDBConnection, catalog: string): Promise<void> => {
  if (catalog !== 'memory') return
  for (const statement of [`ATTACH ':memory:' AS ${ownCatalog}`, `USE ${ownCatalog}`, 'DETACH memory'])
    await connection.run(statement)
}

/** A TIMESTAMPTZ from Unix milliseconds. */
export const momentSql = (milliseconds: string): string => `make_timestamptz(1000 * ${milliseconds})`

/** The SQL of a JSON pointer to a field. In a JSON path a name that begins with `$` would have another meaning. */
export const pointerSql = (name: string): string => `'/' || replace(replace(${name}, '~', '~0'), '/', '~1')`

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`
