import { StatementType } from '@duckdb/node-api'

/** What changes a catalog or explains such a change: it runs in a transaction bound to one catalog. */
export const changing: ReadonlySet<StatementType> = new Set([
  StatementType.INSERT,
  StatementType.UPDATE,
  StatementType.DELETE,
  StatementType.MERGE_INTO,
  StatementType.CREATE,
  StatementType.CREATE_FUNC,
  StatementType.DROP,
  StatementType.ALTER,
  StatementType.EXPLAIN,
])

/** The statement's kind in words, for the refusal of a kind that is not allowed. */
export const statementName = (type: StatementType): string =>
  (StatementType[type] ?? 'this').toLowerCase().replaceAll('_', ' ')
