import { applyEdits, type Edit } from '../text/edits.js'
import { isSymbol, type SqlToken, tokenize } from '../text/tokenize.js'
import type { Dialect, Translation } from './readDialect.js'

/** Functions that the transpiler writes by names which DuckDB does not know. */
const names: Readonly<Record<string, string>> = {
  endswith: 'ENDS_WITH',
  iif: 'IF',
  startswith: 'STARTS_WITH',
}

const isWord = (token: SqlToken | undefined, pattern: RegExp) =>
  token?.kind === 'word' && pattern.test(token.text)

/** Where the bracket closes that opens at `open`. */
const closeOf = (tokens: readonly SqlToken[], open: number): SqlToken | undefined => {
  let depth = 0
  return tokens.slice(open).find((token) => {
    if (isSymbol(token, '(')) depth++
    return isSymbol(token, ')') && --depth === 0
  })
}

/** COUNT_IF counts null, and not 0, where no row has a value. */
const countAt = (tokens: readonly SqlToken[], at: number): Edit[] => {
  const [token, open, first] = tokens.slice(at)
  if (!isWord(token, /^count_if$/i) || !isSymbol(open, '(') || isWord(first, /^distinct$/i)) return []
  const close = closeOf(tokens, at + 1)
  if (close === undefined) return []
  return [
    { start: token!.start, end: open!.end, text: 'COUNT(CASE WHEN ' },
    { start: close.start, end: close.start, text: ' THEN 1 END' },
  ]
}

const editAt = (tokens: readonly SqlToken[], at: number): Edit | undefined => {
  const token = tokens[at]!
  const [next, second, third, fourth, fifth] = tokens.slice(at + 1, at + 6)
  const renamed = isSymbol(next, '(') && token.kind === 'word' ? names[token.text.toLowerCase()] : undefined
  if (renamed !== undefined) return { start: token.start, end: token.end, text: renamed }
  // `CAST(properties -> '$.theme' AS TEXT)` would keep the quotes of the JSON.
  const isArrow = isSymbol(token, '-') && isSymbol(next, '>') && next?.start === token.end
  if (isArrow && second?.kind === 'text' && isWord(third, /^as$/i) && isWord(fourth, /^(text|varchar)$/i)) {
    return isSymbol(fifth, ')') ? { start: token.start, end: next.end, text: '->>' } : undefined
  }
  // `INTERVAL -1 DAY` cannot be read.
  if (isWord(token, /^interval$/i) && isSymbol(next, '-') && /^\d+$/.test(second?.text ?? '')) {
    return { start: next!.start, end: second!.end, text: `(-${second!.text})` }
  }
  const isDual =
    isWord(token, /^from$/i) && isWord(next, /^dual$/i) && !isSymbol(second, '.') && !isSymbol(second, ',')
  return isDual ? { start: token.start, end: next!.end, text: '' } : undefined
}

/** Rewrites what the transpiler writes and DuckDB cannot read, or reads as another thing. */
export const mendTranslation = (statement: string): string => {
  const { tokens, problem } = tokenize(statement)
  // The guard refuses it for the same problem.
  if (problem !== undefined) return statement
  const edits = tokens.flatMap((_, at) => [editAt(tokens, at) ?? countAt(tokens, at)].flat())
  return applyEdits(statement, edits)
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

const isType = (token: SourceToken | undefined, type: string) => token?.token_type === type
const isNamed = (token: SourceToken, name: string) =>
  !/STRING|QUOTED/.test(token.token_type) && token.text.toLowerCase() === name

/** The last argument of a call, when it is a text. */
const lastText = (tokens: readonly SourceToken[], open: number): SourceToken | undefined => {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (isType(tokens[at], 'L_PAREN')) depth++
    if (isType(tokens[at], 'R_PAREN') && --depth === 0) {
      return isType(tokens[at - 1], 'STRING') && isType(tokens[at - 2], 'COMMA') ? tokens[at - 1] : undefined
    }
  }
  return undefined
}

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

const operatorEdits = (token: SourceToken, next: SourceToken | undefined): Edit[] => {
  const known = operators[token.token_type]
  if (known === undefined || next === undefined || !isType(next, 'STRING')) return []
  const [operator, argument] = known
  return [
    { start: token.span.start, end: token.span.end, text: operator },
    { start: next.span.start, end: next.span.end, text: quoted(argument(next.text)) },
  ]
}

/**
 * Rewrites what the transpiler gets wrong without saying so: the formats of TO_CHAR, which it passes on unread, and
 * functions by other names. Gives a problem for what has no counterpart in DuckDB.
 */
export const mendSource = (tokens: readonly SourceToken[], dialect: Dialect): Edit[] | Translation => {
  const edits: Edit[] = []
  for (const [at, token] of tokens.entries()) {
    if (dialect === 'clickhouse' && isType(token, 'LIMIT') && isNamed(tokens[at + 2] ?? token, 'by')) {
      return problemAt(
        token,
        'LIMIT … BY has no counterpart: write QUALIFY row_number() OVER (PARTITION BY …) <= n',
      )
    }
    edits.push(...operatorEdits(token, tokens[at + 1]))
    if (!isType(tokens[at + 1], 'L_PAREN') || isType(tokens[at - 1], 'DOT')) continue
    const renamed = Object.entries(calls[dialect] ?? {}).find(([name]) => isNamed(token, name))?.[1]
    if (renamed !== undefined)
      edits.push({ start: token.span.start, end: tokens[at + 1]!.span.end, text: renamed })
    if (!isNamed(token, 'to_char') && !isNamed(token, 'to_varchar')) continue
    const format = lastText(tokens, at + 1)
    if (format === undefined) continue
    const written = toStrftime(format.text)
    if (written === undefined)
      return problemAt(format, `the format ${format.text} of ${token.text} cannot be translated`)
    edits.push({ start: format.span.start, end: format.span.end, text: quoted(written) })
  }
  return edits
}
