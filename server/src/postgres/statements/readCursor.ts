import { type SqlToken, wordOf } from '../../sql/text/tokenize.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { innerStatement, type InnerStatement, nameOf, type Statement } from './statements.js'

/** What a client does with a cursor. A cursor is a portal with a name, as in Postgres. */
export type CursorCommand =
  | { kind: 'declare'; name: string; isHeld: boolean; query: InnerStatement }
  | { kind: 'fetch' | 'move'; name: string; rows: number }
  /** Without a name all are closed. */
  | { kind: 'close'; name?: string }

const wrong = (message: string) => new ProtocolError(sqlState.syntaxError, message)

/** DECLARE name [NO SCROLL] CURSOR [WITH HOLD] FOR query */
const readDeclare = (statement: Statement): CursorCommand => {
  const { tokens } = statement
  const words = tokens.map(wordOf)
  const queryAt = words.indexOf('for', 2) + 1
  if (queryAt === 0 || words.indexOf('cursor', 2) < 0)
    throw wrong('A cursor reads: DECLARE name CURSOR FOR query.')
  const options = words.slice(2, queryAt).join(' ')
  if (/\bbinary\b/.test(options)) {
    throw new ProtocolError(
      sqlState.notSupported,
      'A cursor is not BINARY here: bind FETCH with the binary format.',
    )
  }
  return {
    kind: 'declare',
    name: nameOf(tokens[1]!),
    isHeld: /\bwith hold\b/.test(options),
    query: innerStatement(statement, queryAt, tokens.length),
  }
}

const backwards = () => new ProtocolError('55000', 'A cursor goes only forwards here, from row to row.')

/** The direction of FETCH and MOVE, as a number of rows. */
const rowsOf = (tokens: readonly SqlToken[]): number => {
  const words = tokens.map(({ text }) => text.toLowerCase()).filter((word) => word !== 'forward')
  const [word = tokens.length > 0 ? '1' : 'next', ...more] = words
  if (more.length > 0 || /^(prior|backward|first|last|absolute|relative|-)$/.test(word)) throw backwards()
  if (word === 'next') return 1
  if (word === 'all') return Infinity
  if (!/^\d+$/.test(word)) throw wrong(`FETCH takes a number of rows, or ALL, not ${word.slice(0, 40)}.`)
  return Number(word)
}

const readFetch = (kind: 'fetch' | 'move', tokens: readonly SqlToken[]): CursorCommand => {
  const last = tokens.at(-1)!
  if (tokens.length < 2) throw wrong(`${kind.toUpperCase()} needs the name of a cursor.`)
  const isBetween = tokens.length > 2 && /^(from|in)$/.test(wordOf(tokens.at(-2)))
  return { kind, name: nameOf(last), rows: rowsOf(tokens.slice(1, isBetween ? -2 : -1)) }
}

/** Undefined for a statement that is about no cursor. */
export const readCursor = (statement: Statement): CursorCommand | undefined => {
  const { tokens } = statement
  const verb = wordOf(tokens[0])
  if (verb === 'declare') return readDeclare(statement)
  if (verb === 'fetch' || verb === 'move') return readFetch(verb, tokens)
  if (verb !== 'close') return undefined
  const [, name] = tokens
  if (name === undefined) throw wrong('CLOSE needs the name of a cursor.')
  return wordOf(name) === 'all' ? { kind: 'close' } : { kind: 'close', name: nameOf(name) }
}
