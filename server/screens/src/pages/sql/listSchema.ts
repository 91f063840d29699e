import type { Json } from '../../data/query'
import { sql } from './sql'

/** Tables and views with their columns, a column a row, then the macros. */
export const schemaStatement = sql`SELECT c.database_name, c.schema_name, c.table_name, c.column_name, c.data_type, c.comment,
  t.comment AS about
FROM duckdb_columns() c
JOIN (
  SELECT database_name, schema_name, table_name, comment FROM duckdb_tables()
  UNION ALL SELECT database_name, schema_name, view_name, comment FROM duckdb_views()
) t USING (database_name, schema_name, table_name)
WHERE NOT c.internal
UNION ALL
SELECT database_name, schema_name, function_name, NULL, array_to_string(parameters, ', '), NULL, comment
FROM duckdb_functions()
WHERE function_type IN ('macro', 'table_macro') AND NOT internal AND NOT starts_with(function_name, 'duckdb_')
ORDER BY ALL
LIMIT 5000`

export interface Relation {
  /** As a statement names it. */
  name: string
  catalog: string
  comment: string | null
  /** A macro's parameters. */
  parameters?: string
  columns: { name: string; type: string; comment: string | null }[]
}

const isPlain = /^[a-z_][a-z0-9_]*$/
const quoteName = (name: string) => (isPlain.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

/** As short as a statement may say it: the analytics views and `lakehouse.main` are on the search path. */
function nameOf(catalog: string, schema: string, table: string): string {
  const path =
    catalog === 'analytics' || (catalog === 'lakehouse' && schema === 'main') ? [] : [catalog, schema]
  return [...path, table].map(quoteName).join('.')
}

const textOrNull = (value: Json | undefined) => (typeof value === 'string' ? value : null)

/** The relations in the order of the rows, those of analytics first. */
export function listSchema(rows: readonly Json[][]): Relation[] {
  const relations = new Map<string, Relation>()
  for (const [catalog, schema, table, column, type, comment, about] of rows) {
    const key = JSON.stringify([catalog, schema, table])
    const relation = relations.get(key) ?? {
      name: nameOf(String(catalog), String(schema), String(table)),
      catalog: String(catalog),
      comment: textOrNull(about),
      columns: [],
      ...(column === null ? { parameters: String(type) } : {}),
    }
    relations.set(key, relation)
    if (column !== null)
      relation.columns.push({
        name: quoteName(String(column)),
        type: String(type),
        comment: textOrNull(comment),
      })
  }
  const rank = ({ catalog }: Relation) => Number(catalog !== 'analytics')
  return [...relations.values()].toSorted((a, b) => rank(a) - rank(b))
}
