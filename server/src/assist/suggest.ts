import type { DuckDBConnection } from '@duckdb/node-api'
import { internalSchema } from '../store/lakehouseSchema.js'

export interface Suggestion {
  suggestion: string
  suggestion_start: number
  suggestion_type: string
  suggestion_score: number
  extra_char: string | null
}

const plainName = /^[a-z_][a-z0-9_]*$/
const quote = (name: string) => (plainName.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
const name = String.raw`"(?:[^"]|"")*"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*`
const dotted = new RegExp(`(?:^|[^\\w".])((?:(?:${name})\\.){1,3})("?[\\w$\\u0080-\\uffff]*)$`)
const relation = new RegExp(
  `\\b(?:from|join|into|update|table)\\s+((?:${name})(?:\\s*\\.\\s*(?:${name}))*)(?:\\s+(?:as\\s+)?(${name}))?|,\\s*((?:${name})(?:\\.(?:${name}))*)\\s+(?:as\\s+)?(${name})`,
  'gi',
)
const keywords = new Set(
  'where on using join left right inner full cross order group limit set values as'.split(' '),
)

const parts = (path: string): string[] =>
  [...path.matchAll(new RegExp(name, 'g'))].map(([part]) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part,
  )

/** Which relation an alias, or the last part of a table's name, stands for in this statement. */
const relationOf = (statement: string, alias: string): string[] | undefined => {
  for (const match of statement.matchAll(relation)) {
    const path = parts(match[1] ?? match[3]!)
    const given = match[2] ?? match[4]
    const known = given === undefined || keywords.has(given.toLowerCase()) ? path.at(-1)! : parts(given)[0]!
    if (known.toLowerCase() === alias.toLowerCase()) return path
  }
  return undefined
}

const columnsOf = async (connection: DuckDBConnection, path: readonly string[]): Promise<string[]> => {
  const relationSql = path.map((part) => `"${part.replaceAll('"', '""')}"`).join('.')
  const reader = await connection.runAndReadAll(`DESCRIBE FROM ${relationSql}`).catch(() => undefined)
  return reader?.getRows().map(([column]) => column as string) ?? []
}

/** What may follow `path.`: the schemas of a catalog and the tables of a schema. */
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

/** DuckDB's own suggestions do not know what an alias stands for, so these come first. */
const afterDot = async (
  connection: DuckDBConnection,
  statement: string,
  cursor: string,
): Promise<Suggestion[]> => {
  const match = dotted.exec(cursor)
  if (match === null) return []
  const path = parts(match[1]!)
  const begun = match[2]!.replace(/^"/, '').toLowerCase()
  const start = cursor.length - match[2]!.length
  const known = relationOf(statement, path.at(-1)!) ?? path
  const columns = (await columnsOf(connection, known)).map((column): [string, string] => [column, 'column'])
  const members = columns.length > 0 ? [] : await membersOf(connection, path)
  const fitting = [...columns, ...members].filter(([each]) => each.toLowerCase().startsWith(begun))
  return fitting.map(([each, type]) => ({
    suggestion: quote(each),
    suggestion_start: Buffer.byteLength(cursor.slice(0, start)),
    suggestion_type: type,
    suggestion_score: 0,
    extra_char: null,
  }))
}

const ofDuckdb = async (connection: DuckDBConnection, statement: string): Promise<Suggestion[]> => {
  const reader = await connection.runAndReadAll(
    'SELECT suggestion, suggestion_start, suggestion_type, suggestion_score, extra_char FROM sql_auto_complete($1)',
    [statement],
  )
  return reader.getRows().map(([suggestion, start, type, score, extra]) => ({
    suggestion: suggestion as string,
    suggestion_start: start as number,
    suggestion_type: type as string,
    suggestion_score: Number(score),
    extra_char: extra as string | null,
  }))
}

const word = /[A-Za-z_]\w*$/

/** DuckDB stops at a hundred; columns, tables and functions that begin alike fill the rest. */
const more = async (connection: DuckDBConnection, statement: string, most: number): Promise<Suggestion[]> => {
  const begun = word.exec(statement)?.[0] ?? ''
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT name, kind FROM (
       SELECT column_name AS name, 'column' AS kind FROM information_schema.columns
       UNION ALL SELECT table_name, 'table' FROM information_schema.tables
       UNION ALL SELECT function_name, 'scalar_function' FROM duckdb_functions() WHERE function_type = 'scalar'
     ) WHERE starts_with(lower(name), lower($1)) AND regexp_full_match(name, '\\w+') ORDER BY kind, name LIMIT $2`,
    [begun, most],
  )
  return reader.getRows().map(([found, kind]) => ({
    suggestion: quote(found as string),
    suggestion_start: Buffer.byteLength(statement) - begun.length,
    suggestion_type: kind as string,
    suggestion_score: 10,
    extra_char: null,
  }))
}

/** What could stand where the statement ends, the best first. */
export const suggest = async (
  connection: DuckDBConnection,
  statement: string,
  most: number,
): Promise<Suggestion[]> => {
  if (most === 0) return []
  const dot = await afterDot(connection, statement, statement)
  const rest = dot.length > 0 ? [] : await ofDuckdb(connection, statement)
  const found = [...dot, ...rest]
  if (dot.length === 0 && found.length < most) found.push(...(await more(connection, statement, most)))
  const seen = new Set<string>()
  const unique = found.filter(({ suggestion }) => {
    const key = suggestion.trim().toLowerCase()
    return seen.has(key) ? false : seen.add(key)
  })
  return unique.slice(0, most)
}
