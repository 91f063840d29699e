import type { DuckDBConnection } from '@duckdb/node-api'
import { isName, isSymbol, type SqlToken, wordOf } from '../text/tokenize.js'
import { quoteIdentifier } from '../../duckdb/quote.js'
import { renewReadOnly } from '../../duckdb/transactions.js'
import type { Guard } from '../guard/Guard.js'

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

/** Something that has columns: a stored relation by its path, or a query by its text. */
export interface Relation {
  name: string
  path?: readonly string[]
  body?: string
  /** Whether it stands in a WITH: what follows may then name it as a table. */
  isCommon: boolean
  /** How many brackets are open around it; undefined when one of them is closed again. */
  depth: number | undefined
}

const before = new Set('from join into update table'.split(' '))
const keywords = new Set(
  'where on using join left right inner full cross semi anti asof natural positional order group having limit offset set values as select union except intersect qualify window returning'.split(
    ' ',
  ),
)

type Found = Omit<Relation, 'depth'>

/** Finds the relations that a statement names and the calls that it reads from, in order, with their aliases. */
export const findRelations = (statement: string, tokens: readonly SqlToken[]): Relation[] => {
  const wordAt = (at: number) => wordOf(tokens[at])
  const nameAt = (at: number): string | undefined => {
    const token = tokens[at]
    return isName(token) && !keywords.has(wordOf(token)) ? token.text : undefined
  }
  /** Where the bracket closes that opens here. */
  const closing = (at: number): number | undefined => {
    const pair = isSymbol(tokens[at], '(') ? tokens[at]!.pair : -1
    return pair < 0 ? undefined : pair
  }
  const bodyAt = (at: number): string | undefined => {
    const end = closing(at)
    return end === undefined ? undefined : statement.slice(tokens[at]!.end, tokens[end]!.start)
  }
  const aliasAt = (at: number) => nameAt(wordAt(at) === 'as' ? at + 1 : at)

  const common = (at: number): Found | undefined => {
    const name = nameAt(at)
    if (name === undefined) return undefined
    let next = (closing(at + 1) ?? at) + 1
    if (wordAt(next) !== 'as') return undefined
    for (next++; /^(not|materialized)$/.test(wordAt(next)); next++);
    const body = bodyAt(next)
    return body === undefined ? undefined : { name, body, isCommon: true }
  }
  const plain = (at: number): Found | undefined => {
    const body = bodyAt(at)
    const afterComma = isSymbol(tokens[at - 1], ',')
    if (body !== undefined) {
      const name = aliasAt(closing(at)! + 1)
      return name === undefined ? undefined : { name, body, isCommon: false }
    }
    const path: string[] = []
    let next = at
    for (; nameAt(next) !== undefined; next += 2) {
      path.push(nameAt(next)!)
      if (!isSymbol(tokens[next + 1], '.')) break
    }
    const closes = closing(next + 1)
    if (path.length > 0 && closes !== undefined && /^(from|join)$/.test(wordAt(at - 1))) {
      const call = statement.slice(tokens[at]!.start, tokens[closes]!.end)
      return { name: aliasAt(closes + 1) ?? path.at(-1)!, body: `FROM ${call}`, isCommon: false }
    }
    const alias = aliasAt(next + 1)
    // After a comma a name may be a column too. It is a relation only when an alias follows.
    if (path.length === 0 || (afterComma && alias === undefined)) return undefined
    return { name: alias ?? path.at(-1)!, path, isCommon: false }
  }

  const found: Relation[] = []
  for (const [at, { around, depth }] of tokens.entries()) {
    const isComma = isSymbol(tokens[at], ',')
    const withBefore = wordAt(at) === 'with' || wordAt(at) === 'recursive'
    const relation =
      (isComma || withBefore ? common(at + 1) : undefined) ??
      (isComma || before.has(wordAt(at)) ? plain(at + 1) : undefined)
    // A bracket is closed only after all that were opened inside it.
    const isClosed = (tokens[around]?.pair ?? -1) >= 0
    if (relation !== undefined) found.push({ ...relation, depth: isClosed ? undefined : depth })
  }
  return found
}
