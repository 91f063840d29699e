import {
  closingAt,
  endOfCastCall,
  itemsOf,
  operandAt,
  operandBefore,
  type Range,
} from '../../sql/text/operands.js'
import { isName, isSymbol } from '../../sql/text/tokenize.js'
import { quoteIdentifier, quoteText } from '../../duckdb/quote.js'
import { pg } from '../catalog/names.js'
import { decimal } from '../messages/readParameter.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { zoneOf } from '../Settings.js'
import type { Rewrite } from './Rewrite.js'

/* What PostgreSQL and DuckDB both have, with another value. */

const refused = (message: string) => new ProtocolError(sqlState.notSupported, message)

/** Postgres has NULL above all, so it comes first where the order goes down. */
const nullsFirst = (rewrite: Rewrite, at: number): void => {
  if (rewrite.is(at - 1, '.') || rewrite.word(at - 1) === 'as' || rewrite.word(at + 1) === 'nulls') return
  rewrite.after(at, ' NULLS FIRST')
}

/** The last token of texts that are joined by `||`. */
const endOfText = (rewrite: Rewrite, at: number): number | undefined => {
  let end = operandAt(rewrite.tokens, at)
  while (end !== undefined && rewrite.isOperator(end + 1, '||')) end = operandAt(rewrite.tokens, end + 3)
  return end
}

/** A backslash in a pattern means the sign behind it, also where no ESCAPE says so. */
const escape = (rewrite: Rewrite, at: number): void => {
  if (/^(any|all|some)$/.test(rewrite.word(at))) return
  const end = endOfText(rewrite, at)
  if (end === undefined || rewrite.word(end + 1) === 'escape') return
  // Without ESCAPE a pattern that begins with plain letters is found faster.
  if (end === at && rewrite.text(at)?.includes('\\') === false) return
  rewrite.after(end, ` ESCAPE '\\'`)
}

/** `~~`, `!~~`, `~~*` and `!~~*` are LIKE by their other names. */
const likeSigns = (rewrite: Rewrite, at: number): void => {
  const isNot = rewrite.isOperator(at - 1, '!~~')
  const isLoose = rewrite.isOperator(at, '~~*')
  const last = at + (isLoose ? 2 : 1)
  rewrite.replace(isNot ? at - 1 : at, last, `${isNot ? ' NOT' : ''} ${isLoose ? 'ILIKE' : 'LIKE'} `)
  escape(rewrite, last + 1)
}

/** https://www.postgresql.org/docs/current/functions-matching.html#FUNCTIONS-SIMILARTO-REGEXP */
const regexpOf = (pattern: string): string =>
  pattern.replaceAll(/\\(.)|\[[^\]]*\]?|[%_.^$\\]/gs, (part: string, escaped?: string) => {
    if (escaped !== undefined) return /\w/.test(escaped) ? escaped : `\\${escaped}`
    if (part === '%') return '.*'
    return part === '_' ? '.' : part.startsWith('[') ? part : `\\${part}`
  })

const similar = (rewrite: Rewrite, at: number): void => {
  const pattern = rewrite.text(at)
  const isWhole =
    pattern !== undefined && operandAt(rewrite.tokens, at) === at && !rewrite.isOperator(at + 1, '||')
  if (!isWhole || rewrite.word(at + 1) === 'escape')
    throw refused('SIMILAR TO takes a pattern that is written out, without ESCAPE; ~ takes others.')
  rewrite.replace(at, at, quoteText(`(?s)${regexpOf(pattern)}`))
}

/** The last token of each CASE, by its first. */
const findCases = (rewrite: Rewrite): ReadonlyMap<number, number> => {
  const ends = new Map<number, number>()
  const open: number[] = []
  for (const at of rewrite.tokens.keys()) {
    const word = rewrite.word(at)
    if (word === 'case') open.push(at)
    else if (word === 'end' && open.length > 0) ends.set(open.pop()!, at)
  }
  return ends
}

/** Where the factors begin that are multiplied before the sign at `at`; undefined where that is not certain. */
const startOfProduct = (rewrite: Rewrite, at: number): number | undefined => {
  let first = operandBefore(rewrite.tokens, at - 1)
  // The type of `numeric '1'` belongs to the text.
  while (first !== undefined) {
    if (rewrite.text(first) !== undefined && isType.test(rewrite.word(first - 1))) first--
    if (!/^[*/%^]$/.test(rewrite.tokens[first - 1]?.text ?? '')) return first
    first = operandBefore(rewrite.tokens, first - 2)
  }
  return undefined
}
const isType = /^(numeric|decimal|int[248]?|integer|bigint|smallint|interval|real|float[48]?)$/

/** A macro writes its arguments twice, so what stands in one another doubles with each. */
const maxQuotients = 4
const countQuotients = (rewrite: Rewrite, first: number, last: number) =>
  rewrite.tokens.slice(first, last).filter(({ kind, text }) => kind === 'symbol' && /^[/%]$/.test(text))
    .length

/** The last token of what is divided by, with its powers, which bind more strongly. */
const endOfFactor = (
  rewrite: Rewrite,
  first: number,
  cases: ReadonlyMap<number, number>,
): number | undefined => {
  const { tokens } = rewrite
  let end = rewrite.word(first) === 'case' ? cases.get(first) : operandAt(tokens, first)
  if (end === undefined) return undefined
  if (isType.test(rewrite.word(end)) && rewrite.text(end + 1) !== undefined) end++
  if (isSymbol(tokens[end], ')')) end = endOfCastCall(tokens, end)
  if (!rewrite.is(end + 1, '^')) return end
  let power = end + 2
  while (rewrite.is(power, '-') || rewrite.is(power, '+')) power++
  return endOfFactor(rewrite, power, cases)
}

/** Whole numbers are divided whole, and by zero nothing is divided but NULL. */
const divide = (rewrite: Rewrite, at: number, cases: ReadonlyMap<number, number>): void => {
  const { tokens } = rewrite
  const sign = tokens[at]!.text === '/' ? '//' : '%'
  const start = startOfProduct(rewrite, at)
  let first = at + 1
  while (rewrite.is(first, '-') || rewrite.is(first, '+')) first++
  const last = endOfFactor(rewrite, first, cases)
  if (last === undefined) rewrite.replace(at, at, sign)
  else if (countQuotients(rewrite, at + 1, last) >= maxQuotients) rewrite.replace(at, at, sign)
  else if (start === undefined || countQuotients(rewrite, start, last) > maxQuotients) {
    rewrite.replace(at, at, sign)
    rewrite.before(first, `${pg}.divisor(`)
    rewrite.after(last, ')')
  } else {
    const name = sign === '%' ? 'remainder' : `${rewrite.lateAt(start, at)}quotient`
    rewrite.before(start, `${pg}.${name}(`)
    rewrite.replace(at, at, ',')
    rewrite.after(last, ')')
  }
}

/** In Postgres the fields of `extract` are numerics, of a second with its fraction. */
const fields = new Map<string, readonly [field: string, behind: string]>([
  ['second', ['microsecond', ' * 0.000001']],
  ['millisecond', ['microsecond', ' * 0.001']],
  ['epoch', ['epoch', '::DECIMAL(18, 6)']],
])

const extract = (rewrite: Rewrite, at: number): void => {
  const token = rewrite.tokens[at + 2]
  const name = (rewrite.text(at + 2) ?? token?.text ?? '').toLowerCase().replace(/(?<=second)s$/, '')
  if (rewrite.word(at + 3) !== 'from' || name === 'julian' || !/^[a-z_]+$/.test(name)) return
  const [field, behind] = fields.get(name) ?? [name, '::DECIMAL(18, 0)']
  rewrite.replace(at + 2, at + 2, field)
  rewrite.before(at, '(')
  rewrite.after(closingAt(rewrite.tokens, at + 1), `${behind})`)
}

/** An offset is counted to the west, as POSIX has it: `UTC-2` is two hours east. */
const zone = (rewrite: Rewrite, at: number): void => {
  const [, sign, hours, minutes = 0] = /^[a-z]*([+-])(\d{1,2}):?(\d\d)?$/i.exec(rewrite.text(at) ?? '') ?? []
  if (hours === undefined) return
  const west = 60 * Number(hours) + Number(minutes)
  const found = zoneOf(sign === '-' ? west : -west)
  if (found === undefined)
    throw refused('No time zone has always had this offset here: name it, as Asia/Kathmandu.')
  rewrite.replace(at, at, quoteText(found))
}

/** `row_to_json(row(1, 2))` has the fields f1 and f2. */
const nameFields = (rewrite: Rewrite, at: number): void => {
  const open = rewrite.word(at + 2) === 'row' ? at + 3 : -1
  const close = closingAt(rewrite.tokens, open)
  if (!rewrite.is(open, '(') || close === open + 1 || close + 1 !== closingAt(rewrite.tokens, at + 1)) return
  rewrite.replace(at + 2, open, 'struct_pack(f1 := ')
  for (const [nth, comma] of rewrite.commasIn(open, close).entries())
    rewrite.replace(comma, comma, `, f${nth + 2} := `)
}

/** Postgres takes a number with an exponent for a numeric. Of more digits than DuckDB's has it stays a float. */
const number = (rewrite: Rewrite, at: number): void => {
  const { text } = rewrite.tokens[at]!
  if (!Number.isFinite(Number(text)))
    throw new ProtocolError('22003', `The number ${text.slice(0, 80)} is greater than any here.`)
  if (
    !rewrite.isTaken(at) &&
    Math.abs(Number(text)) < 1e37 &&
    text.length < 40 &&
    Number(/e(.*)$/i.exec(text)![1]) > -20
  )
    rewrite.replace(at, at, decimal(text))
}

const rewriteWord = (rewrite: Rewrite, at: number, word: string): void => {
  const next = rewrite.tokens[at + 1]
  if (word === 'desc' && at > 0) nullsFirst(rewrite, at)
  else if (word === 'like' || word === 'ilike') escape(rewrite, at + 1)
  else if (word === 'similar' && rewrite.word(at + 1) === 'to') similar(rewrite, at + 2)
  else if (word === 'extract' && rewrite.is(at + 1, '(')) extract(rewrite, at)
  else if (word === 'row_to_json' && rewrite.is(at + 1, '(')) nameFields(rewrite, at)
  else if (word === 'zone' && rewrite.word(at - 2) === 'at') zone(rewrite, at + 1)
  else if (/^[xb]$/.test(word) && next?.kind === 'text' && next.start === rewrite.tokens[at]!.end)
    throw refused("There are no strings of bits here: write a number, or bytes as '\\x1f'::bytea.")
}

/** A moment whose zone stands behind a space, which DuckDB takes for the name of a zone. */
const spacedZone = /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d)(:\d\d(?:\.\d+)?)? ([+-]\d\d):?(\d\d)?$/

/** What a text at `at` is compared with; the second text of BETWEEN has the first before it. */
const comparedWith = (rewrite: Rewrite, at: number): Range | undefined => {
  const isSign = (sign: number) => /^[<>=!]$/.test(rewrite.tokens[sign]?.text ?? '')
  let before = rewrite.word(at - 1) === 'and' && rewrite.word(at - 3) === 'between' ? at - 3 : at - 1
  if (rewrite.word(before) === 'between') before -= rewrite.word(before - 1) === 'not' ? 2 : 1
  else if (isSign(before)) while (isSign(before)) before--
  else {
    let behind = at + 1
    while (isSign(behind)) behind++
    const last = behind === at + 1 ? undefined : operandAt(rewrite.tokens, behind)
    return last === undefined ? undefined : { first: behind, last }
  }
  const first = operandBefore(rewrite.tokens, before)
  return first === undefined ? undefined : { first, last: before }
}

/** `moment >= '2026-10-01 00:00:00 +02:00'`: DuckDB alone knows the type of the column, and so what the text is. */
const momentWithZone = (rewrite: Rewrite, at: number): void => {
  const written = rewrite.text(at) ?? ''
  const [, minute, second = ':00', hours = '', minutes = '00'] = spacedZone.exec(written) ?? []
  const other = minute === undefined ? undefined : comparedWith(rewrite, at)
  if (other === undefined) return
  const column = rewrite.tokens.slice(other.first, other.last + 1)
  if (!column.every((token) => isName(token) || isSymbol(token, '.'))) return
  const name = column.map(({ kind, text }) => (kind === 'name' ? quoteIdentifier(text) : text)).join('')
  const local = `${minute}${second}`
  const forms = [`${local}${hours}:${minutes}`, local, written].map(quoteText).join(', ')
  rewrite.replace(at, at, `${pg}.moment(${name}, ${forms})`)
}

/** The words that say what EXPLAIN shows; DuckDB knows only these two. */
const explain = (rewrite: Rewrite): void => {
  if (rewrite.word(0) !== 'explain') return
  const close =
    rewrite.is(1, '(') && !/^(select|with|values|\()/i.test(rewrite.tokens[2]?.text ?? '')
      ? closingAt(rewrite.tokens, 1)
      : 0
  if (close > 0) {
    const isOff = (at: number) => /^(off|false|text)$/.test(rewrite.word(at + 1))
    const kept = itemsOf(rewrite.tokens, { first: 2, last: close - 1 }).filter(
      ({ first }) => /^(analyze|format)$/.test(rewrite.word(first)) && !isOff(first),
    )
    const options = kept.map(({ first, last }) =>
      rewrite.word(first) === 'format' ? `FORMAT ${rewrite.word(last)}` : 'ANALYZE',
    )
    rewrite.replace(1, close, options.length === 0 ? '' : `(${options.join(', ')})`)
  }
  for (let at = 1; /^(analyze|verbose)$/.test(rewrite.word(at)); at++)
    if (rewrite.word(at) === 'verbose') rewrite.replace(at, at, '')
}

/** Gives operators and clauses the meaning that they have in Postgres. */
export const rewriteValues = (rewrite: Rewrite): void => {
  const cases = findCases(rewrite)
  explain(rewrite)
  for (const [at, token] of rewrite.tokens.entries()) {
    if (token.kind === 'word') rewrite.about(at, () => rewriteWord(rewrite, at, token.text.toLowerCase()))
    else if (token.kind === 'text') momentWithZone(rewrite, at)
    else if (token.kind !== 'symbol') continue
    else if (/^0x[\da-f]+$/i.test(token.text)) rewrite.replace(at, at, String(BigInt(token.text)))
    else if (/^\d[\d.]*e/i.test(token.text) && !rewrite.is(at - 1, '.'))
      rewrite.about(at, () => number(rewrite, at))
    else if (token.text === '%' || token.text === '/') {
      const isTwo = rewrite.is(at - 1, token.text) || rewrite.is(at + 1, token.text)
      if (at > 0 && !isTwo) divide(rewrite, at, cases)
    } else if (rewrite.isOperator(at, '~~') && !rewrite.is(at - 1, '~')) likeSigns(rewrite, at)
  }
}
