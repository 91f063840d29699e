import { applyEdits, type Edit, Edits } from '../text/edits.js'
import { argumentsOf, type Call, callAt, onlyToken } from '../text/operands.js'
import { isSymbol, newToken, placeTokens, type SqlToken, tokenize, wordOf } from '../text/tokenize.js'
import type { Dialect } from './dialects.js'
import type { Translation } from './Translator.js'

/** Functions that the transpiler writes by names which DuckDB does not know. */
const names: Readonly<Record<string, string>> = {
  endswith: 'ENDS_WITH',
  iif: 'IF',
  startswith: 'STARTS_WITH',
}

/** COUNT_IF counts null, and not 0, where no row has a value. */
const mendCount = (edits: Edits, { at, open, close }: Call): void => {
  if (wordOf(edits.tokens[open + 1]) === 'distinct') return
  edits.replace(at, open, 'COUNT(CASE WHEN ')
  edits.before(close, ' THEN 1 END')
}

const mendAt = (edits: Edits, at: number): void => {
  const { tokens } = edits
  const [word, next, , third] = [0, 1, 2, 3].map((by) => wordOf(tokens[at + by]))
  const call = callAt(tokens, at)
  if (call !== undefined && Object.hasOwn(names, word!)) edits.replace(at, at, names[word!]!)
  else if (call !== undefined && word === 'count_if') mendCount(edits, call)
  // `CAST(properties -> '$.theme' AS TEXT)` would keep the quotes of the JSON.
  else if (isSymbol(tokens[at], '-') && isSymbol(tokens[at + 1], '>')) {
    const isText =
      tokens[at + 2]?.kind === 'text' && third === 'as' && /^(text|varchar)$/.test(wordOf(tokens[at + 4]))
    const isArrow = tokens[at]!.end === tokens[at + 1]!.start
    if (isArrow && isText && isSymbol(tokens[at + 5], ')')) edits.replace(at, at + 1, '->>')
  }
  // `INTERVAL -1 DAY` cannot be read.
  else if (word === 'interval' && isSymbol(tokens[at + 1], '-')) {
    const number = tokens[at + 2]?.text ?? ''
    if (/^\d+$/.test(number)) edits.replace(at + 1, at + 2, `(-${number})`)
  } else if (word === 'from' && next === 'dual' && !/^[.,]$/.test(tokens[at + 2]?.text ?? ''))
    edits.replace(at, at + 1, '')
}

/** Rewrites what the transpiler writes and DuckDB cannot read, or reads as another thing. */
export const mendTranslation = (statement: string): string => {
  const { tokens, problem } = tokenize(statement)
  // The guard refuses it for the same problem.
  if (problem !== undefined) return statement
  const edits = new Edits(tokens)
  for (const at of tokens.keys()) mendAt(edits, at)
  return applyEdits(statement, edits.list())
}

/** What TO_CHAR of PostgreSQL, Redshift, Snowflake and Oracle writes, by what strftime calls it. */
const elements: Readonly<Record<string, string>> = {
  yyyy: '%Y',
  yy: '%y',
  iyyy: '%G',
  iw: '%V',
  mm: '%m',
  mon: '%b',
  ddd: '%j',
  dd: '%d',
  dy: '%a',
  hh24: '%H',
  hh12: '%I',
  hh: '%I',
  mi: '%M',
  ss: '%S',
  ms: '%g',
  us: '%f',
  am: '%p',
  pm: '%p',
}
const part = /iyyy|yyyy|yy|iw|mm|mi|mon|ddd|dd|dy|hh24|hh12|hh|ss|ms|us|am|pm|"[^"%']*"|[-/,.;: ]/giy

/** The format in strftime's form; undefined when it has a part that strftime cannot write the same. */
export const toStrftime = (format: string): string | undefined => {
  let written = ''
  part.lastIndex = 0
  while (part.lastIndex < format.length) {
    const found = part.exec(format)?.[0]
    if (found === undefined) return undefined
    // Names and AM are written as the format writes them: only `Mon`, `Dy` and `AM` are as strftime writes.
    if (/^(?:mon|dy)$/i.test(found) && !/^[A-Z][a-z]+$/.test(found)) return undefined
    if (/^[ap]m$/.test(found)) return undefined
    written += elements[found.toLowerCase()] ?? found.replaceAll('"', '')
  }
  return written
}

/** A token as the transpiler reads it. Its place counts characters, and `column` is that of the character behind it. */
export interface SourceToken {
  token_type: string
  text: string
  span: { start: number; end: number; line: number; column: number }
}

/** Words that the transpiler would leave as they are, or translate to another meaning. */
const calls: Partial<Record<Dialect, Readonly<Record<string, string>>>> = {
  bigquery: { json_value: 'json_extract_string(' },
  clickhouse: {
    formatdatetime: 'strftime(',
    grouparray: 'list(',
    jsonextractstring: 'json_extract_string(',
    match: 'regexp_matches(',
    todate: 'date(',
    tohour: 'hour(',
    tomonth: 'month(',
    toyear: 'year(',
    uniqexact: 'count(DISTINCT ',
  },
  databricks: { get_json_object: 'json_extract_string(' },
  oracle: { json_value: 'json_extract_string(' },
  snowflake: { to_varchar: 'to_char(' },
  spark: { element_at: 'list_extract(', get_json_object: 'json_extract_string(' },
  sqlite: { group_concat: 'string_agg(', json_extract: 'json_extract_string(' },
  trino: {
    approx_percentile: 'approx_quantile(',
    array_join: 'array_to_string(',
    element_at: 'list_extract(',
  },
  tsql: { json_value: 'json_extract_string(' },
}

/** The transpiler's tokens in the form of ours. A keyword is a word to it as well. */
const readTokens = (source: readonly SourceToken[]): SqlToken[] =>
  placeTokens(
    source.map(({ token_type: type, text, span: { start, end } }) => {
      if (type.includes('STRING')) return newToken('text', text, start, end)
      if (type.includes('QUOTED')) return newToken('name', text, start, end)
      return newToken(/^[\p{L}_]/u.test(text) ? 'word' : 'symbol', text, start, end)
    }),
  )

const problemAt = ({ span }: SourceToken, problem: string): Translation => ({
  problem,
  line: span.line,
  column: span.column - (span.end - span.start),
})

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const pathOf = (steps: string) =>
  `$${steps
    .split(',')
    .map((each) => (/^\d+$/.test(each) ? `[${each}]` : `."${each}"`))
    .join('')}`

/** Operators of PostgreSQL and Redshift that the transpiler does not know, by ones that it knows, and what stands behind. */
const operators: Readonly<Record<string, readonly [operator: string, argument: (text: string) => string]>> = {
  I_R_LIKE: ['~', (pattern) => `(?i)${pattern}`],
  NOT_I_R_LIKE: ['!~', (pattern) => `(?i)${pattern}`],
  D_HASH_ARROW: ['->>', (path) => pathOf(path.replace(/^\{(.*)\}$/s, '$1'))],
}

/**
 * Rewrites what the transpiler gets wrong without saying so: the formats of TO_CHAR, which it passes on unread, and
 * functions by other names. Gives a problem for what has no counterpart in DuckDB.
 */
export const mendSource = (source: readonly SourceToken[], dialect: Dialect): Edit[] | Translation => {
  const tokens = readTokens(source)
  const edits = new Edits(tokens)
  for (const [at, token] of tokens.entries()) {
    const word = wordOf(token)
    if (dialect === 'clickhouse' && word === 'limit' && wordOf(tokens[at + 2]) === 'by') {
      return problemAt(
        source[at]!,
        'LIMIT … BY has no counterpart: write QUALIFY row_number() OVER (PARTITION BY …) <= n',
      )
    }
    const operand = tokens[at + 1]
    const operator = operand?.kind === 'text' ? operators[source[at]!.token_type] : undefined
    if (operator !== undefined) {
      edits.replace(at, at, operator[0])
      edits.replace(at + 1, at + 1, quoted(operator[1](operand!.text)))
    }
    const call = callAt(tokens, at)
    if (call === undefined || isSymbol(tokens[at - 1], '.')) continue
    const known = calls[dialect] ?? {}
    if (Object.hasOwn(known, word)) edits.replace(at, at + 1, known[word]!)
    if (word !== 'to_char' && word !== 'to_varchar') continue
    const [, ...others] = argumentsOf(tokens, call)
    const last = others.at(-1)
    const format = onlyToken(tokens, last)
    if (format?.kind !== 'text') continue
    const written = toStrftime(format.text)
    if (written === undefined)
      return problemAt(
        source[last!.first]!,
        `the format ${format.text} of ${token.text} cannot be translated`,
      )
    edits.replace(last!.first, last!.last, quoted(written))
  }
  return edits.list()
}
