import { quoteText } from '../../duckdb/quote.js'

/** A table macro of the catalog `analytics`. In its SQL a bare name may be a parameter, so columns are qualified. */
export interface TableMacro {
  name: string
  comment: string
  /** A parameter that can be left out has the SQL of its default, and stands behind the others. */
  parameters: readonly (readonly [name: string, fallback?: string])[]
  columns: readonly string[]
  /** Mistakes in the arguments: a condition, and the SQL of a text that says what to write instead. */
  problems: readonly (readonly [when: string, text: string])[]
  /** The tables that the answer is computed in, one from the other. The last one, `answer`, has the columns. */
  tables: readonly (readonly [name: string, sql: string])[]
  /** The numbers of the columns that the rows are sorted by. DuckDB sorts even where nobody reads in that order. */
  order?: string
}

/**
 * Wrong arguments are reported by a row that fails, in a UNION with the answer: it is computed whatever rows
 * there are. When the arguments are right and constant, DuckDB removes it before it runs anything.
 */
const problemRow = ({ columns, problems }: TableMacro): string => {
  const cases = problems.map(([when, text]) => `WHEN ${when} THEN error(${text})::BOOLEAN`)
  const nulls = columns.map(() => 'NULL').join(', ')
  return `SELECT ${nulls} WHERE CASE ${cases.join(' ')} ELSE false END`
}

export const tableMacroSql = (macro: TableMacro): string => {
  const { name, comment, parameters, columns, tables, order } = macro
  const signature = parameters.map(([each, fallback]) =>
    fallback === undefined ? each : `${each} := ${fallback}`,
  )
  const withs = tables.map(([table, sql]) => `${table} AS (${sql})`)
  const list = columns.map((column) => `answer.${column}`).join(', ')
  return `CREATE OR REPLACE MACRO analytics.main.${name}(${signature.join(', ')}) AS TABLE
    WITH ${withs.join(', ')}
    SELECT ${list} FROM answer UNION ALL ${problemRow(macro)}${order === undefined ? '' : ` ORDER BY ${order}`};
    COMMENT ON MACRO TABLE analytics.main.${name} IS ${quoteText(comment)};`
}
