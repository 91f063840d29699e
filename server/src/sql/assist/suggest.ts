import type { DuckDBConnection } from '@duckdb/node-api'
import { internalSchema } from '../../duckdb/quote.js'
import type { Guard } from '../guard/Guard.js'
import { isName, isSymbol, type SqlToken, tokenize, isUnclosed } from '../text/tokenize.js'
import { findRelations, type Relation, columnsOf } from './findRelations.js'

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
  const isBegun = left === '' && isName(last)
  if (left !== '' && !/^"[^"]*$/.test(left)) return undefined
  const path: string[] = []
  let at = tokens.length - (isBegun ? 2 : 1)
  for (; isSymbol(tokens[at], '.') && path.length < 3; at -= 2) {
    const name = tokens[at - 1]
    if (!isName(name)) break
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

export interface Suggestion {
  suggestion: string
  suggestion_start: number
  suggestion_type: string
  suggestion_score: number
  extra_char: string | null
}

const plainName = /^[a-z_][a-z0-9_]*$/
const quote = (name: string) => (plainName.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

const own = (name: string, type: string, start: number, score = 0): Suggestion => ({
  suggestion: quote(name),
  suggestion_start: start,
  suggestion_type: type,
  suggestion_score: score,
  extra_char: null,
})

/** When given, only names of this catalog are suggested. */
type Catalog = string | undefined

const ofDuckdb = async (
  connection: DuckDBConnection,
  statement: string,
  catalog: Catalog,
): Promise<Suggestion[]> => {
  const trimmed = trimStatement(statement)
  if (trimmed === undefined) return []
  // Names of the service's own tables are left out, unless a user's table has the name too.
  const reader = await connection.runAndReadAll(
    `SELECT suggestion, suggestion_start, suggestion_type, suggestion_score, extra_char FROM sql_auto_complete($1)
     WHERE trim(suggestion, ' "') <> '${internalSchema}' AND (suggestion_type NOT IN ('table', 'column')
       OR trim(suggestion, ' "') NOT IN (
         SELECT unnest([table_name, column_name]) FROM system.main.duckdb_columns() WHERE schema_name = '${internalSchema}'
         EXCEPT SELECT unnest([table_name, column_name]) FROM system.main.duckdb_columns()
           WHERE schema_name <> '${internalSchema}' AND schema_name <> 'raw'))
       AND ($2 IS NULL OR suggestion_type NOT IN ('table', 'column') OR trim(suggestion, ' "') IN (
         SELECT unnest([table_name, column_name]) FROM system.main.duckdb_columns() WHERE database_name = $2))`,
    [trimmed, catalog ?? null],
  )
  const bytes = Buffer.from(trimmed)
  /** DuckDB counts bytes in the trimmed text, whose end is the statement's end, so this counts from there. */
  const positionOf = (start: number) => statement.length - bytes.subarray(start).toString().length
  return reader.getRows().map(([suggestion, start, type, score, extra]) => ({
    suggestion: suggestion as string,
    suggestion_start: Math.max(0, positionOf(start as number)),
    suggestion_type: type as string,
    suggestion_score: Number(score),
    extra_char: extra as string | null,
  }))
}

/** Names are rarely longer. The limit keeps the search short in a long statement. */
const maxName = 200
const wordAtEnd = (statement: string) => /[A-Za-z_]\w*$/.exec(statement.slice(-maxName))?.[0] ?? ''

/** DuckDB suggests at most a hundred names, so this finds more columns, tables and functions that begin alike. */
const more = async (
  connection: DuckDBConnection,
  statement: string,
  { most, catalog }: { most: number; catalog: Catalog },
): Promise<Suggestion[]> => {
  const begun = wordAtEnd(statement)
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT name, kind FROM (
       SELECT column_name AS name, 'column' AS kind FROM information_schema.columns
         WHERE table_schema <> '${internalSchema}' AND ($3 IS NULL OR table_catalog = $3)
       UNION ALL SELECT table_name, 'table' FROM information_schema.tables
         WHERE table_schema <> '${internalSchema}' AND ($3 IS NULL OR table_catalog = $3)
       UNION ALL SELECT function_name, 'scalar_function' FROM duckdb_functions() WHERE function_type = 'scalar'
     ) WHERE starts_with(lower(name), lower($1)) AND regexp_full_match(name, '\\w+') ORDER BY kind, name LIMIT $2`,
    [begun, most, catalog ?? null],
  )
  const start = statement.length - begun.length
  return reader.getRows().map(([found, kind]) => own(found as string, kind as string, start, 10))
}

/** Suggests the names that the statement itself has given. */
const ofStatement = (statement: string, relations: readonly Relation[]): Suggestion[] => {
  const begun = wordAtEnd(statement)
  const start = statement.length - begun.length
  const isSource = /\b(?:from|join)\s*$/i.test(statement.slice(0, statement.length - begun.length).slice(-20))
  return relations
    .filter(({ isCommon, path, name }) => (isSource ? isCommon : path?.at(-1) !== name))
    .filter(({ name }) => name !== begun && name.toLowerCase().startsWith(begun.toLowerCase()))
    .filter(() => isSource || begun !== '')
    .map(({ name }) => own(name, 'table', start))
}

/** How many relations have their columns looked up: each costs DuckDB a plan. */
const maxRelations = 20

/** Suggests the columns of the relations that the statement reads from, the innermost relation first. */
const ofRelations = async (
  connection: DuckDBConnection,
  guard: Guard,
  { statement, relations }: { statement: string; relations: readonly Relation[] },
): Promise<Suggestion[]> => {
  const begun = wordAtEnd(statement)
  const start = statement.length - begun.length
  if (statement[start - 1] === '"') return []
  const visible = relations
    .filter(({ isCommon, depth }) => !isCommon && depth !== undefined)
    .toSorted((a, b) => b.depth! - a.depth!)
  const found: Suggestion[] = []
  for (const relation of visible.slice(0, maxRelations)) {
    for (const name of await columnsOf(connection, guard, { relation, among: relations })) {
      if (name.toLowerCase().startsWith(begun.toLowerCase())) found.push(own(name, 'column', start))
    }
  }
  return found
}

export interface Wanted {
  statement: string
  most: number
  /** When given, only tables and columns of this catalog are suggested, besides what the statement names. */
  catalog: Catalog
  /** Suggests no functions and keywords: in another dialect they may have other names. */
  namesOnly: boolean
}

const kindsOfNames = new Set(['catalog', 'schema', 'table', 'column'])

/** Suggests what could stand where the statement ends, the best first. */
export const suggest = async (
  connection: DuckDBConnection,
  guard: Guard,
  { statement, most, catalog, namesOnly }: Wanted,
): Promise<Suggestion[]> => {
  if (most === 0) return []
  const { tokens } = tokenize(statement)
  const relations = findRelations(statement, tokens)
  const dot = await suggestAfterDot(connection, guard, statement, tokens, relations)
  const found = dot?.names.map(([name, type]) => own(name, type, dot.start)) ?? []
  if (found.length === 0) {
    const general = await ofDuckdb(connection, statement, catalog)
    // Only DuckDB's grammar knows whether a column may stand there.
    if (general.some(({ suggestion_type: type }) => type === 'column')) {
      found.push(...(await ofRelations(connection, guard, { statement, relations })))
    }
    found.push(...ofStatement(statement, relations), ...general)
    if (found.length < most) found.push(...(await more(connection, statement, { most, catalog })))
  }
  const seen = new Set<string>()
  const unique = found.filter(({ suggestion, suggestion_type: type }) => {
    if (namesOnly && !kindsOfNames.has(type)) return false
    const key = suggestion.trim().toLowerCase()
    return seen.has(key) ? false : seen.add(key)
  })
  return unique.slice(0, most)
}

/**
 * For each bracket that is still open DuckDB's suggester takes about three times as long: 30 ms for
 * four, 0.4 s for seven, 20 s for twelve. It cannot be interrupted, and hundreds of open brackets end
 * the process. A statement of 10,000 characters takes it a tenth of a second.
 */
const maxOpen = 3
const maxDepth = 100
const maxLength = 10_000

/** Writes texts empty and names without signs, so that DuckDB cannot find a bracket inside one. */
const write = (token: SqlToken): string => {
  if (token.kind === 'text') return "''"
  return token.kind === 'name' ? `"${token.text.replaceAll(/[^\w ]/g, '_')}"` : token.text
}

const writeFrom = (tokens: readonly SqlToken[], from: number): string =>
  tokens
    .slice(from)
    .map((token, at) => {
      const before = at === 0 ? undefined : tokens[from + at - 1]
      return `${before !== undefined && before.end < token.start ? ' ' : ''}${write(token)}`
    })
    .join('')

/**
 * Cuts a statement so that DuckDB's suggester can read its end: when more than `maxOpen` brackets are
 * open, only the innermost are kept. Undefined when no part is safe, or when nothing could be suggested.
 */
export const trimStatement = (statement: string): string | undefined => {
  const { tokens, problem } = tokenize(statement)
  const left = statement.slice(tokens.at(-1)?.end ?? 0)
  // A quoted name may still be open; an open text or comment has nothing to suggest.
  if (problem !== undefined && !/^\s*"[^()[\]{}"]*$/.test(left)) return undefined
  const rest = problem === undefined ? left.replace(/\S.*/s, ' ') : left

  if (tokens.some(({ depth }) => depth >= maxDepth)) return undefined
  const start = tokens.findLastIndex((token) => isSymbol(token, ';')) + 1
  const open = [...tokens.keys()].filter((at) => at >= start && isUnclosed(tokens[at]!))
  const outer = open.length > maxOpen ? open.at(-maxOpen)! : undefined
  for (const from of [outer ?? start, open.at(-1)]) {
    if (from === undefined) break
    const text = `${from === start ? '' : 'SELECT '}${writeFrom(tokens, from)}${rest}`
    if (text.length <= maxLength) return text
  }
  return undefined
}
