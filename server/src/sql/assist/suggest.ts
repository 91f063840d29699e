import type { DuckDBConnection } from '@duckdb/node-api'
import { internalSchema } from '../../store/lakehouseSchema.js'
import type { Guard } from '../guard/Guard.js'
import { tokenize } from '../guard/tokenize.js'
import { findRelations, type Relation } from './findRelations.js'
import { suggestAfterDot } from './suggestAfterDot.js'
import { trimStatement } from './trimStatement.js'

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

const ofDuckdb = async (connection: DuckDBConnection, statement: string): Promise<Suggestion[]> => {
  const trimmed = trimStatement(statement)
  if (trimmed === undefined) return []
  // The service's own tables are left out, unless others are called the same.
  const reader = await connection.runAndReadAll(
    `SELECT suggestion, suggestion_start, suggestion_type, suggestion_score, extra_char FROM sql_auto_complete($1)
     WHERE trim(suggestion, ' "') <> '${internalSchema}' AND (suggestion_type NOT IN ('table', 'column')
       OR trim(suggestion, ' "') NOT IN (
         SELECT unnest([table_name, column_name]) FROM system.main.duckdb_columns() WHERE schema_name = '${internalSchema}'
         EXCEPT SELECT unnest([table_name, column_name]) FROM system.main.duckdb_columns()
           WHERE schema_name <> '${internalSchema}' AND schema_name <> 'raw'))`,
    [trimmed],
  )
  const cutBytes = Buffer.byteLength(statement) - Buffer.byteLength(trimmed)
  return reader.getRows().map(([suggestion, start, type, score, extra]) => ({
    suggestion: suggestion as string,
    suggestion_start: Math.max(0, (start as number) + cutBytes),
    suggestion_type: type as string,
    suggestion_score: Number(score),
    extra_char: extra as string | null,
  }))
}

/** No name is longer; a longer text need not be looked through. */
const maxName = 200
const wordAtEnd = (statement: string) => /[A-Za-z_]\w*$/.exec(statement.slice(-maxName))?.[0] ?? ''

/** DuckDB stops at a hundred; columns, tables and functions that begin alike fill the rest. */
const more = async (connection: DuckDBConnection, statement: string, most: number): Promise<Suggestion[]> => {
  const begun = wordAtEnd(statement)
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT name, kind FROM (
       SELECT column_name AS name, 'column' AS kind FROM information_schema.columns
         WHERE table_schema <> '${internalSchema}'
       UNION ALL SELECT table_name, 'table' FROM information_schema.tables WHERE table_schema <> '${internalSchema}'
       UNION ALL SELECT function_name, 'scalar_function' FROM duckdb_functions() WHERE function_type = 'scalar'
     ) WHERE starts_with(lower(name), lower($1)) AND regexp_full_match(name, '\\w+') ORDER BY kind, name LIMIT $2`,
    [begun, most],
  )
  const start = Buffer.byteLength(statement) - begun.length
  return reader.getRows().map(([found, kind]) => own(found as string, kind as string, start, 10))
}

/** What the statement itself has given a name to. */
const ofStatement = (statement: string, relations: readonly Relation[]): Suggestion[] => {
  const begun = wordAtEnd(statement)
  const start = Buffer.byteLength(statement) - begun.length
  const isSource = /\b(?:from|join)\s*$/i.test(statement.slice(0, statement.length - begun.length).slice(-20))
  return relations
    .filter(({ isCommon, path, name }) => (isSource ? isCommon : path?.at(-1) !== name))
    .filter(({ name }) => name !== begun && name.toLowerCase().startsWith(begun.toLowerCase()))
    .filter(() => isSource || begun !== '')
    .map(({ name }) => own(name, 'table', start))
}

/** What could stand where the statement ends, the best first. */
export const suggest = async (
  connection: DuckDBConnection,
  guard: Guard,
  statement: string,
  most: number,
): Promise<Suggestion[]> => {
  if (most === 0) return []
  const { tokens } = tokenize(statement)
  const relations = findRelations(statement, tokens)
  const dot = await suggestAfterDot(connection, guard, statement, tokens, relations)
  const start = dot === undefined ? 0 : Buffer.byteLength(statement.slice(0, dot.start))
  const found = dot?.names.map(([name, type]) => own(name, type, start)) ?? []
  if (found.length === 0) {
    found.push(...ofStatement(statement, relations), ...(await ofDuckdb(connection, statement)))
    if (found.length < most) found.push(...(await more(connection, statement, most)))
  }
  const seen = new Set<string>()
  const unique = found.filter(({ suggestion }) => {
    const key = suggestion.trim().toLowerCase()
    return seen.has(key) ? false : seen.add(key)
  })
  return unique.slice(0, most)
}
