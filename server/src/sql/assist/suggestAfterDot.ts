import type { DuckDBConnection } from '@duckdb/node-api'
import { internalSchema } from '../../store/lakehouseSchema.js'
import type { Guard } from '../guard/Guard.js'
import type { SqlToken } from '../guard/tokenize.js'
import { columnsOf } from './columnsOf.js'
import type { Relation } from './findRelations.js'

interface Cursor {
  path: string[]
  begun: string
  /** Where the begun name starts in the statement. */
  start: number
}

/** Reads what stands before the end of a statement: `a.b.` and the beginning of a name. */
const readCursor = (statement: string, tokens: readonly SqlToken[]): Cursor | undefined => {
  const last = tokens.at(-1)
  if (last === undefined) return undefined
  const left = statement.slice(last.end)
  const isBegun = left === '' && (last.kind === 'word' || last.kind === 'name')
  if (left !== '' && !/^"[^"]*$/.test(left)) return undefined
  const path: string[] = []
  let at = tokens.length - (isBegun ? 2 : 1)
  for (; tokens[at]?.text === '.' && path.length < 3; at -= 2) {
    const name = tokens[at - 1]
    if (name?.kind !== 'word' && name?.kind !== 'name') break
    path.unshift(name.text)
  }
  if (path.length === 0) return undefined
  return isBegun
    ? { path, begun: last.text, start: last.start }
    : { path, begun: left.slice(1), start: last.end }
}

/** Finds what may follow `path.`: the schemas of a catalog or the tables of a schema. */
const membersOf = async (
  connection: DuckDBConnection,
  path: readonly string[],
): Promise<[string, string][]> => {
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT name, kind FROM (
       SELECT schema_name AS name, 'schema' AS kind, database_name AS a, NULL AS b FROM duckdb_schemas()
       UNION ALL
       SELECT table_name, 'table', table_catalog, table_schema FROM information_schema.tables
     ) WHERE name <> '${internalSchema}' AND coalesce(b, '') <> '${internalSchema}'
       AND (($2 = '' AND lower(a) = lower($1) AND coalesce(b, 'main') = 'main') OR ($2 = '' AND lower(b) = lower($1))
         OR (lower(a) = lower($1) AND lower(b) = lower($2))) ORDER BY 1`,
    [path[0]!, path[1] ?? ''],
  )
  return reader.getRows() as [string, string][]
}

export interface AfterDot {
  names: [name: string, type: string][]
  start: number
}

/** Suggests names after a dot, because DuckDB's own suggester does not know aliases. Undefined when there is no dot. */
export const suggestAfterDot = async (
  connection: DuckDBConnection,
  guard: Guard,
  statement: string,
  tokens: readonly SqlToken[],
  relations: readonly Relation[],
): Promise<AfterDot | undefined> => {
  const cursor = readCursor(statement, tokens)
  if (cursor === undefined) return undefined
  const { path, begun, start } = cursor
  const alias = path.at(-1)!.toLowerCase()
  const known = relations.find(({ name }) => name.toLowerCase() === alias)
  const relation = known ?? { name: alias, path, isCommon: false, depth: 0 }
  const found = await columnsOf(connection, guard, { relation, among: relations })
  const columns = found.map((column): [string, string] => [column, 'column'])
  const names = columns.length > 0 ? columns : await membersOf(connection, path)
  return { names: names.filter(([name]) => name.toLowerCase().startsWith(begun.toLowerCase())), start }
}
