import { operandBefore } from '../../sql/text/operands.js'
import { pg } from '../catalog/names.js'
import { functionOid, ofFunction, typeOidOf } from '../catalog/typeTables.js'
import { quoteText } from '../../duckdb/quote.js'
import { readArray } from '../messages/encodeBinary.js'
import { ProtocolError } from '../ProtocolError.js'
import { itemTypeOfOid, oidOfName, typeNameOf, typeOfOid } from '../types.js'
import type { Rewrite } from './Rewrite.js'

/** Types that DuckDB calls otherwise. A `numeric` without digits holds more than DuckDB's, which has three after the point. */
const plainTypes: Record<string, string> = {
  oid: 'BIGINT', xid: 'BIGINT', name: 'VARCHAR', regoper: 'VARCHAR', regoperator: 'VARCHAR', regrole: 'VARCHAR',
  jsonb: 'JSON', numeric: 'DECIMAL(38, 10)', decimal: 'DECIMAL(38, 10)', dec: 'DECIMAL(38, 10)',
} // prettier-ignore
/** A value of these is the number of an object, and is written as its name. */
const nameTypes = new Set(['regclass', 'regtype', 'regnamespace', 'regproc', 'regprocedure'])

/** The number of a type or function that is named in a text; undefined where it is known only at the run. */
const numberOfName = (type: string, name: string): number | undefined => {
  if (/^\d*$/.test(name)) return undefined
  if (type.startsWith('regproc')) return functionOid(name.replace(/^pg_catalog\./, '').replace(/\(.*/, ''))
  if (type !== 'regtype') return undefined
  const found = typeOidOf(name)
  if (found === undefined) throw new ProtocolError('42704', `type "${name.slice(0, 80)}" does not exist`)
  return found
}

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
  if (rewrite.word(at - 1) !== 'as' || !(rewrite.is(typeAt + 1, ')') || rewrite.is(typeAt + 1, '[')))
    return undefined
  const open = rewrite.tokens[at]!.around
  return rewrite.is(open, '(') && /^(try_)?cast$/.test(rewrite.word(open - 1))
    ? { first: open + 1, last: at - 2, typeAt, end: typeAt + 1 }
    : undefined
}

/** Whether the number of the object is meant, and not its name. */
const meansNumber = (rewrite: Rewrite, { first, last, end }: Cast): boolean => {
  const next = rewrite.is(end + 1, ':')
    ? rewrite.word(end + 3)
    : rewrite.word(end + 1) === 'as'
      ? rewrite.word(end + 2)
      : ''
  if (/^(oid|int8?|bigint|integer|int4)$/.test(next)) return true
  if (/^(text|varchar|name)$/.test(next)) return false
  const isText = first === last && rewrite.tokens[first]?.kind === 'text'
  // What is shown is a name, and what is compared a number.
  const isShown = rewrite.word(first - 1) === 'select' && rewrite.tokens[first]?.depth === 0
  if (isText && isShown && (end + 1 === rewrite.tokens.length || rewrite.is(end + 1, ','))) return false
  const isCall = /^(format|quote_ident|concat)$/.test(rewrite.word(first))
  return (
    isText || isCall || rewrite.is(first, '$') || rewrite.is(first - 1, '=') || rewrite.word(end + 1) === '='
  )
}

const nameOfObject = (rewrite: Rewrite, cast: Cast, type: string, isCall: boolean): void => {
  const isNumber = meansNumber(rewrite, cast)
  const isText = cast.first === cast.last && rewrite.tokens[cast.first]?.kind === 'text'
  const number = isText ? numberOfName(type, rewrite.text(cast.first) ?? '') : undefined
  if (number !== undefined) rewrite.replace(cast.first, cast.first, String(number))
  const finds = number === undefined && (isNumber || isText)
  const find = type === 'regclass' ? 'find_regclass' : `to_${type}`
  const names = isNumber ? [] : [`${type}_name`]
  const calls = [...names, ...(finds ? [find] : [])]
  const open = calls.map((name) => `${pg}.${name}(`).join('') || '('
  const close = ')'.repeat(calls.length) || ')'
  if (isCall) {
    rewrite.replace(cast.first - 2, cast.first - 1, open)
    rewrite.replace(cast.last + 1, cast.end, close)
  } else {
    rewrite.before(cast.first, open)
    rewrite.replace(cast.last + 1, cast.end, close)
  }
}

/** Writes `'{a,b}'::text[]` as a list; false where it is something else. */
const writeList = (rewrite: Rewrite, at: number, typeAt: number): boolean => {
  const items = readArray(rewrite.text(at - 3) ?? '')
  const oid = oidOfName(typeNameOf([rewrite.word(typeAt)]))
  const isPath = rewrite.is(at - 4, '>') && (rewrite.is(at - 5, '#') || rewrite.is(at - 6, '#'))
  if (items === undefined || oid === undefined || isPath) return false
  const list = items.map((item) => (item === null ? 'NULL' : quoteText(item))).join(', ')
  rewrite.replace(at - 3, typeAt + 2, `CAST([${list}] AS ${typeOfOid(oid)!.sql}[])`)
  return true
}

/** Rewrites casts to types of Postgres that DuckDB has not. */
export const rewriteCasts = (rewrite: Rewrite): void => {
  const { tokens } = rewrite
  for (let at = 1; at < tokens.length; at++) {
    const isQualified = rewrite.word(at) === 'pg_catalog' && rewrite.is(at + 1, '.')
    const typeAt = isQualified ? at + 2 : at
    const type = rewrite.word(typeAt)
    if (type === '') continue
    const isCast = rewrite.is(at - 1, ':') && rewrite.is(at - 2, ':')
    const call = isCast ? undefined : castAs(rewrite, at, typeAt)
    if (!isCast && call === undefined) continue
    if (nameTypes.has(type)) {
      const first = isCast ? operandBefore(tokens, at - 3) : call!.first
      if (first === undefined) continue
      nameOfObject(rewrite, call ?? { first, last: at - 3, typeAt, end: typeAt }, type, !isCast)
    } else if (/^(text|varchar)$/.test(type) && isCast && /^(indkey|indoption)$/.test(rewrite.word(at - 3))) {
      // A vector of numbers is a text with spaces.
      const first = operandBefore(tokens, at - 3)
      if (first === undefined) continue
      rewrite.before(first, 'array_to_string(')
      rewrite.replace(at - 2, typeAt, `, ' ')`)
    } else if (/^(text|varchar)$/.test(type) && isCast && ofFunction.test(rewrite.word(at - 3))) {
      rewrite.before(operandBefore(tokens, at - 3)!, `${pg}.regproc_name(`)
      rewrite.replace(at - 2, typeAt, ')')
    } else if (isCast && rewrite.is(typeAt + 1, '[') && writeList(rewrite, at, typeAt)) {
      at = typeAt + 2
      continue
    } else if (type.startsWith('_') && oidOfName(type) !== undefined) {
      rewrite.replace(at, typeAt, `${itemTypeOfOid(oidOfName(type)!)!.sql}[]`)
    } else if (plainTypes[type] !== undefined && !rewrite.is(typeAt + 1, '(')) {
      rewrite.replace(at, typeAt, plainTypes[type])
    } else if (isQualified) rewrite.replace(at, at + 1, '')
    at = typeAt
  }
}
