import { closingAt, operandAt, operandBefore } from '../../sql/text/operands.js'
import { isName, isSymbol } from '../../sql/text/tokenize.js'
import { pg } from '../catalog/names.js'
import { quoteIdentifier, quoteText } from '../../duckdb/quote.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import type { Rewrite } from './Rewrite.js'

/** The pattern that begins at `at` is found anywhere, as in Postgres; DuckDB's `~` must match the whole text. */
const findAnywhere = (rewrite: Rewrite, at: number, isLoose: boolean): void => {
  const end = operandAt(rewrite.tokens, at)
  if (end === undefined) return
  rewrite.before(at, `('${isLoose ? '(?is)' : '(?s)'}.*(?:' || `)
  rewrite.after(end, ` || ').*')`)
}

/** A path `{a,0}` in DuckDB's form. */
const pathOf = (text: string): string =>
  `$${text
    .replace(/^\{|\}$/g, '')
    .split(',')
    .filter((key) => key !== '')
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `."${key.trim().replace(/^"|"$/g, '')}"`))
    .join('')}`

/** The path that begins at `at`, and its last token: `'{a,b}'`, or `ARRAY['a', 'b']` as some tools write it. */
const readPath = (rewrite: Rewrite, at: number): { path: string; last: number } | undefined => {
  const written = rewrite.text(at)
  const isList = rewrite.word(at) === 'array' && rewrite.is(at + 1, '[')
  const close = isList ? closingAt(rewrite.tokens, at + 1) : at
  const keys = rewrite.commasIn(at + 1, close).map((comma) => rewrite.text(comma + 1))
  const path = isList ? `{${[rewrite.text(at + 2), ...keys].join(',')}}` : written
  if (path === undefined) return undefined
  const isCast =
    rewrite.is(close + 1, ':') && rewrite.word(close + 3) === 'text' && rewrite.is(close + 5, ']')
  return { path, last: isCast ? close + 5 : close }
}

/** `json #>> '{a,b}'` */
const extractPath = (rewrite: Rewrite, at: number): void => {
  const isText = rewrite.isOperator(at, '#>>')
  const found = readPath(rewrite, at + (isText ? 3 : 2))
  const first = operandBefore(rewrite.tokens, at - 1)
  if (found === undefined || first === undefined) return
  rewrite.before(first, isText ? 'json_extract_string(' : 'json_extract(')
  rewrite.replace(at, found.last, `, ${quoteText(pathOf(found.path))})`)
}

const isJson = (text: string | undefined): boolean => {
  try {
    return text !== undefined && typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** `json @> json` or `json <@ json`, where one side says that it is JSON: lists have the same operators in DuckDB. */
const contain = (rewrite: Rewrite, at: number): void => {
  const { tokens } = rewrite
  const first = operandBefore(tokens, at - 1)
  const last = operandAt(tokens, at + 2)
  if (first === undefined || last === undefined) return
  const isWithin = rewrite.is(at, '<')
  const says = (end: number) => rewrite.is(end - 1, ':') && /^jsonb?$/.test(rewrite.word(end))
  if (!says(at - 1) && !says(last) && !isJson(rewrite.text(isWithin ? at - 1 : at + 2))) return
  if (!isWithin) {
    rewrite.before(first, 'json_contains(')
    rewrite.replace(at, at + 1, ', ')
    rewrite.after(last, ')')
    return
  }
  const other = tokens.slice(at + 2, last + 1).map(({ kind, text }) => {
    if (kind === 'symbol' && !/^[.:]$/.test(text))
      throw new ProtocolError(sqlState.notSupported, 'Behind <@ stands a column or a written-out value here.')
    return kind === 'name' ? quoteIdentifier(text) : /^jsonb$/i.test(text) ? 'JSON' : text
  })
  rewrite.before(first, `json_contains(${other.join('')}, `)
  rewrite.replace(at, last, ')')
}

/** `json ?| array['a', 'b']` */
const haveKeys = (rewrite: Rewrite, at: number): void => {
  const first = operandBefore(rewrite.tokens, at - 1)
  const last = operandAt(rewrite.tokens, at + 2)
  if (first === undefined || last === undefined) return
  rewrite.before(first, `list_has_${rewrite.is(at + 1, '|') ? 'any' : 'all'}(${pg}.json_keys_of(`)
  rewrite.replace(at, at + 1, '), ')
  rewrite.after(last, ')')
}

/** `5 # 3` */
const turnBits = (rewrite: Rewrite, at: number): void => {
  const first = operandBefore(rewrite.tokens, at - 1)
  const last = operandAt(rewrite.tokens, at + 1)
  if (first === undefined || last === undefined) return
  rewrite.before(first, 'xor(')
  rewrite.replace(at, at, ',')
  rewrite.after(last, ')')
}

/** `json ? 'key'` */
const haveKey = (rewrite: Rewrite, at: number): void => {
  const key = rewrite.text(at + 1)
  const first = operandBefore(rewrite.tokens, at - 1)
  if (key === undefined || first === undefined) return
  rewrite.before(first, `${pg}.jsonb_exists(`)
  rewrite.replace(at, at + 1, `, ${quoteText(key)})`)
}

/** `x = ANY (column)`, which DuckDB would make a subquery, and it takes none in ON. */
const beAnyOf = (rewrite: Rewrite, at: number): void => {
  const { tokens } = rewrite
  const close = closingAt(tokens, at + 2)
  const first = operandBefore(rewrite.tokens, at - 1)
  const path = tokens.slice(at + 3, close)
  const isPath = path.length > 0 && path.every((token) => isName(token) || isSymbol(token, '.'))
  if (first === undefined || !isPath) return
  rewrite.before(first, 'list_has_any([')
  rewrite.replace(at, at + 2, '], ')
}

/** `x NOT LIKE ALL (ARRAY[…])` */
const beLikeEach = (rewrite: Rewrite, at: number): void => {
  const isNot = rewrite.word(at - 1) === 'not'
  const first = operandBefore(rewrite.tokens, isNot ? at - 2 : at - 1)
  if (first === undefined || rewrite.word(at + 3) === 'select') return
  const which = rewrite.word(at + 1) === 'all' ? 'all' : 'any'
  rewrite.before(first, `${pg}.${isNot ? 'not_' : ''}${rewrite.word(at)}_${which}(`)
  rewrite.replace(isNot ? at - 1 : at, at + 1, ',')
  rewrite.after(closingAt(rewrite.tokens, at + 2), ')')
}

/** `(a, b) OVERLAPS (c, d)` */
const overlap = (rewrite: Rewrite, at: number): void => {
  const { tokens } = rewrite
  const open = tokens[at - 1]!.pair
  if (open < 0 || closingAt(tokens, at + 1) <= at + 1) return
  rewrite.before(open, `${pg}.overlaps`)
  rewrite.replace(at - 1, at + 1, ',')
}

/** Rewrites operators of Postgres that DuckDB has not, or means otherwise. */
export const rewriteOperators = (rewrite: Rewrite): void => {
  const { tokens } = rewrite
  for (let at = 1; at < tokens.length; at++) {
    if (rewrite.word(at) === 'operator' && rewrite.is(at + 1, '(')) {
      const end = closingAt(tokens, at + 1)
      const signs = tokens.slice(at + 2, end).filter(({ kind, text }) => kind === 'symbol' && text !== '.')
      const operator = signs.map(({ text }) => text).join('')
      const isSearch = /^!?~\*?$/.test(operator)
      rewrite.replace(at, end, isSearch ? ` ${operator.replace('*', '')} ` : operator)
      if (isSearch) findAnywhere(rewrite, end + 1, operator.endsWith('*'))
      at = end
    } else if (rewrite.is(at, '~') && !rewrite.isOperator(at, '~~') && !rewrite.isOperator(at - 1, '~~')) {
      const from = rewrite.isOperator(at - 1, '!~') ? at - 1 : at
      const isLoose = rewrite.isOperator(at, '~*')
      // A `~` before an operand alone turns the bits of a number.
      if (operandBefore(rewrite.tokens, from - 1) === undefined) continue
      if (isLoose) rewrite.replace(at + 1, at + 1, '')
      findAnywhere(rewrite, at + (isLoose ? 2 : 1), isLoose)
    } else if (rewrite.isOperator(at, '#>')) extractPath(rewrite, at)
    else if (rewrite.isOperator(at, '@>') || rewrite.isOperator(at, '<@')) contain(rewrite, at)
    else if (
      /^i?like$/.test(rewrite.word(at)) &&
      /^(any|some|all)$/.test(rewrite.word(at + 1)) &&
      rewrite.is(at + 2, '(')
    )
      beLikeEach(rewrite, at)
    else if (rewrite.word(at) === 'overlaps' && rewrite.is(at - 1, ')') && rewrite.is(at + 1, '('))
      overlap(rewrite, at)
    else if (rewrite.isOperator(at, '#-'))
      rewrite.about(at, () => {
        throw new ProtocolError(sqlState.notSupported, 'The operator #- is not here: take - for a key.')
      })
    else if (rewrite.isOperator(at, '?|') || rewrite.isOperator(at, '?&')) haveKeys(rewrite, at)
    else if (rewrite.is(at, '?')) haveKey(rewrite, at)
    else if (rewrite.is(at, '#')) turnBits(rewrite, at)
    else if (rewrite.is(at, '=') && rewrite.word(at + 1) === 'any' && rewrite.is(at + 2, '('))
      beAnyOf(rewrite, at)
  }
}
