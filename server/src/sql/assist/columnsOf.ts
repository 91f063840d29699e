import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../../store/quote.js'
import { renewReadOnly } from '../../store/readOnly.js'
import type { Guard } from '../guard/Guard.js'
import type { Relation } from './findRelations.js'

/** Longer statements are not given to DuckDB to find out what their names stand for. */
const maxLength = 10_000

/** The columns of a relation, which may name those of a WITH among the others. */
export const columnsOf = async (
  connection: DuckDBConnection,
  guard: Guard,
  { relation, among }: { relation: Relation; among: readonly Relation[] },
): Promise<string[]> => {
  // A WITH may name those before it.
  const until = relation.isCommon ? among.indexOf(relation) : among.length
  const common = among.slice(0, until).filter(({ isCommon }) => isCommon)
  const source = relation.path?.map(quoteIdentifier).join('.') ?? `(${relation.body}\n)`
  const withs = common.map(({ name, body }) => `${quoteIdentifier(name)} AS (${body}\n)`)
  const text = `DESCRIBE ${withs.length === 0 ? '' : `WITH ${withs.join(', ')} `}FROM ${source}`
  if (text.length > maxLength) return []
  const guarded = guard.check(text)
  // To know the columns of a PIVOT takes more than a look.
  if ('problem' in guarded || /\bpivot/i.test(text)) return []
  try {
    const reader = await connection.runAndReadAll(guarded.text)
    return reader.getRows().map(([column]) => column as string)
  } catch {
    await renewReadOnly(connection)
    return []
  }
}
