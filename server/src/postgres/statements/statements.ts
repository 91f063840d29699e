import { maxTokens } from '../../sql/guard/findExcess.js'
import { type Edit, placeBefore } from '../../sql/text/edits.js'
import { isSymbol, type SqlToken, tokenize, wordOf } from '../../sql/text/tokenize.js'
import { asProtocolError, ProtocolError, sqlState } from '../ProtocolError.js'
import { typeNameOf } from '../types.js'

/** A statement that stands inside another one, and where it begins there. */
export interface InnerStatement extends Statement {
  start: number
}

/** Cuts out the statement of the tokens from `from` up to `to`. */
export const innerStatement = (
  { text, tokens, sent }: Statement,
  from: number,
  to: number,
): InnerStatement => {
  if (from >= to) throw new ProtocolError(sqlState.syntaxError, 'A query is missing.')
  const { start } = tokens[from]!
  const { text: all, start: begin } = sent ?? { text, start: 0 }
  return {
    ...statementOf(text.slice(start, tokens[to - 1]!.end), { text: all, start: begin + start }),
    start,
  }
}

/** The edits of the outer statement, by their places in the inner one. */
export const innerEdits = ({ start }: { start: number }, edits: readonly Edit[]): Edit[] =>
  edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }))

/** One statement of the text that a client sent. */
export interface Statement {
  text: string
  tokens: readonly SqlToken[]
  /** All that the client has sent, and where this statement begins there. */
  sent?: Sent
}

interface Sent {
  text: string
  start: number
  /** What was written into it since: the values of parameters. */
  edits?: readonly Edit[]
}

/** A name as Postgres means it: in small letters, unless it is quoted. */
export const nameOf = ({ kind, text }: SqlToken): string => (kind === 'name' ? text : text.toLowerCase())

/** What a text says, and any other token as it is. */
export const textOf = ({ kind, text }: SqlToken): string =>
  kind === 'text' ? text.replace(/^[eE]?'|'$/g, '').replaceAll("''", "'") : text

const escaped: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Makes a plain text of each `E'\t'`, which is a word and a text. */
export const readEscapes = (tokens: readonly SqlToken[]): SqlToken[] => {
  const isEscaped = (at: number) =>
    tokens[at]?.kind === 'text' && wordOf(tokens[at - 1]) === 'e' && tokens[at - 1]?.end === tokens[at].start
  return tokens.flatMap((token, at) => {
    if (isEscaped(at + 1)) return []
    if (!isEscaped(at)) return [token]
    const text = token.text.replaceAll(/\\(.)/gs, (_, sign: string) =>
      sign === "'" ? "''" : (escaped[sign] ?? sign),
    )
    return [{ ...token, text }]
  })
}

/** In characters from 1. */
const positionIn = (text: string, place: number): number => [...text.slice(0, place)].length + 1

const tokensOf = (sql: string): readonly SqlToken[] => {
  const { tokens, problem, place } = tokenize(sql, maxTokens)
  if (problem === undefined) return tokens
  const error = new ProtocolError(sqlState.syntaxError, problem)
  if (place !== undefined) error.position = positionIn(sql, place)
  throw error
}

export const statementOf = (text: string, sent: Sent = { text, start: 0 }): Statement => ({
  text,
  tokens: tokensOf(text),
  sent,
})

/** Cuts a text at its semicolons and leaves out empty statements. */
export const splitStatements = (sql: string): Statement[] => {
  const statements: Statement[] = []
  let part: SqlToken[] = []
  const end = () => {
    if (part.length > 0) {
      const { start } = part[0]!
      statements.push(statementOf(sql.slice(start, part.at(-1)!.end), { text: sql, start }))
    }
    part = []
  }
  for (const token of tokensOf(sql)) {
    if (isSymbol(token, ';')) end()
    else part.push(token)
  }
  end()
  return statements
}

/** Whether a statement reads or changes settings by functions, which need the values of its parameters first. */
export const asksSettings = ({ tokens }: Statement): boolean =>
  tokens.some((token) => /^(set_config|current_setting)$/i.test(token.text))

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

/** Whether the first line of a message of DuckDB's names what stands at a token. */
const isNamed = (message: string, token: SqlToken | undefined): boolean => {
  if (token === undefined) return false
  const [line = ''] = message.toLowerCase().split('\n', 1)
  const text = token.text.toLowerCase()
  if (token.kind === 'text') return [text, `"${text.slice(1, -1)}"`].some((each) => line.includes(each))
  if (token.kind === 'symbol') return [`"${text}`, `'${text}`].some((each) => line.includes(each))
  return text !== '' && line.includes(text)
}

/** These say what is wrong without a name, of what stands at their place. */
const nameless = /ORDER term out of range|cannot contain window functions|Subquery returns/

/** The place of what a message of DuckDB's is about, near the one that it has; undefined where it is about nothing there. */
const placeNamed = (message: string, { tokens }: Statement, place: number): number | undefined => {
  // What a row has is no mistake of the statement's.
  if (/from source column/.test(message)) return undefined
  let at = tokens.findIndex(({ start }) => start === place)
  if (at < 0) return undefined
  // A literal stands before or behind its type.
  const literals = [at, at + 1, at + 2, ...(isSymbol(tokens[at], ':') ? [at - 1] : [])]
  const literal = literals.find((each) => tokens[each]?.kind === 'text' && isNamed(message, tokens[each]))
  if (literal !== undefined) return tokens[literal]!.start
  // The place of `a.b.c` is that of `a`.
  while (isSymbol(tokens[at - 1], '.')) at -= 2
  let end = at
  while (isSymbol(tokens[end + 1], '.')) end += 2
  const isAbout = nameless.test(message) || tokens.slice(at, end + 1).some((token) => isNamed(message, token))
  return isAbout ? tokens[at]!.start : undefined
}

/** The error of a statement that DuckDB was given with these edits, with its position in what the client has sent. */
export const placeError = (error: unknown, statement: Statement, edits: readonly Edit[]): ProtocolError => {
  const found = asProtocolError(error)
  if (found.position !== undefined) return found
  const isOwn = error instanceof ProtocolError
  const given = isOwn || found.place === undefined ? found.place : placeBefore(edits, found.place)
  const isOfDuckdb = /^[A-Z]\w+ Error: /.test(found.message)
  const place = /at end of input/.test(found.message)
    ? statement.text.length
    : given === undefined || !isOfDuckdb
      ? given
      : placeNamed(found.message, statement, given)
  // A place that was not found is not looked for once more, in another text.
  delete found.place
  if (place === undefined) return found
  const { text, start, edits: since = [] }: Sent = statement.sent ?? { text: statement.text, start: 0 }
  const sentPlace = placeBefore(since, place)
  if (sentPlace === undefined) return found
  const detail = found.detail?.replace(/^LINE \d+: .*\n *\^\n*/m, '').trim()
  const placed = new ProtocolError(found.code, found.message, detail === '' ? undefined : detail)
  placed.position = positionIn(text, start + sentPlace)
  return placed
}

export const throwPlaced =
  (statement: Statement, edits: readonly Edit[]) =>
  (error: unknown): never => {
    throw placeError(error, statement, edits)
  }
