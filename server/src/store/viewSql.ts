import { quoteIdentifier, quoteText } from './quote.js'

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
