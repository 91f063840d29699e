import { maxTokens } from '../../sql/guard/findExcess.js'
import type { Edit } from '../../sql/text/edits.js'
import { isSymbol, type SqlToken, tokenize } from '../../sql/text/tokenize.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { typeNameOf } from '../types.js'

/** A statement that stands inside another one, and where it begins there. */
export interface InnerStatement extends Statement {
  start: number
}

/** Cuts out the statement of the tokens from `from` up to `to`. */
export const innerStatement = ({ text, tokens }: Statement, from: number, to: number): InnerStatement => {
  if (from >= to) throw new ProtocolError(sqlState.syntaxError, 'A query is missing.')
  const { start } = tokens[from]!
  return { ...statementOf(text.slice(start, tokens[to - 1]!.end)), start }
}

/** The edits of the outer statement, by their places in the inner one. */
export const innerEdits = ({ start }: { start: number }, edits: readonly Edit[]): Edit[] =>
  edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }))

/** One statement of the text that a client sent. */
export interface Statement {
  text: string
  tokens: readonly SqlToken[]
}

/** A name as Postgres means it: in small letters, unless it is quoted. */
export const nameOf = ({ kind, text }: SqlToken): string => (kind === 'name' ? text : text.toLowerCase())

/** What a text says, and any other token as it is. */
export const textOf = ({ kind, text }: SqlToken): string =>
  kind === 'text' ? text.replace(/^[eE]?'|'$/g, '').replaceAll("''", "'") : text

const tokensOf = (sql: string): readonly SqlToken[] => {
  const { tokens, problem } = tokenize(sql, maxTokens)
  if (problem !== undefined) throw new ProtocolError(sqlState.syntaxError, problem)
  return tokens
}

export const statementOf = (text: string): Statement => ({ text, tokens: tokensOf(text) })

/** Cuts a text at its semicolons and leaves out empty statements. */
export const splitStatements = (sql: string): Statement[] => {
  const statements: Statement[] = []
  let part: SqlToken[] = []
  const end = () => {
    if (part.length > 0) statements.push(statementOf(sql.slice(part[0]!.start, part.at(-1)!.end)))
    part = []
  }
  for (const token of tokensOf(sql)) {
    if (isSymbol(token, ';')) end()
    else part.push(token)
  }
  end()
  return statements
}

/** One `$1` in a statement, with its position in the text. */
export interface ParameterMark {
  number: number
  /** The index of its first token. */
  at: number
  start: number
  end: number
  /**
   * list: the parameter stands in `ANY ($1)`. members: it stands in `= ANY ($1)`, which is written as an
   * IN, because the items of an IN need no types.
   */
  kind: 'value' | 'list' | 'members'
  /** The name of the type that it is cast to, `int4` or `int4[]`; undefined without a cast. */
  cast?: string
}

/** The type in `$1::type` or `CAST($1 AS type)`, whose first token is at `at`. */
const castBehind = (tokens: readonly SqlToken[], at: number): string | undefined => {
  const is = (index: number, text: string) => tokens[index]?.text.toLowerCase() === text
  let first = is(at, ':') && is(at + 1, ':') ? at + 2 : is(at, 'as') ? at + 1 : undefined
  if (first === undefined) return undefined
  if (is(first, 'pg_catalog') && is(first + 1, '.')) first += 2
  const words = [tokens[first], tokens[first + 1]].map((token) => (token === undefined ? '' : nameOf(token)))
  const isTwo = /^(varying|precision|with)$/.test(words[1]!)
  const name = typeNameOf(isTwo ? words : words.slice(0, 1))
  return is(first + (isTwo ? 2 : 1), '[') ? `${name}[]` : name
}

/** Whether a parameter stands beside a written-out number in `generate_series(1, $1)`. */
const countsTo = (tokens: readonly SqlToken[], at: number): boolean => {
  const open = tokens[at]!.around
  return (
    /^generate_series$/i.test(tokens[open - 1]?.text ?? '') && /^\d{1,9}$/.test(tokens[open + 1]?.text ?? '')
  )
}

/** Finds all parameters `$1`, `$2`, … of a statement. */
export const findParameters = ({ tokens }: Statement): ParameterMark[] =>
  tokens.flatMap((token, at): ParameterMark[] => {
    const next = tokens[at + 1]
    const isMark = token.kind === 'symbol' && token.text === '$' && next?.start === token.end
    if (!isMark || !/^\d{1,5}$/.test(next.text)) return []
    const cast = castBehind(tokens, at + 2) ?? (countsTo(tokens, at) ? 'int4' : undefined)
    const place = { number: Number(next.text), at, start: token.start, end: next.end }
    const mark = cast === undefined ? place : { ...place, cast }
    const [sign, before, word, bracket] = [tokens[at - 4], tokens[at - 3], tokens[at - 2], tokens[at - 1]]
    if (bracket?.text !== '(' || !/^(any|all|some)$/i.test(word?.text ?? ''))
      return [{ ...mark, kind: 'value' }]
    const close = tokens[at + 2]
    const isEqual = before?.text === '=' && !/^[<>!=~]$/.test(sign?.text ?? '') && !/^all$/i.test(word!.text)
    if (!isEqual || close?.text !== ')') return [{ ...mark, kind: 'list' }]
    return [{ ...mark, at: at - 3, start: before.start, end: close.end, kind: 'members' }]
  })
