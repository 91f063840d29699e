/** The dialects that are translated, by the names that clients send. The screens read this table too, so it imports nothing. */
export const dialects = {
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

export const isDialect = (name: string): name is Dialect => Object.hasOwn(dialects, name)

/** How a dialect is called. The address of a screen may have one that is not known, and is refused. */
export const titleOf = (dialect: string): string => (isDialect(dialect) ? dialects[dialect] : dialect)
