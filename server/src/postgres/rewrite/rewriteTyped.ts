import {
  callAt,
  endOfCall,
  endOfCastCall,
  operandAt,
  operandBefore,
  type Range,
} from '../../sql/text/operands.js'
import { quoteIdentifier } from '../../duckdb/quote.js'
import { pg } from '../catalog/names.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import type { Rewrite } from './Rewrite.js'

/* What goes by the types of its operands: `||`, `-` and two aggregates become macros, which DuckDB tells the types. */

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

/** What may be written twice: a column, or arithmetic of columns and numbers. */
const isPlain = (rewrite: Rewrite, first: number, last: number): boolean =>
  first <= last &&
  last - first < 20 &&
  rewrite.tokens
    .slice(first, last + 1)
    .every(({ kind, text }) => kind === 'word' || kind === 'name' || /^[\d.+*-]/.test(text))

/** In Postgres the sum of small numbers is an int8, and their mean a numeric; a macro takes no FILTER and no OVER. */
export const typeAggregates = (rewrite: Rewrite): void => {
  for (const at of rewrite.tokens.keys()) {
    const name = rewrite.word(at)
    const call = name === 'sum' || name === 'avg' ? callAt(rewrite.tokens, at) : undefined
    if (call === undefined || rewrite.is(at - 1, '.') || rewrite.asker.isOwn(name)) continue
    const { open, close } = call
    const isDistinct = rewrite.word(open + 1) === 'distinct'
    const isOrdered = rewrite.tokens
      .slice(open, close)
      .some(({ around }, by) => around === open && rewrite.word(open + by) === 'order')
    if (isOrdered) continue
    const end = endOfCall(rewrite.tokens, close)
    if (end === close && !isDistinct && rewrite.commasIn(open, close).length === 0) {
      rewrite.replace(at, at, `${pg}.${name}`)
      continue
    }
    const first = open + (isDistinct ? 2 : 1)
    rewrite.replace(at, at, name)
    if (!isPlain(rewrite, first, close - 1)) continue
    const of = rewrite.tokens
      .slice(first, close)
      .map(({ kind, text }) => (kind === 'name' ? quoteIdentifier(text) : text))
    rewrite.before(at, `${pg}.${name}_of(${of.join(' ')}, 0::TINYINT, `)
    rewrite.after(end, ')')
  }
}
