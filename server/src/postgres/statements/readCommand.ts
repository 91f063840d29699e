import { closingAt } from '../../sql/text/operands.js'
import { isSymbol, type SqlToken, wordOf } from '../../sql/text/tokenize.js'
import { Settings, zoneOf } from '../Settings.js'
import {
  findParameters,
  nameOf,
  type Statement,
  readEscapes,
  textOf,
  innerStatement,
  type InnerStatement,
} from './statements.js'
import { type Field, oidOfName, textField } from '../types.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'

/** A command that the service answers without DuckDB. */
export type Command =
  | { kind: 'begin'; tag: string; isolation?: string | undefined }
  | { kind: 'commit' | 'rollback' | 'nothing'; tag: string }
  /** SAVEPOINT, and what goes back to it or forgets it. */
  | { kind: 'savepoint' | 'rollbackTo' | 'release'; name: string; tag: string }
  /** Without a value it is the default. */
  | { kind: 'set'; name: string; value: string | undefined; isLocal: boolean; tag: 'SET' | 'RESET' }
  | { kind: 'show'; name: string }
  | { kind: 'showAll' }
  | { kind: 'resetAll'; tag: string }
  /** Ends a connection of the same user's, or what it runs. */
  | { kind: 'end'; pid: number | undefined; isWhole: boolean; column: string }
  /** Without a name all prepared statements are forgotten. */
  | { kind: 'deallocate'; name?: string; tag: string }

const nothing = (tag: string): Command => ({ kind: 'nothing', tag })

/** `ISOLATION LEVEL REPEATABLE READ` among what BEGIN and SET TRANSACTION take. */
const isolationIn = (words: readonly string[]): string | undefined => {
  const [, written] = /\bisolation level ((?:read|repeatable) \w+|\w*)/.exec(words.join(' ')) ?? []
  return written
}

/** An interval or a number of hours is east of Greenwich; `+02:00`, `UTC+2` are west, as POSIX has it. */
const readZone = (tokens: readonly SqlToken[]): string => {
  const isInterval = wordOf(tokens[0]) === 'interval' && tokens[1] !== undefined
  const written = isInterval ? textOf(tokens[1]!) : joined(tokens)
  const [, name, sign, hours, minutes = 0, part = 0] =
    /^((?:UTC|GMT)?)([+-]?)(\d\d?)(?::(\d\d)|(\.\d+))?$/i.exec(written) ?? []
  if (hours === undefined) return written
  const isPosix = !isInterval && (name !== '' || minutes !== 0)
  const offset = 60 * (Number(hours) + Number(part)) + Number(minutes)
  return zoneOf((sign === '-') === isPosix ? offset : -offset) ?? written
}

const joined = (tokens: readonly SqlToken[]) => tokens.map(textOf).join('')

/** The name of a setting, which may have dots, and the index behind it. */
const nameAt = (words: readonly string[], at: number): [name: string, behind: number] => {
  let behind = at + 1
  while (words[behind] === '.') behind += 2
  return [words.slice(at, behind).join(''), behind]
}

/** What a setting is set to; undefined for the word DEFAULT. */
const valueOf = (tokens: readonly SqlToken[], name: string): string | undefined => {
  if (tokens.length === 1 && wordOf(tokens[0]) === 'default') return undefined
  const read = readEscapes(tokens)
  return name === 'timezone' ? readZone(read) : joined(read)
}

const readSet = (tokens: readonly SqlToken[], words: readonly string[]): Command | undefined => {
  let at = 1
  if (words[at] === 'session' || words[at] === 'local') at++
  const set = (name: string, value: string | undefined, isLocal = words[1] === 'local'): Command => ({
    kind: 'set',
    name,
    value,
    isLocal,
    tag: 'SET',
  })
  if (words[at] === 'characteristics' || words[at] === 'transaction') {
    const isolation = isolationIn(words)
    if (isolation === undefined) return nothing('SET')
    const isWhole = words[at] === 'characteristics'
    return set(isWhole ? 'default_transaction_isolation' : 'transaction_isolation', isolation, !isWhole)
  }
  if (words[at] === 'authorization' || words[at] === 'role') return nothing('SET')
  if (words[at] === 'names') return set('client_encoding', textOf(tokens[at + 1] ?? tokens[at]!))
  if (words[at] === 'time' && words[at + 1] === 'zone')
    return set('TimeZone', valueOf(tokens.slice(at + 2), 'timezone'))
  const [name, behind] = nameAt(words, at)
  if (name === '' || name === 'variable' || name === 'global') return undefined
  const isPlain = words[behind] === '=' || words[behind] === 'to'
  return isPlain ? set(name, valueOf(tokens.slice(behind + 1), name)) : undefined
}

/** What a client writes for a value, also as a parameter, before and after its value is known. */
const value = String.raw`(?:''|null|\d+|\$ \d+|cast \( (?:''|null) as \w+ \))`
// Superset's stop button names the connection behind WHERE.
const ending = new RegExp(
  String.raw`^select pg_(cancel|terminate)_backend \( (?:(?:- )?${value}|pid) \)(?: as \w+)?( from (?:pg_catalog \. )?pg_stat_activity where pid = ${value})?$`,
)

/** A SELECT of one function that does something: `pg_cancel_backend(1)`. */
const readSelect = (statement: Statement): Command | undefined => {
  const tokens =
    wordOf(statement.tokens[1]) === 'pg_catalog' ? statement.tokens.toSpliced(1, 2) : statement.tokens
  const written = tokens.map((token) => (token.kind === 'text' ? "''" : token.text.toLowerCase())).join(' ')
  const values = tokens.filter(({ kind, text }) => kind === 'text' || /^\d+$/.test(text)).map(textOf)
  const [, verb, where] = ending.exec(written) ?? []
  if (verb === undefined) return undefined
  const end = closingAt(tokens, 2)
  const named = wordOf(tokens[end + 1]) === 'as' ? nameOf(tokens[end + 2]!) : undefined
  if ((where === undefined) === (wordOf(tokens[3]) === 'pid')) return undefined
  const pid = values.length === 0 ? undefined : Number(values[0]) * (isSymbol(tokens[3], '-') ? -1 : 1)
  return { kind: 'end', pid, isWhole: verb === 'terminate', column: named ?? `pg_${verb}_backend` }
}

/** The first schema of a search path counts. The analytics views always follow it. */
export const firstSchema = (path: string): string | undefined =>
  path
    .split(',')
    .map((each) => each.trim().replace(/^"(.*)"$/, '$1'))
    .find((each) => !/^(\$?user|public|pg_catalog|)$/i.test(each))

/** Reads the commands for settings and transactions that tools send; undefined for a statement that DuckDB must answer. */
export const readCommand = (statement: Statement, settings: Settings): Command | undefined => {
  const { tokens } = statement
  const words = tokens.map(({ kind, text }) => (kind === 'text' ? '' : text.toLowerCase()))
  switch (words[0]) {
    case 'begin':
      return { kind: 'begin', tag: 'BEGIN', isolation: isolationIn(words) }
    case 'start':
      return { kind: 'begin', tag: 'START TRANSACTION', isolation: isolationIn(words) }
    case 'commit':
    case 'end':
      return { kind: 'commit', tag: 'COMMIT' }
    case 'rollback':
    case 'abort':
      // After ROLLBACK TO a savepoint the transaction goes on.
      return words.includes('to')
        ? { kind: 'rollbackTo', name: nameOf(tokens.at(-1)!), tag: 'ROLLBACK' }
        : { kind: 'rollback', tag: 'ROLLBACK' }
    case 'savepoint':
    case 'release':
      return { kind: words[0], name: nameOf(tokens.at(-1)!), tag: words[0].toUpperCase() }
    case 'deallocate': {
      const last = tokens.at(-1)!
      return words.at(-1) === 'all' || tokens.length < 2
        ? { kind: 'deallocate', tag: 'DEALLOCATE ALL' }
        : { kind: 'deallocate', name: nameOf(last), tag: 'DEALLOCATE' }
    }
    case 'discard':
      // Plans, sequences and temporary tables there are none.
      return words[1] === 'all'
        ? { kind: 'resetAll', tag: 'DISCARD ALL' }
        : nothing(`DISCARD ${words[1]?.toUpperCase() ?? ''}`)
    case 'listen':
    case 'unlisten':
      return nothing(words[0].toUpperCase())
    case 'reset':
      if (words[1] === 'all') return { kind: 'resetAll', tag: 'RESET' }
      return {
        kind: 'set',
        name: words[1] === 'time' ? 'TimeZone' : nameAt(words, 1)[0],
        value: undefined,
        isLocal: false,
        tag: 'RESET',
      }
    case 'set':
      return readSet(tokens, words)
    case 'select':
      return readSelect(statement)
    case 'show':
      return readShow(words.slice(1), settings)
    default:
      return undefined
  }
}

const readShow = (words: readonly string[], settings: Settings): Command | undefined => {
  const name = words.join(' ')
  if (name === 'all') return { kind: 'showAll' }
  if (name === 'time zone') return { kind: 'show', name: 'TimeZone' }
  if (name === 'transaction isolation level') return { kind: 'show', name: 'transaction_isolation' }
  // DuckDB shows what a table is.
  const [written] = nameAt(words, 0)
  const known = Settings.find(name) ?? (settings.get(written) === undefined ? undefined : written)
  return known === undefined ? undefined : { kind: 'show', name: known }
}

/** The types of the parameters of a command: the number of a connection. */
export const parameterTypes = (statement: Statement, { kind }: Command): number[] => {
  const types: number[] = []
  for (const { number } of findParameters(statement))
    types[number - 1] = oidOfName(kind === 'end' ? 'int4' : 'text')!
  return Array.from(types, (oid) => oid ?? 0)
}

/** The columns of what a command answers. */
export const answerOf = (command: Command): Field[] | undefined => {
  if (command.kind === 'end') return [{ name: command.column, oid: 16, size: 1, modifier: -1 }]
  if (command.kind === 'show') return [textField(command.name)]
  if (command.kind === 'showAll') return ['name', 'setting', 'description'].map(textField)
  return undefined
}

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
