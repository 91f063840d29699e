import type { DuckDBConnection } from '@duckdb/node-api'
import { shorten } from '../../json/shorten.js'
import { internalSchema } from '../../store/lakehouseSchema.js'
import { findExcess, maxTokens } from './findExcess.js'
import { findFile } from './findFile.js'
import { mendArrows } from './mendArrows.js'
import { readHead } from './readHead.js'
import { tokenize, type SqlToken, withPlainSpaces } from './tokenize.js'

export interface Guarded {
  /** The statement without its trailing semicolons and comments, its JSON arrows mended. */
  text: string
  tokens: readonly SqlToken[]
}

/** Table functions that only look at data or the catalog. All others are refused, new ones included. */
const harmless = new Set(
  (
    'range generate_series unnest repeat repeat_row json_each json_tree histogram histogram_values summary ' +
    'duckdb_columns duckdb_constraints duckdb_dependencies duckdb_functions duckdb_indexes ' +
    'duckdb_keywords duckdb_schemas duckdb_sequences duckdb_tables duckdb_types duckdb_variables duckdb_views ' +
    'pragma_table_info pragma_show pragma_storage_info pragma_version pragma_platform pragma_user_agent ' +
    'pragma_collations pragma_database_size table_info storage_info show show_tables show_databases ' +
    'show_tables_expanded version platform user_agent collations functions database_list database_size ' +
    'icu_calendar_names pg_timezone_names test_all_types test_vector_types seq_scan'
  ).split(' '),
)
const alwaysRefused = ['write_log', 'json_deserialize_sql']
/** Views that show where the service keeps its files. Those of the schema `pg`, for Postgres' clients, do not. */
const telling = new Set(['duckdb_databases', 'pragma_database_list', 'pg_settings'])
/** Settings whose values are nothing but the engine's own affairs. */
const harmlessSettings = new Set(
  'timezone calendar search_path schema threads worker_threads memory_limit max_memory'.split(' '),
)
/** `PRAGMA database_list` without the places of the files. */
const databaseList =
  'SELECT database_oid AS seq, database_name AS name, NULL::VARCHAR AS file FROM duckdb_databases() WHERE NOT internal ORDER BY seq'
const copying = new Set(['copy', 'export', 'import', 'attach', 'detach', 'install', 'load'])

/** What may stand behind EXPLAIN, which ANALYZE carries out; the second line follows a query in brackets. */
const explained = new Set(
  (
    'select with from values table pivot pivot_wider pivot_longer unpivot describe desc show summarize call ' +
    'union intersect except order limit offset ' +
    'insert update delete merge truncate create drop alter'
  ).split(' '),
)

const nameOf = (token: SqlToken | undefined): string | undefined =>
  token !== undefined && (token.kind === 'word' || token.kind === 'name')
    ? token.text.toLowerCase()
    : undefined

const isHarmlessSetting = (token: SqlToken | undefined): boolean =>
  token?.kind === 'text' && harmlessSettings.has(token.text.slice(1, -1).toLowerCase())

/** Behind these words stands the name of a table with its columns, and never a call. */
const isTableName = (tokens: readonly SqlToken[], at: number): boolean => {
  let first = at
  while (tokens[first - 1]?.text === '.') first -= 2
  const before = tokens[first - 1]
  return before?.kind === 'word' && /^(into|references)$/i.test(before.text)
}

/**
 * Reads a statement before DuckDB does. The engine's settings are the first wall; this one refuses
 * what they let through: functions that reach the engine's own files, that change its settings from
 * inside a SELECT, or that run SQL from a text.
 */
export class Guard {
  readonly #refused: ReadonlySet<string>

  private constructor(refused: ReadonlySet<string>) {
    this.#refused = refused
  }

  /** Asks the engine for all functions that it has. */
  static async open(connection: DuckDBConnection): Promise<Guard> {
    const reader = await connection.runAndReadAll(
      `SELECT DISTINCT lower(function_name) FROM duckdb_functions()
       WHERE internal AND function_type IN ('table', 'table_macro', 'pragma')`,
    )
    const refused = new Set([...reader.getRows().map(([name]) => name as string), ...alwaysRefused])
    for (const name of harmless) refused.delete(name)
    return new Guard(refused)
  }

  check(sql: string): Guarded | { problem: string } {
    const { tokens, problem } = tokenize(sql, maxTokens)
    if (problem !== undefined) return { problem }
    while (tokens.at(-1)?.text === ';' && tokens.at(-1)?.kind === 'symbol') tokens.pop()
    const [first] = tokens
    if (first === undefined) return { problem: 'The statement is empty.' }
    const statements = tokens.filter((token) => token.kind === 'symbol' && token.text === ';').length + 1
    if (statements > 1) return { problem: `Send one statement at a time, not ${statements}.` }
    const found = findExcess(tokens) ?? this.#findProblem(tokens)
    if (found !== undefined) return { problem: found }
    const isDatabaseList = /^pragma$/i.test(first.text) && /^database_list$/i.test(tokens[1]?.text ?? '')
    const plain = withPlainSpaces(sql, tokens)
    const text = mendArrows(plain.slice(first.start, tokens.at(-1)!.end), tokens)
    return { text: isDatabaseList && tokens.length === 2 ? databaseList : text, tokens }
  }

  #findProblem(tokens: readonly SqlToken[]): string | undefined {
    const { verb, object, nameAt } = readHead(tokens)
    const newRelationAt = verb === 'create' && /^(table|view)$/.test(object) ? nameAt : -1
    for (const [at, token] of tokens.entries()) {
      const name = nameOf(token)
      if (name === undefined) continue
      const called = tokens[at + 1]?.text === '(' && tokens[at + 1]?.kind === 'symbol'
      const isCall = called && at !== newRelationAt && !isTableName(tokens, at)
      if (isCall && this.#refused.has(name)) return `The function ${name} is not allowed here.`
      const isOfPostgres = tokens[at - 1]?.text === '.' && nameOf(tokens[at - 2]) === 'pg'
      if (telling.has(name) && !isOfPostgres)
        return `${name} is not allowed here. SHOW DATABASES lists the catalogs.`
      if (name === 'current_setting' && called && !isOfPostgres && !isHarmlessSetting(tokens[at + 2])) {
        return 'current_setting takes one of these names here: ' + [...harmlessSettings].join(', ') + '.'
      }
      if (name === internalSchema) return `The schema ${internalSchema} belongs to the service.`
    }
    const file = findFile(tokens)
    if (file !== undefined) {
      return `Files cannot be read here: ${shorten(file, 200)}. Bring them in by /upload.`
    }
    if (copying.has(verb)) return `${verb.toUpperCase()} is not allowed here.`
    const isExplain = /^explain$/i.test(tokens[0]!.text)
    if (isExplain && verb !== '' && !explained.has(verb))
      return `EXPLAIN of ${verb.toUpperCase()} is not allowed here.`
    if (object === 'secret') return 'Secrets are not allowed here.'
    return undefined
  }
}
