import type { Edit } from '../../sql/guard/applyEdits.js'
import type { SqlToken } from '../../sql/guard/tokenize.js'
import { quoteText } from '../../store/quote.js'
import type { Statement } from '../statements.js'
import { catalogMacros, catalogSchema, catalogViews } from './catalogSchema.js'

/** Postgres's types for names and numbers of objects, and the types that DuckDB uses for them. */
const plainTypes: Record<string, string> = { oid: 'BIGINT', name: 'VARCHAR', regproc: 'VARCHAR', xid: 'BIGINT', regprocedure: 'VARCHAR', regoper: 'VARCHAR' } // prettier-ignore
const nameTypes = new Set(['regclass', 'regtype', 'regnamespace'])
/** DuckDB has these functions too, but returns something else. */
const replaced = new Set(['version', 'current_user', 'session_user', 'current_role'])

const lower = ({ kind, text }: SqlToken): string =>
  kind === 'word' || kind === 'name' ? text.toLowerCase() : ''

const isAbout = (token: SqlToken, next: SqlToken | undefined): boolean => {
  const word = lower(token)
  if (word === '') return false
  if (/^(pg_|information_schema$|reg[a-z]+$)/.test(word) || replaced.has(word)) return true
  return next?.text === '(' && catalogMacros.has(word)
}

/** Finds where the operand of a cast begins. The operand is a path of names, or a call, or something in brackets. */
const operandStart = (tokens: readonly SqlToken[], last: number): number => {
  let at = last
  if (tokens[at]?.text === ')') {
    for (let depth = 0; at >= 0; at--) {
      if (tokens[at]!.text === ')') depth++
      else if (tokens[at]!.text === '(' && --depth === 0) break
    }
    if (at > 0 && lower(tokens[at - 1]!) !== '') at--
    else return at
  }
  while (tokens[at - 1]?.text === '.') at -= 2
  return Math.max(at, 0)
}

/**
 * The edits that make DuckDB's SQL of a query on Postgres's catalog. A statement that does not name the
 * catalog is left as it is, because people write DuckDB's SQL.
 */
export const translate = ({ tokens }: Statement, user: string): Edit[] => {
  if (!tokens.some((token, at) => isAbout(token, tokens[at + 1]))) return []
  const edits: Edit[] = []
  const replace = (from: number, to: number, text: string) => {
    edits.push({ start: tokens[from]!.start, end: tokens[to]!.end, text })
  }
  const isSymbol = (at: number, text: string) => tokens[at]?.kind === 'symbol' && tokens[at]?.text === text
  const isCast = (at: number) => isSymbol(at - 1, ':') && isSymbol(at - 2, ':')
  const isCastAs = (at: number, end: number) =>
    /^as$/i.test(tokens[at - 1]?.text ?? '') && (isSymbol(end + 1, ')') || isSymbol(end + 1, '['))

  /** The edits for a cast `::type`. The type begins at `at`, and its own name stands at `end`. */
  const castTo = (at: number, end: number) => {
    const type = lower(tokens[end]!)
    if (nameTypes.has(type)) {
      const last = at - 3
      const isText = tokens[last]?.kind === 'text'
      const from = isText ? last : operandStart(tokens, last)
      const call = isText ? `to_${type}` : `${type}_name`
      edits.push({ start: tokens[from]!.start, end: tokens[from]!.start, text: `${catalogSchema}.${call}(` })
      replace(at - 2, end, ')')
    } else if (plainTypes[type] !== undefined) replace(at, end, plainTypes[type])
    else if (end > at) replace(at, end - 1, '')
  }

  for (let at = 0; at < tokens.length; at++) {
    const word = lower(tokens[at]!)
    const next = tokens[at + 1]
    const isQualified = isSymbol(at - 1, '.')
    if (isSymbol(at, '~')) {
      // DuckDB's operator `~` must match the whole text, Postgres's only a part of it.
      const isLoose = isSymbol(at + 1, '*')
      const pattern = tokens[at + (isLoose ? 2 : 1)]
      if (pattern?.kind === 'text') matchPart(at, isLoose)
      continue
    }
    if (word === '') continue
    if (word === 'operator' && next?.text === '(') {
      const end = tokens.findIndex((token, index) => index > at && token.text === ')')
      const signs = tokens.slice(at + 2, end).filter((token) => token.kind === 'symbol' && token.text !== '.')
      const operator = signs.map((token) => token.text).join('')
      replace(at, end, operator)
      const pattern = tokens[end + 1]
      if (/^!?~\*?$/.test(operator) && pattern?.kind === 'text') partOf(pattern, operator.endsWith('*'))
      at = end
    } else if (word === 'collate' && next !== undefined && lower(next) === 'pg_catalog') {
      replace(at, at + 3, '')
      at += 3
    } else if (word === 'pg_catalog' && next?.text === '.' && !isQualified) {
      const end = at + 2
      const named = lower(tokens[end] ?? next)
      if (isCast(at)) castTo(at, end)
      else if (isCastAs(at, end)) replace(at, end, plainTypes[named] ?? tokens[end]!.text)
      else if (catalogViews.has(named) || catalogMacros.has(named)) replace(at, at, catalogSchema)
      else replace(at, at + 1, '')
      at = end
    } else if (word === 'information_schema' && next?.text === '.') {
      const named = lower(tokens[at + 2] ?? next)
      if (catalogViews.has(`information_schema_${named}`))
        replace(at, at + 2, `${catalogSchema}.information_schema_${named}`)
      else if (catalogMacros.has(named)) replace(at, at, catalogSchema)
      at += 2
    } else if (isCast(at) && (nameTypes.has(word) || plainTypes[word] !== undefined)) castTo(at, at)
    else if (isCastAs(at, at) && plainTypes[word] !== undefined) replace(at, at, plainTypes[word])
    else if (isQualified) continue
    else if (next?.text === '(' ? catalogMacros.has(word) : isRelation(at, word)) {
      edits.push({ start: tokens[at]!.start, end: tokens[at]!.start, text: `${catalogSchema}.` })
    } else if (/^(current_user|session_user|current_role)$/.test(word)) replace(at, at, quoteText(user))
  }
  return edits

  function isRelation(at: number, word: string): boolean {
    const before = tokens[at - 1]
    return catalogViews.has(word) && before !== undefined && /^(from|join|,|\()$/i.test(before.text)
  }

  function partOf(pattern: SqlToken, isLoose: boolean): void {
    const inner = pattern.text.replace(/^[eE]?'|'$/g, '')
    const prefix = pattern.text.slice(0, pattern.text.indexOf("'"))
    edits.push({
      start: pattern.start,
      end: pattern.end,
      text: `${prefix}'${isLoose ? '(?is)' : '(?s)'}.*(?:${inner}).*'`,
    })
  }

  function matchPart(at: number, isLoose: boolean): void {
    if (isLoose) replace(at + 1, at + 1, '')
    partOf(tokens[at + (isLoose ? 2 : 1)]!, isLoose)
  }
}
