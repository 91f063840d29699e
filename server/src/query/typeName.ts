import type { DuckDBType } from '@duckdb/node-api'

/** The SQL name of a column's type; JSON is a VARCHAR underneath and says so unless asked for its alias. */
export const typeName = (type: DuckDBType): string => type.alias ?? type.toString()
