import { createHash } from 'node:crypto'
import { shorten } from '../../http/HttpError.js'
import { internalSchema, analyticsCatalog, ownCatalog } from '../../duckdb/quote.js'
import { readBuiltIns } from '../builtIns.js'
import { allowedFunctions, allowedViews } from './allowed.js'
import { findExcess, maxTokens } from './findExcess.js'
import { findUnread, findFile } from './findUnread.js'
import { applyEdits, type Edit, Edits, quoteLine } from '../text/edits.js'
import { callAt, closingAt, operandBefore } from '../text/operands.js'
import { readHead } from '../text/readHead.js'
import {
  isSymbol,
  isUnclosed,
  isUnmatched,
  lowerName,
  type SqlToken,
  tokenize,
  withPlainSpaces,
  wordOf,
} from '../text/tokenize.js'

/** These functions of DuckDB's call themselves for each level of JSON, and deep JSON overflows its stack. */
const bounded = new Set(['json_structure', 'json_group_structure', 'json_contains'])

/** Replaces those functions by macros that check first how deep the JSON is, see `duckdb/boundedJson.ts`. */
const boundJson = (edits: Edits): string | undefined => {
  const { tokens } = edits
  for (const at of tokens.keys()) {
    const name = lowerName(tokens[at])
    if (!bounded.has(name) || callAt(tokens, at) === undefined) continue
    if (!isSymbol(tokens[at - 1], '.')) edits.replace(at, at, `${analyticsCatalog}.main.${name}`)
    else if (tokens[at - 4]?.text.toLowerCase() !== analyticsCatalog || !isSymbol(tokens[at - 3], '.'))
      return `Write ${name}(…), with nothing and no dot before it.`
  }
  return undefined
}

/** The last token of the type that begins at a token. */
const endOfType = (tokens: readonly SqlToken[], start: number): number => {
  let at = start
  while (isSymbol(tokens[at + 1], '.')) at += 2
  return isSymbol(tokens[at + 1], '(') ? closingAt(tokens, at + 1) : at
}

/**
 * Whether a statement makes a VARIANT by a cast. DuckDB 1.5.6 crashes on some uses of a VARIANT:
 * `list_sort(1::VARIANT)`, and a cast of deeply nested JSON. A column may be called `variant`.
 */
const castsToVariant = (tokens: readonly SqlToken[]): boolean =>
  tokens.some((token) => lowerName(token) === 'variant') &&
  tokens.some((token, at) => {
    // `VARIANT 'x'` is a cast as well.
    if (lowerName(token) === 'variant' && tokens[at + 1]?.kind === 'text') return true
    const isType =
      (isSymbol(token, ':') && isSymbol(tokens[at - 1], ':')) ||
      (wordOf(token) === 'as' && /^(try_)?cast$/.test(wordOf(tokens[token.around - 1])))
    const type = isType ? tokens.slice(at + 1, endOfType(tokens, at + 1) + 1) : []
    return type.some((each) => lowerName(each) === 'variant')
  })

export interface Guarded {
  /** The statement without its trailing semicolons and comments, its JSON arrows mended. */
  text: string
  /** The tokens of the statement as it was given, and what the guard has edited in it. */
  tokens: readonly SqlToken[]
  edits: readonly Edit[]
}

/** Why a statement is not run, and at which of its characters that begins. */
export interface Problem {
  problem: string
  place?: number | undefined
}

/** `PRAGMA database_list` without the paths of the files. */
const databaseList =
  'SELECT database_oid AS seq, database_name AS name, NULL::VARCHAR AS file FROM duckdb_databases() WHERE NOT internal ORDER BY seq'
/** `duckdb_databases()` without the paths, by which tools look for a catalog. */
const databases =
  '(SELECT database_name, database_oid, NULL::VARCHAR AS path, comment, tags, internal, type, readonly FROM system.main.duckdb_databases() WHERE NOT internal)'
const copying = new Set(['copy', 'export', 'import', 'attach', 'detach', 'install', 'load'])

/**
 * These may follow EXPLAIN, though EXPLAIN ANALYZE carries them out. The words of the second line may
 * follow a query in brackets.
 */
const explained = new Set(
  (
    'select with from values table pivot pivot_wider pivot_longer unpivot describe desc show summarize call ' +
    'union intersect except order limit offset ' +
    'insert update delete merge truncate create drop alter'
  ).split(' '),
)

/** The rest of the guard reads what stands inside of which bracket, so all must have their other half. */
const findUnmatched = (sql: string, tokens: readonly SqlToken[]): Problem | undefined => {
  const found = tokens.find(isUnmatched)
  if (found === undefined) return undefined
  const lines = sql.slice(0, found.start).split('\n')
  const place = { line: lines.length, column: [...lines.at(-1)!].length + 1 }
  const what = isUnclosed(found) ? 'is not closed' : 'closes nothing'
  return { problem: `The bracket ${found.text} ${what}.${quoteLine(sql, place)}`, place: found.start }
}

/** Values stay as they are: at one of them DuckDB may give up, and at another not. */
const keyOf = (tokens: readonly SqlToken[]): string => {
  const words = tokens.map(({ kind, text }) => (kind === 'word' ? text.toLowerCase() : text))
  while (words.at(-1) === ';') words.pop()
  return createHash('sha256').update(words.join('\u0000')).digest('base64url')
}

/** Whether `duckdb_databases()` stands here just so: it is replaced by `databases`. */
const listsDatabases = (tokens: readonly SqlToken[], at: number): boolean =>
  wordOf(tokens[at]) === 'duckdb_databases' &&
  tokens[at - 1]?.text !== '.' &&
  isSymbol(tokens[at + 1], '(') &&
  isSymbol(tokens[at + 2], ')')

const replaceDatabases = (edits: Edits): void => {
  for (const at of edits.tokens.keys())
    if (listsDatabases(edits.tokens, at)) edits.replace(at, at + 2, databases)
}

/** Behind INTO and REFERENCES a name with brackets is a table with its columns, and never a call. */
const isTableName = (tokens: readonly SqlToken[], at: number): boolean => {
  let first = at
  while (isSymbol(tokens[first - 1], '.')) first -= 2
  return /^(into|references)$/.test(wordOf(tokens[first - 1]))
}

/**
 * Whether a name is one of the service's own views and macros for Postgres clients. A column and an alias may be called
 * so, too, and a call behind them is one of DuckDB's functions.
 */
const standsInPg = (tokens: readonly SqlToken[], at: number): boolean =>
  isSymbol(tokens[at - 1], '.') &&
  /^pg(_|$)/.test(lowerName(tokens[at - 2])) &&
  isSymbol(tokens[at - 3], '.') &&
  lowerName(tokens[at - 4]) === ownCatalog

/**
 * Reads a statement before DuckDB does. The engine's settings are the first wall. The guard refuses
 * what they let through: functions that reach the engine's own files, that change its settings from
 * inside a SELECT, or that run SQL from a text. It allows only those of DuckDB's own functions and
 * views that are on its lists.
 */
export class Guard {
  readonly #functions: ReadonlySet<string>
  readonly #views: ReadonlySet<string>
  #refused: ReadonlyMap<string, string> = new Map()

  private constructor(functions: ReadonlySet<string>, views: ReadonlySet<string>) {
    this.#functions = functions
    this.#views = views
  }

  /** Asks DuckDB for all functions and views that it has. */
  static async open(): Promise<Guard> {
    const { functions, views } = await readBuiltIns()
    const refused = (names: Iterable<string>, allowed: ReadonlySet<string>) =>
      new Set([...names].filter((name) => !allowed.has(name)))
    // The name of an operator has no letter, and an operator is no call.
    const called = functions.map(([name]) => name).filter((name) => /[a-z]/.test(name))
    return new Guard(refused(called, allowedFunctions), refused(views, allowedViews))
  }

  /** What tells a statement from others, whatever its spaces, comments and case. */
  keyOf(sql: string): string {
    return keyOf(tokenize(sql, maxTokens).tokens)
  }

  /** From now on refuses the statements of these keys, each with a reason. */
  refuse(statements: readonly (readonly [key: string, reason: string])[]): void {
    this.#refused = new Map(statements)
  }

  /** `isRewritten`: whether the service has put names of its own into what a client of Postgres has sent. */
  check(sql: string, isRewritten = false): Guarded | Problem {
    const { tokens, problem, place } = tokenize(sql, maxTokens)
    if (problem !== undefined) return { problem, place }
    // Its macros say nothing of how long DuckDB plans what calls one in another.
    if (!isRewritten && tokens.some((token) => lowerName(token) === ownCatalog))
      return { problem: `${ownCatalog} belongs to the service.` }
    while (isSymbol(tokens.at(-1), ';')) tokens.pop()
    const [first] = tokens
    if (first === undefined) return { problem: 'The statement is empty.' }
    const statements = tokens.filter((token) => isSymbol(token, ';')).length + 1
    if (statements > 1) return { problem: `Send one statement at a time, not ${statements}.` }
    const isPragma = /^pragma$/i.test(first.text)
    if (isPragma && tokens.length === 2 && /^database_list$/i.test(tokens[1]!.text))
      return { text: databaseList, tokens, edits: [] }
    const refused = this.#refused.size === 0 ? undefined : this.#refused.get(keyOf(tokens))
    if (refused !== undefined) return { problem: refused }
    const unmatched = findUnmatched(sql, tokens)
    if (unmatched !== undefined) return unmatched
    const excess = findExcess(tokens)
    const found = excess === undefined ? this.#findProblem(tokens) : { problem: excess }
    if (found !== undefined) return found
    const edits = new Edits(tokens)
    const unbound = boundJson(edits)
    if (unbound !== undefined) return { problem: unbound }
    replaceDatabases(edits)
    mendArrows(edits)
    const plain = withPlainSpaces(sql, tokens).slice(0, tokens.at(-1)!.end)
    const all = edits.list()
    return { text: applyEdits(plain, all).slice(first.start), tokens, edits: all }
  }

  #findProblem(tokens: readonly SqlToken[]): Problem | undefined {
    const { verb, object, nameAt } = readHead(tokens)
    const newRelationAt = verb === 'create' && /^(table|view)$/.test(object) ? nameAt : -1
    for (const [at, token] of tokens.entries()) {
      const name = lowerName(token)
      if (name === '' || listsDatabases(tokens, at)) continue
      const call = callAt(tokens, at)
      const isCall = call !== undefined && at !== newRelationAt && !isTableName(tokens, at)
      const isPragma = verb === 'pragma' && at === 1
      if ((isCall || isPragma) && this.#functions.has(name))
        return { problem: `The function ${name} is not allowed here.`, place: token.start }
      const isOfPostgres = standsInPg(tokens, at)
      if (this.#views.has(name) && !isOfPostgres)
        return {
          problem: `${name} is not allowed here. SHOW DATABASES lists the catalogs.`,
          place: token.start,
        }
      const unread =
        call && !(isOfPostgres && name === 'current_setting') ? findUnread(tokens, call, name) : undefined
      if (unread !== undefined) return { problem: unread, place: token.start }
      if (name === internalSchema)
        return { problem: `The schema ${internalSchema} belongs to the service.`, place: token.start }
    }
    const file = findFile(tokens)
    if (file !== undefined) {
      return { problem: `Files cannot be read here: ${shorten(file, 200)}. Bring them in by /upload.` }
    }
    if (copying.has(verb)) return { problem: `${verb.toUpperCase()} is not allowed here.` }
    const isExplain = /^explain$/i.test(tokens[0]!.text)
    if (isExplain && verb !== '' && !explained.has(verb))
      return { problem: `EXPLAIN of ${verb.toUpperCase()} is not allowed here.` }
    if (object === 'secret') return { problem: 'Secrets are not allowed here.' }
    if (castsToVariant(tokens)) return { problem: 'A cast to VARIANT is not allowed here: cast to JSON.' }
    return undefined
  }
}

/** The number of tokens in the arrow that begins here: 2 for `->`, 3 for `->>`, 0 without an arrow. */
const arrowLength = (tokens: readonly SqlToken[], at: number): number => {
  const joined = (offset: number) =>
    isSymbol(tokens[at + offset], '>') && tokens[at + offset]!.start === tokens[at]!.start + offset
  if (!isSymbol(tokens[at], '-') || !joined(1)) return 0
  return joined(2) ? 3 : 2
}

const isKey = (token: SqlToken | undefined) =>
  token?.kind === 'text' || (token?.kind === 'symbol' && /^\d+$/.test(token.text))

/**
 * Makes `properties->>'a' = '1'` mean what its author meant. DuckDB binds `->>` weaker than `=` and takes
 * `'$url'` for a JSON path, so arrows with their keys are put into brackets, and a key that begins with $
 * is written as a path. This is done only for keys that are written out, because there the other reading,
 * which compares the key first, makes no sense.
 */
export const mendArrows = (edits: Edits): void => {
  const { tokens } = edits
  for (let at = 0; at < tokens.length; at++) {
    let length = arrowLength(tokens, at)
    if (length === 0) continue
    // A text or number has no keys.
    const isName = tokens[at - 1]?.kind !== 'text' && !/^\d/.test(tokens[at - 1]?.text ?? '')
    const start = isName ? operandBefore(tokens, at - 1) : undefined
    if (start === undefined) continue
    const keys: number[] = []
    let asText = false
    for (; length > 0 && isKey(tokens[at + length]); length = arrowLength(tokens, at)) {
      asText ||= length === 3
      keys.push(at + length)
      at += length + 1
    }
    // `x -> 'a'` may be a lambda that returns a text, so `->` alone is left as it is.
    if (!asText) continue
    edits.before(start, '(')
    for (const key of keys) {
      const { text } = tokens[key]!
      if (/^'\$[A-Za-z_]\w*'$/.test(text)) edits.replace(key, key, `'$."${text.slice(1, -1)}"'`)
    }
    edits.after(keys.at(-1)!, ')')
  }
}
