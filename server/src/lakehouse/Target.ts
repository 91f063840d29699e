import { quoteIdentifier } from '../store/quoteIdentifier.js'

/** A table, there or not yet. */
export interface Target {
  catalog: string
  schema: string
  table: string
}

export const tableSql = ({ catalog, schema, table }: Target): string =>
  [catalog, schema, table].map(quoteIdentifier).join('.')
