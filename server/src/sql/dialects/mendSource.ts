import type { Edit } from '../guard/applyEdits.js'
import type { Dialect } from './readDialect.js'
import { toStrftime } from './toStrftime.js'
import type { Translation } from './translation.js'

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
const pathOf = (elements: string) =>
  `$${elements
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
