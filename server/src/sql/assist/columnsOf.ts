import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../../store/quote.js'
import { renewReadOnly } from '../../store/readOnly.js'
import type { Guard } from '../guard/Guard.js'
import type { Relation } from './findRelations.js'

/** DuckDB is not asked about the columns of longer statements, so that a suggestion stays quick. */
const maxLength = 10_000

/** The columns of a relation. Its text may name relations of a WITH, which are found in `among`. */
export const columnsOf = async (
  connection: DuckDBConnection,
  guard: Guard,
  { relation, among }: { relation: Relation; among: readonly Relation[] },
): Promise<string[]> => {
  // A relation of a WITH may name the relations before it in that WITH.
  const until = relation.isCommon ? among.indexOf(relation) : among.length
  const common = among.slice(0, until).filter(({ isCommon }) => isCommon)
  const source = relation.path?.map(quoteIdentifier).join('.') ?? `(${relation.body}\n)`
  const withs = common.map(({ name, body }) => `${quoteIdentifier(name)} AS (${body}\n)`)
  const text = `DESCRIBE ${withs.length === 0 ? '' : `WITH ${withs.join(', ')} `}FROM ${source}`
  if (text.length > maxLength) return []
  const guarded = guard.check(text)
  // DuckDB must run part of a PIVOT to know its columns.
  if ('problem' in guarded || /\bpivot/i.test(text)) return []
  try {
    const reader = await connection.runAndReadAll(guarded.text)
    return reader.getRows().map(([column]) => column as string)
  } catch {
    await renewReadOnly(connection)
    return []
  }
}
