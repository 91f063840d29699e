import { closingAt, endOfCastCall, operandAt, operandBefore, type Range } from '../../sql/text/operands.js'
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

/** `x LIKE ANY (ARRAY[…])` */
const beLikeAny = (rewrite: Rewrite, at: number): void => {
  const isNot = rewrite.word(at - 1) === 'not'
  const first = operandBefore(rewrite.tokens, isNot ? at - 2 : at - 1)
  if (first === undefined || rewrite.word(at + 3) === 'select') return
  rewrite.before(first, `${isNot ? 'NOT ' : ''}${pg}.${rewrite.word(at)}_any(`)
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
    else if (/^i?like$/.test(rewrite.word(at)) && rewrite.word(at + 1) === 'any' && rewrite.is(at + 2, '('))
      beLikeAny(rewrite, at)
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

/** These give a text, whatever they are given. */
const ofText = new Set(
  (
    'concat concat_ws upper lower initcap trim ltrim rtrim btrim substring substr left right replace to_char lpad rpad ' +
    'split_part string_agg md5 format repeat reverse translate regexp_replace encode quote_literal quote_ident ' +
    'quote_nullable chr overlay array_to_string version current_user current_database'
  ).split(' '),
)

/** What stands between two `||`, and whether that is a text, whatever columns are. */
interface Joined extends Range {
  kind: 'text' | 'literal' | 'any'
}

const mostLookedAt = 500
/** Whether brackets hold a chain of `||` with a text in it, or with brackets of that kind. */
const isJoinedText = (rewrite: Rewrite, open: number, close: number): boolean => {
  // Each bracket around it looks again.
  if (close - open > mostLookedAt) return false
  const parts = [open + 1]
  for (let at = open + 1; at < close; at++)
    if (rewrite.tokens[at]!.around === open && rewrite.isOperator(at, '||')) parts.push(at + 2)
  return (
    parts.length > 1 &&
    parts.some((first, nth) => {
      const last = (parts[nth + 1] ?? close + 2) - 3
      return first <= last && kindOf(rewrite, { first, last }) === 'text'
    })
  )
}

const kindOf = (rewrite: Rewrite, { first, last }: Range): Joined['kind'] => {
  const { tokens } = rewrite
  if (
    tokens[last]?.kind === 'text' &&
    (first === last || (first === last - 1 && rewrite.word(first) === 'e'))
  )
    return isValue(rewrite.text(last)) ? 'literal' : 'text'
  if (rewrite.is(last - 1, ':') && /^(text|varchar)$/.test(rewrite.word(last))) return 'text'
  if (rewrite.is(first, '(') && tokens[first]!.pair === last)
    return isJoinedText(rewrite, first, last) ? 'text' : 'any'
  const open = rewrite.is(last, ')') ? tokens[last]!.pair : -1
  return open === first + 1 && ofText.has(rewrite.word(first)) ? 'text' : 'any'
}

/** Whether a text may be a value of jsonb. */
const isValue = (text: string | undefined): boolean => {
  try {
    return text !== undefined && JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

const typeBefore = /^(date|timestamp|timestamptz|time|interval|jsonb?|numeric|int[248]?)$/
/** As `operandAt` and `operandBefore`, with the type of `date '2024-01-01'`. */
const typedBefore = (rewrite: Rewrite, end: number): number | undefined => {
  const first = operandBefore(rewrite.tokens, end)
  const hasType =
    first !== undefined && rewrite.tokens[first]!.kind === 'text' && typeBefore.test(rewrite.word(first - 1))
  return hasType ? first - 1 : first
}
const typedAt = (rewrite: Rewrite, first: number): number | undefined => {
  const isTyped = typeBefore.test(rewrite.word(first)) && rewrite.tokens[first + 1]?.kind === 'text'
  const end = operandAt(rewrite.tokens, isTyped ? first + 1 : first)
  return end !== undefined && rewrite.is(end, ')') ? endOfCastCall(rewrite.tokens, end) : end
}

/** Whether what stands before an operand belongs to it: `ts AT TIME ZONE x`, `INTERVAL '1' DAY`, `DISTINCT ON (x)`. */
const isCutOff = (rewrite: Rewrite, first: number): boolean =>
  rewrite.tokens[first - 1]?.kind === 'text' ||
  /^(zone|on|using|collate|escape)$/.test(rewrite.word(first - 1))

const isArithmetic = (rewrite: Rewrite, at: number): boolean =>
  /^[-+*/%^]$/.test(rewrite.tokens[at]?.text ?? '') && !rewrite.isOperator(at, '->')

/** The sum or product that ends with a token; `>` before it is the end of an arrow, and gives what nobody knows. */
const joinedBefore = (rewrite: Rewrite, last: number): Joined | undefined => {
  let first = typedBefore(rewrite, last)
  while (first !== undefined && isArithmetic(rewrite, first - 1)) first = typedBefore(rewrite, first - 2)
  let isText = false
  // An arrow binds as strongly as `||`, and goes first.
  while (first !== undefined && rewrite.is(first - 1, '>')) {
    const arrow = rewrite.isOperator(first - 3, '->>') ? 3 : rewrite.isOperator(first - 2, '->') ? 2 : 0
    if (arrow === 0) return undefined
    isText ||= arrow === 3
    first = operandBefore(rewrite.tokens, first - arrow - 1)
  }
  if (first === undefined || rewrite.is(first - 1, '|') || isCutOff(rewrite, first)) return undefined
  if (isText) return { first, last, kind: 'text' }
  return { first, last, kind: kindOf(rewrite, { first, last }) }
}

const joinedBehind = (rewrite: Rewrite, first: number): Joined | undefined => {
  const operand = (at: number) => typedAt(rewrite, rewrite.is(at, '-') ? at + 1 : at)
  let last = operand(first)
  while (last !== undefined && isArithmetic(rewrite, last + 1)) last = operand(last + 2)
  if (last === undefined || rewrite.isOperator(last + 1, '->')) return undefined
  return { first, last, kind: kindOf(rewrite, { first, last }) }
}

/** What is not joined here DuckDB would join as texts. */
const refuseJson = (rewrite: Rewrite, all: readonly Joined[]): void => {
  const isJsonb = ({ first, last }: Joined) =>
    /^(to_)?jsonb/.test(rewrite.word(first)) ||
    (rewrite.is(last - 1, ':') && /^jsonb?$/.test(rewrite.word(last)))
  if (all.some(isJsonb))
    throw new ProtocolError(
      sqlState.notSupported,
      'Here || joins four values of jsonb at most: put brackets around some, or name them in a subquery.',
    )
}

/** A macro writes its arguments several times. */
const maxJoined = 3

/** `a || b` joins texts, lists, a list and an item, or jsonb, by the types of both. Returns where the signs of the chain stand. */
const join = (rewrite: Rewrite, at: number): number[] => {
  const begin = joinedBefore(rewrite, at - 1)
  const all = begin === undefined ? [] : [begin]
  const signs: number[] = []
  for (let end = at; all.length > 0 && rewrite.isOperator(end, '||');) {
    const next = joinedBehind(rewrite, end + 2)
    signs.push(end)
    if (next === undefined) {
      refuseJson(rewrite, all)
      return signs
    }
    all.push(next)
    end = next.last + 1
  }
  if (begin === undefined) return signs
  const isList = rewrite.word(begin.first) === 'array' || rewrite.is(begin.first, '[')
  const texts = isList ? -1 : all.findIndex(({ kind }) => kind === 'text')
  const joined = texts === 0 || texts === 1 ? 0 : (texts < 0 ? all.length : texts) - 1
  if (joined > maxJoined || rewrite.word(all.at(-1)!.last + 1) === 'at') {
    refuseJson(rewrite, all)
    return signs
  }
  for (const { first, last, kind } of joined === 0 ? all : all.slice(joined + 1)) {
    if (kind !== 'any' || (first === last && /^\d+$/.test(rewrite.tokens[first]!.text))) continue
    rewrite.before(first, `${pg}.piece(`)
    rewrite.after(last, ')')
  }
  for (const { first, last, kind } of all.slice(1, joined + 1)) {
    const name = kind === 'literal' ? 'joined_text' : 'joined'
    rewrite.before(begin.first, `${pg}.${rewrite.lateAt(begin.first, last)}${name}(`)
    rewrite.replace(first - 2, first - 1, ',')
    rewrite.after(last, ')')
  }
  return signs
}

/** `a - b` of two days is a whole number of four bytes, and jsonb loses a key. */
const subtract = (rewrite: Rewrite, at: number): void => {
  const { tokens } = rewrite
  const first = typedBefore(rewrite, at - 1)
  const last = typedAt(rewrite, at + 1)
  if (first === undefined || last === undefined || isArithmetic(rewrite, last + 1)) return
  if (isCutOff(rewrite, first) || rewrite.word(last + 1) === 'at') return
  if (isArithmetic(rewrite, first - 1) || rewrite.is(first - 1, '>')) return
  const isKey = rewrite.text(at + 1) !== undefined && at + 1 === last
  const isLiteral = (token: number) => tokens[token]!.kind === 'text' || /^\d/.test(tokens[token]!.text)
  if (
    !isKey &&
    (isLiteral(first) ||
      isLiteral(at + 1) ||
      rewrite.word(at + 1) === 'interval' ||
      rewrite.word(first) === 'interval')
  )
    return
  rewrite.before(first, `${pg}.${isKey ? 'without' : `${rewrite.lateAt(first, last)}minus`}(`)
  rewrite.replace(at, at, ',')
  rewrite.after(last, ')')
}

/** Rewrites operators whose meaning is another one for each type of what they stand between. */
export const rewriteJoins = (rewrite: Rewrite): void => {
  for (let at = 1; at < rewrite.tokens.length; at++) {
    if (rewrite.tokens[at]!.kind !== 'symbol' || rewrite.isTaken(at)) continue
    if (rewrite.is(at, '-') && !rewrite.isOperator(at, '->') && !rewrite.isOperator(at, '--'))
      subtract(rewrite, at)
  }
  const seen = new Set<number>()
  for (let at = 1; at < rewrite.tokens.length; at++)
    if (rewrite.isOperator(at, '||') && !rewrite.is(at - 1, '|') && !seen.has(at))
      for (const sign of join(rewrite, at)) seen.add(sign)
}
