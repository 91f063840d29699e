import type { DuckDBConnection } from '@duckdb/node-api'
import { definitionChanges } from '../../duckdb/transactions.js'
import { readBuiltIns } from '../builtIns.js'
import { readHead } from '../text/readHead.js'
import { isSymbol, type SqlToken, tokenize } from '../text/tokenize.js'

/**
 * DuckDB calls these CONSISTENT. But `age` of one moment counts from today, two others tell the time, and the last two
 * what belongs to the connection.
 */
const wronglyConsistent = 'age current_localtime current_localtimestamp current_setting getvariable'.split(
  ' ',
)

/** DuckDB calls it VOLATILE to have it called at all. It answers nothing, and no failure is ever kept. */
const wronglyVolatile = 'error'

/**
 * DuckDB does not say which of its table functions are consistent. These are; `read_parquet` can only stand in the
 * service's own view of the archive, whose files never change.
 */
const consistentTables = new Set(
  'range generate_series unnest json_each json_tree repeat repeat_row read_parquet'.split(' '),
)

/** Calls without brackets, and words that choose rows at random or list what a catalog or connection holds. */
const volatileWords = new Set(
  (
    'current_date current_time current_timestamp localtime localtimestamp current_catalog current_schema ' +
    'sample tablesample show describe summarize pragma'
  ).split(' '),
)

const readingVerbs = new Set(['', 'select', 'with', 'from', 'values', 'pivot', 'unpivot', 'table'])

/** A computed column may be volatile, so a table with one is looked at like a view. */
const definitionsSql = `
  SELECT lower(function_name), coalesce(macro_definition, '') FROM system.main.duckdb_functions() WHERE NOT internal
  UNION ALL SELECT lower(view_name), coalesce(sql, '') FROM system.main.duckdb_views() WHERE NOT internal
  UNION ALL SELECT lower(table_name), sql FROM system.main.duckdb_tables() WHERE contains(upper(sql), 'GENERATED')`

type Names = ReadonlySet<string>
interface Definition {
  name: string
  tokens: readonly SqlToken[]
}

/** A text is the name of a table in `FROM 'table'`; the guard refuses one with escapes there. */
const nameOf = ({ kind, text }: SqlToken): string =>
  (kind === 'text' ? text.replace(/^'|'$|^\$\w*\$|\$\w*\$$/g, '').replaceAll("''", "'") : text).toLowerCase()

/** Adds the names of the definitions that use a volatile one, also through others. */
const closeOver = (
  definitions: readonly Definition[],
  isVolatile: (tokens: readonly SqlToken[]) => boolean,
) => {
  const found = new Set<string>()
  let before = -1
  while (found.size !== before) {
    before = found.size
    for (const { name, tokens } of definitions) {
      if (!found.has(name) && (isVolatile(tokens) || tokens.some((token) => found.has(nameOf(token)))))
        found.add(name)
    }
  }
  return found
}

const asDefinition = (name: string, sql: string): Definition => {
  const { tokens, problem } = tokenize(sql)
  // What cannot be read counts as volatile.
  return { name, tokens: problem === undefined ? tokens : tokenize('sample').tokens }
}

/**
 * Decides which statements may answer differently although nothing that is stored has changed: by the clock, at
 * random, by a sequence, or by what belongs to the connection. It goes by names, so a column that is called like a
 * volatile view counts, too.
 */
export class Volatility {
  readonly #functions: Set<string>
  readonly #views: Names
  #defined: { names: Names; at: number } | undefined

  private constructor(functions: Set<string>, views: Names) {
    this.#functions = functions
    this.#views = views
  }

  /** Asks DuckDB for all functions and views that it has. */
  static async open(): Promise<Volatility> {
    const { functions: rows, views } = await readBuiltIns()
    const functions = new Set(wronglyConsistent)
    for (const [name, type, stability] of rows) {
      const isPlain = type === 'scalar' || type === 'aggregate'
      const isMacro = type === 'macro' || type === 'table_macro'
      if (isPlain ? stability !== 'CONSISTENT' : !isMacro && !consistentTables.has(name)) functions.add(name)
    }
    functions.delete(wronglyVolatile)
    const volatility = new Volatility(functions, views)
    const macros = rows.filter(([, type]) => type.endsWith('macro'))
    const definitions = macros.map(([name, , , definition]) => asDefinition(name, definition))
    for (const name of closeOver(definitions, (tokens) => volatility.#isBuiltIn(tokens))) functions.add(name)
    return volatility
  }

  /** Reads the definitions of views and macros when one may have changed. */
  async isVolatile(connection: DuckDBConnection, tokens: readonly SqlToken[]): Promise<boolean> {
    if (!readingVerbs.has(readHead(tokens).verb)) return true
    if (this.#isBuiltIn(tokens)) return true
    const at = definitionChanges.count
    if (at === undefined) return true
    if (this.#defined?.at !== at) {
      const rows = (await connection.runAndReadAll(definitionsSql)).getRows() as [string, string][]
      const definitions = rows.map(([name, sql]) => asDefinition(name, sql))
      this.#defined = { names: closeOver(definitions, (each) => this.#isBuiltIn(each)), at }
    }
    const { names } = this.#defined
    return definitionChanges.count !== at || tokens.some((token) => names.has(nameOf(token)))
  }

  #isBuiltIn(tokens: readonly SqlToken[]): boolean {
    return tokens.some((token, at) => {
      if (token.kind === 'symbol') return false
      const name = nameOf(token)
      if (this.#views.has(name)) return true
      if (token.kind === 'word' && volatileWords.has(name)) return true
      return isSymbol(tokens[at + 1], '(') && this.#functions.has(name)
    })
  }
}
