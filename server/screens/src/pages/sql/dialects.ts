/** The dialects that the service translates, by the names that it takes. */
export const dialects: Readonly<Record<string, string>> = {
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
}

/** How a dialect is called. The address may have one that the service does not know, and refuses. */
export const titleOf = (dialect: string): string => dialects[dialect] ?? dialect
