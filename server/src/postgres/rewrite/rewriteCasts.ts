import { closingAt, operandBefore } from '../../sql/text/operands.js'
import { quoteText } from '../../duckdb/quote.js'
import { isName, wordOf } from '../../sql/text/tokenize.js'
import { pg } from '../catalog/names.js'
import { oidOfRelation } from '../catalog/shapes.js'
import { functionName, functionOid, ofFunction, typeName, typeOidOf } from '../catalog/typeTables.js'
import { readArray } from '../messages/encodeBinary.js'
import { readParameter } from '../messages/readParameter.js'
import { ProtocolError } from '../ProtocolError.js'
import { itemTypeOfOid, oidOfName, typeNameOf } from '../types.js'
import type { Rewrite } from './Rewrite.js'

/** Types that DuckDB calls otherwise. A `numeric` without digits holds more than DuckDB's, which has three after the point. */
const plainTypes = new Map(Object.entries({
  oid: 'BIGINT', xid: 'BIGINT', name: 'VARCHAR', regoper: 'VARCHAR', regoperator: 'VARCHAR', regrole: 'VARCHAR',
  jsonb: 'JSON', float: 'DOUBLE', numeric: 'DECIMAL(38, 10)', decimal: 'DECIMAL(38, 10)', dec: 'DECIMAL(38, 10)',
})) // prettier-ignore
/** A value of these is the number of an object, and is written as its name. */
const nameTypes = new Set(['regclass', 'regtype', 'regnamespace', 'regproc', 'regprocedure'])

/** The number of an object of PostgreSQL's own that is named in a text; undefined where it is known only at the run. */
const numberOfName = (type: string, name: string): number | undefined => {
  if (/^\d*$/.test(name)) return undefined
  if (type === 'regclass') return oidOfRelation(name.replace(/^pg_catalog\./, ''))
  if (type.startsWith('regproc')) return functionOid(name.replace(/^pg_catalog\./, '').replace(/\(.*/, ''))
  if (type !== 'regtype') return undefined
  const found = typeOidOf(name)
  if (found === undefined) throw new ProtocolError('42704', `type "${name.slice(0, 80)}" does not exist`)
  return found
}

const numberOrName = (type: string, written: string): string =>
  /^\d+$/.test(written) ? written : String(numberOfName(type, written))

interface Cast {
  /** The first and the last token of what is cast. */
  first: number
  last: number
  /** The index of the type's own name, behind a schema. */
  typeAt: number
  /** Where the cast ends. */
  end: number
}

/** The cast in `CAST(x AS type)` whose type begins at `at`. */
const castAs = (rewrite: Rewrite, at: number, typeAt: number): Cast | undefined => {
  if (rewrite.word(at - 1) !== 'as') return undefined
  const open = rewrite.tokens[at]!.around
  return rewrite.is(open, '(') && /^(try_)?cast$/.test(rewrite.word(open - 1))
    ? { first: open + 1, last: at - 2, typeAt, end: typeAt + 1 }
    : undefined
}

/** Whether a name is put together in brackets, `('"' || a || '"')`. */
const isBuilt = (rewrite: Rewrite, { first, last }: Cast): boolean =>
  rewrite.is(first, '(') && rewrite.tokens.slice(first, last).some(({ kind }) => kind === 'text')

/** Where the columns end that the statement shows. */
const endOfShown = ({ tokens }: Rewrite): number => {
  const from = tokens.findIndex((token) => token.depth === 0 && wordOf(token) === 'from')
  return from < 0 ? tokens.length : from
}

/** Whether the cast is a column of its own. */
const isColumn = (rewrite: Rewrite, { first, end }: Cast, shownTo: number): boolean => {
  if (rewrite.tokens[first]?.depth !== 0 || end >= shownTo) return false
  if (!/^(select|distinct|,)$/i.test(rewrite.tokens[first - 1]?.text ?? '')) return false
  return end + 1 === shownTo || rewrite.is(end + 1, ',') || isName(rewrite.tokens[end + 1])
}

/** Whether the number of the object is meant, and not its name. */
const meansNumber = (rewrite: Rewrite, cast: Cast, shownTo: number): boolean => {
  const { first, last, end } = cast
  const next = rewrite.is(end + 1, ':')
    ? rewrite.word(end + 3)
    : rewrite.word(end + 1) === 'as'
      ? rewrite.word(end + 2)
      : ''
  if (/^(oid|int8?|bigint|integer|int4)$/.test(next)) return true
  if (/^(text|varchar|name)$/.test(next)) return false
  const isText = first === last && rewrite.tokens[first]?.kind === 'text'
  // What is shown is a name, and what is compared a number.
  if (isText && isColumn(rewrite, cast, shownTo)) return false
  const isCall = /^(format|quote_ident|concat)$/.test(rewrite.word(first))
  const isCompared = rewrite.is(first - 1, '=') || rewrite.is(end + 1, '=')
  return isText || isCall || isBuilt(rewrite, cast) || isCompared || rewrite.is(first, '$')
}

/** How the number of one of PostgreSQL's own objects is shown, whose name somebody has written. */
const nameOfNumber = (type: string, number: number, written: string): string =>
  type === 'regtype' ? typeName(number) : type === 'regclass' ? written : (functionName(number) ?? written)

const nameOfObject = (
  rewrite: Rewrite,
  cast: Cast,
  { type, isCall, shownTo }: { type: string; isCall: boolean; shownTo: number },
): void => {
  const isNumber = meansNumber(rewrite, cast, shownTo)
  const isText = cast.first === cast.last && rewrite.tokens[cast.first]?.kind === 'text'
  const written = isText ? (rewrite.text(cast.first) ?? '') : ''
  const number = isText ? rewrite.about(cast.first, () => numberOfName(type, written)) : undefined
  const begin = isCall ? cast.first - 2 : cast.first
  if (number !== undefined) {
    const shown = isNumber ? String(number) : quoteText(nameOfNumber(type, number, written))
    rewrite.replace(begin, cast.end, shown)
    return
  }
  const find = type === 'regclass' ? 'find_regclass' : `to_${type}`
  const finds = isNumber || isText || isBuilt(rewrite, cast)
  const calls = [...(isNumber ? [] : [`${type}_name`]), ...(finds ? [find] : [])]
  const open = calls.map((name) => `${rewrite.own(name)}(`).join('') || '('
  const close = ')'.repeat(calls.length) || ')'
  if (isCall) rewrite.replace(begin, cast.first - 1, open)
  else rewrite.before(cast.first, open)
  rewrite.replace(cast.last + 1, cast.end, close)
}

/** A text that is cast where it stands is what a parameter of that type would be. False where it is none. */
const writeLiteral = (
  rewrite: Rewrite,
  at: number,
  type: string,
  [first, last]: readonly [number, number],
): boolean => {
  const value = rewrite.text(at)
  const isPath = rewrite.is(at - 1, '>') && (rewrite.is(at - 2, '#') || rewrite.is(at - 3, '#'))
  const oid = oidOfName(type)
  if (value === undefined || oid === undefined || isPath || /^_?(interval|oid)/.test(type)) return false
  const bytes = Buffer.from(value)
  const given = { bytes, isBinary: false, oid, kind: 'value', isLoose: false } as const
  rewrite.replace(
    first,
    last,
    rewrite.about(at, () => readParameter(given)),
  )
  return true
}

/** Types whose name may stand before a text. */
const before =
  /^(bool|boolean|bytea|date|timestamp|timestamptz|time|json|jsonb|numeric|decimal|int|integer|int[248]|bigint|smallint)$/

const typeBefore = new RegExp(`${before.source}|^interval$`)

/** `x::varchar(2)` is cut; DuckDB takes the length for a hint. A `char` without a length has one letter. */
const cut = (rewrite: Rewrite, cast: Cast, isCall: boolean): boolean => {
  const isTwo = rewrite.word(cast.typeAt + 1) === 'varying'
  const open = cast.typeAt + (isTwo ? 2 : 1)
  const hasLength = rewrite.is(open, '(')
  const isOne = /^char(acter)?$/.test(wordOf(rewrite.tokens[cast.typeAt])) && !isTwo && !rewrite.is(open, '[')
  if (!/^(varchar|char|character|bpchar)$/.test(rewrite.word(cast.typeAt)) || !(hasLength || isOne))
    return false
  const close = hasLength ? closingAt(rewrite.tokens, open) : cast.typeAt
  const length = hasLength ? rewrite.tokens[open + 1]!.text : '1'
  if (isCall) {
    rewrite.replace(cast.first - 2, cast.first - 2, 'left(CAST')
    rewrite.replace(cast.typeAt, close, `VARCHAR), ${length}`)
  } else {
    rewrite.before(cast.first, 'left(CAST(')
    rewrite.replace(cast.last + 1, close, ` AS VARCHAR), ${length})`)
  }
  return true
}

/** A cast of these to a text is the same in DuckDB, and what a name or number of the catalog becomes is one already. */
const isSame = (rewrite: Rewrite, { first, last }: Cast): boolean =>
  (first === last && rewrite.tokens[last]!.kind === 'text') ||
  (rewrite.is(rewrite.is(last - 1, '.') ? last - 3 : last - 1, ':') &&
    /^(int|int[248]|integer|bigint|smallint|oid|name|reg\w+)$/.test(rewrite.word(last))) ||
  (first === last && /^\d+$/.test(rewrite.tokens[first]!.text))

/** `x::text` of what DuckDB writes otherwise, and `x::time`. */
const castByMacro = (
  rewrite: Rewrite,
  cast: Cast,
  { name, isCall }: { name: string; isCall: boolean },
): void => {
  if (isCall) rewrite.replace(cast.first - 2, cast.first - 1, `${pg}.${name}(`)
  else rewrite.before(cast.first, `${pg}.${name}(`)
  rewrite.replace(cast.last + 1, cast.end, ')')
}

/** Rewrites casts to types of Postgres that DuckDB has not. */
export const rewriteCasts = (rewrite: Rewrite): void => {
  const { tokens } = rewrite
  const shownTo = endOfShown(rewrite)
  for (let at = 1; at < tokens.length; at++) {
    const isQualified = rewrite.word(at) === 'pg_catalog' && rewrite.is(at + 1, '.')
    const typeAt = isQualified ? at + 2 : at
    const type = rewrite.word(typeAt)
    if (type === '' || rewrite.isTaken(at)) continue
    const isCast = rewrite.is(at - 1, ':') && rewrite.is(at - 2, ':')
    const call = isCast ? undefined : castAs(rewrite, at, typeAt)
    if (!isCast && call === undefined) {
      if (before.test(type) && writeLiteral(rewrite, typeAt + 1, typeNameOf([type]), [at, typeAt + 1]))
        at = typeAt + 1
      continue
    }
    // `date '2024-01-01'::text` casts a day.
    const operand = call?.first ?? operandBefore(tokens, at - 3)
    const isTyped =
      isCast && tokens[operand ?? -1]?.kind === 'text' && typeBefore.test(rewrite.word(operand! - 1))
    const begin = isTyped ? operand! - 1 : operand
    if (
      begin !== undefined &&
      cut(rewrite, call ?? { first: begin, last: at - 3, typeAt, end: typeAt }, !isCast)
    )
      continue
    if (type === 'regtype' && isCast && rewrite.is(typeAt + 1, '[')) {
      const names = readArray(rewrite.text(at - 3) ?? '')
      if (names === undefined) continue
      rewrite.replace(
        at - 3,
        typeAt + 2,
        `CAST([${names.map((name) => (name === null ? 'NULL' : numberOrName(type, name))).join(', ')}] AS BIGINT[])`,
      )
      at = typeAt + 2
      continue
    }
    if (nameTypes.has(type)) {
      const first = isCast ? operandBefore(tokens, at - 3) : call!.first
      if (first === undefined) continue
      const cast = call ?? { first, last: at - 3, typeAt, end: typeAt }
      nameOfObject(rewrite, cast, { type, isCall: !isCast, shownTo })
    } else if (/^(text|varchar)$/.test(type) && isCast && /^(indkey|indoption)$/.test(rewrite.word(at - 3))) {
      // A vector of numbers is a text with spaces.
      const first = operandBefore(tokens, at - 3)
      if (first === undefined) continue
      rewrite.before(first, 'array_to_string(')
      rewrite.replace(at - 2, typeAt, `, ' ')`)
    } else if (/^(text|varchar)$/.test(type) && isCast && ofFunction.test(rewrite.word(at - 3))) {
      rewrite.before(operandBefore(tokens, at - 3)!, `${rewrite.own('regproc_name')}(`)
      rewrite.replace(at - 2, typeAt, ')')
    } else if (
      /^(text|varchar|time)$/.test(type) &&
      begin !== undefined &&
      !/^([([]|with)$/i.test(tokens[typeAt + 1]?.text ?? '') &&
      (isCast || (rewrite.is(typeAt + 1, ')') && rewrite.word(begin - 2) === 'cast')) &&
      !(begin === at - 3 && tokens[begin]?.kind === 'text')
    ) {
      const end = rewrite.word(typeAt + 1) === 'without' ? typeAt + 3 : typeAt
      const cast = call ?? { first: begin, last: at - 3, typeAt, end }
      if (type === 'time') castByMacro(rewrite, cast, { name: 'to_time', isCall: !isCast })
      else if (!isSame(rewrite, cast)) castByMacro(rewrite, cast, { name: 'text', isCall: !isCast })
    } else if (
      isCast &&
      !isTyped &&
      !rewrite.is(typeAt + 1, '(') &&
      !/^(with|without|precision|varying)$/.test(rewrite.word(typeAt + 1)) &&
      writeLiteral(rewrite, at - 3, typeNameOf([type]) + (rewrite.is(typeAt + 1, '[') ? '[]' : ''), [
        at - 3,
        rewrite.is(typeAt + 1, '[') ? typeAt + 2 : typeAt,
      ])
    ) {
      if (rewrite.is(typeAt + 1, '[')) at = typeAt + 2
      else at = typeAt
      continue
    } else if (
      call !== undefined &&
      call.first === call.last &&
      // TRY_CAST makes a NULL of a text that is none of the type.
      rewrite.word(call.first - 2) === 'cast' &&
      rewrite.is(typeAt + 1, ')') &&
      writeLiteral(rewrite, call.first, typeNameOf([type]), [call.first - 2, typeAt + 1])
    ) {
      at = typeAt + 1
      continue
    } else if (type.startsWith('_') && oidOfName(type) !== undefined) {
      rewrite.replace(at, typeAt, `${itemTypeOfOid(oidOfName(type)!)!.sql}[]`)
    } else if (
      isCast &&
      /^(numeric|decimal|dec)$/.test(type) &&
      (/^\d+\.\d*$/.test(tokens[at - 3]?.text ?? '') || (rewrite.is(at - 4, '$') && type !== 'dec')) &&
      !rewrite.is(typeAt + 1, '(') &&
      !rewrite.is(typeAt + 1, '[')
    ) {
      // DuckDB's number has all its digits already, and so has a parameter, whose cast is written with its value.
      rewrite.replace(at - 2, typeAt, '')
    } else if (
      call !== undefined &&
      rewrite.is(call.first, '$') &&
      call.last === call.first + 1 &&
      /^(numeric|decimal)$/.test(type) &&
      rewrite.word(call.first - 2) === 'cast' &&
      rewrite.is(typeAt + 1, ')')
    ) {
      rewrite.replace(call.first - 2, call.first - 2, '')
      rewrite.replace(at - 1, typeAt, '')
    } else if (plainTypes.has(type) && !rewrite.is(typeAt + 1, '(')) {
      rewrite.replace(at, typeAt, plainTypes.get(type)!)
    } else if (isQualified) rewrite.replace(at, at + 1, '')
    at = typeAt
  }
}
