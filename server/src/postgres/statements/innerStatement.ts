import type { Edit } from '../../sql/guard/applyEdits.js'
import type { SqlToken } from '../../sql/guard/tokenize.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { type Statement, statementOf } from './statements.js'

/** A statement that stands inside another one, and where it begins there. */
export interface InnerStatement extends Statement {
  start: number
}

/** Cuts out the statement of the tokens from `from` up to `to`. */
export const innerStatement = ({ text, tokens }: Statement, from: number, to: number): InnerStatement => {
  const inner = tokens.slice(from, to)
  if (inner.length === 0) throw new ProtocolError(sqlState.syntaxError, 'A query is missing.')
  return { ...statementOf(text, inner), start: inner[0]!.start }
}

/** The edits of the outer statement, by their places in the inner one. */
export const innerEdits = ({ start }: InnerStatement, edits: readonly Edit[]): Edit[] =>
  edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }))

/** The index behind the bracket that closes the one at `opening`. */
export const behindBracket = (tokens: readonly SqlToken[], opening: number): number => {
  let open = 0
  for (let at = opening; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!
    if (kind !== 'symbol') continue
    if (text === '(') open++
    else if (text === ')' && --open === 0) return at + 1
  }
  throw new ProtocolError(sqlState.syntaxError, 'A bracket is not closed.')
}
