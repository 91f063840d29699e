import { shorten } from '../../json/shorten.js'
import { refuseField } from '../refuse.js'

/** The dialects whose statements are tried in `test/sql/dialects`, by the names that clients send. */
const dialects = {
  bigquery: 'BigQuery',
  clickhouse: 'ClickHouse',
  databricks: 'Databricks',
  mysql: 'MySQL',
  oracle: 'Oracle',
  postgresql: 'PostgreSQL',
  redshift: 'Redshift',
  snowflake: 'Snowflake',
  spark: 'Spark',
  sqlite: 'SQLite',
  trino: 'Trino',
  tsql: 'T-SQL',
} as const

export type Dialect = keyof typeof dialects

export const dialectNames = Object.keys(dialects) as Dialect[]

/** How messages name a dialect. */
export const titleOf = (dialect: Dialect): string => dialects[dialect]

const otherNames: Readonly<Record<string, Dialect>> = { postgres: 'postgresql' }

const isDialect = (name: string): name is Dialect => Object.hasOwn(dialects, name)

/** The dialect that a request names; undefined for DuckDB's own. Throws for one that is not known. */
export const readDialect = (given: string | null | undefined): Dialect | undefined => {
  const name = given?.toLowerCase() ?? 'duckdb'
  if (name === 'duckdb') return undefined
  const found = Object.hasOwn(otherNames, name) ? otherNames[name]! : name
  if (isDialect(found)) return found
  const known = ['duckdb', ...dialectNames].join(', ')
  throw refuseField(`The dialect ${shorten(given!, 40)} is not known. There are: ${known}.`)
}
