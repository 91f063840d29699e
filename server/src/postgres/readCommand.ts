import type { SqlToken } from '../sql/guard/tokenize.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import { Settings } from './Settings.js'
import type { Statement } from './statements.js'

/** A command that the service answers without DuckDB, except for `instead`. */
export type Command =
  | { kind: 'begin' | 'commit' | 'rollback' | 'nothing'; tag: string }
  | { kind: 'set'; name: string; value: string }
  | { kind: 'show'; name: string }
  | { kind: 'showAll' }
  | { kind: 'resetAll'; tag: string }
  /** DuckDB has this command in another form, `text`. */
  | { kind: 'instead'; text: string; tag: string }

const textOf = ({ kind, text }: SqlToken): string =>
  kind === 'text' ? text.replace(/^[eE]?'|'$/g, '').replaceAll("''", "'") : text

const nothing = (tag: string): Command => ({ kind: 'nothing', tag })

const readSet = (tokens: readonly SqlToken[], words: readonly string[]): Command | undefined => {
  let at = 1
  if (words[at] === 'session' || words[at] === 'local') at++
  if (words[at] === 'characteristics' || words[at] === 'transaction') return nothing('SET')
  if (words[at] === 'names')
    return { kind: 'set', name: 'client_encoding', value: textOf(tokens[at + 1] ?? tokens[at]!) }
  if (words[at] === 'time' && words[at + 1] === 'zone') return readZone(tokens.slice(at + 2))
  const name = words[at]
  if (name === undefined || name === 'variable' || name === 'global') return undefined
  const isPlain = words[at + 1] === '=' || words[at + 1] === 'to'
  if (!isPlain) return undefined
  const values = tokens.slice(at + 2)
  if (name === 'timezone') return readZone(values)
  if (name === 'search_path') return readPath(values)
  return { kind: 'set', name, value: values.map(textOf).join('') }
}

const readZone = (values: readonly SqlToken[]): Command => {
  const value = values.map(textOf).join('')
  const zone = /^(default|local)$/i.test(value) ? 'UTC' : value
  return { kind: 'instead', text: `SET TimeZone = '${zone.replaceAll("'", "''")}'`, tag: 'SET' }
}

/** Only the first schema of a search path is used. The analytics views always follow it. */
const readPath = (values: readonly SqlToken[]): Command => {
  const schema = values
    .map(textOf)
    .find((each) => !/^(,|\$|"?\$?user"?|public|pg_catalog|default|)$/i.test(each))
  if (schema === undefined) return nothing('SET')
  return { kind: 'instead', text: `USE "${schema.replaceAll('"', '""')}"`, tag: 'SET' }
}

/** Reads the commands for settings and transactions that tools send; undefined for a statement that DuckDB must answer. */
export const readCommand = ({ tokens }: Statement): Command | undefined => {
  const words = tokens.map(({ kind, text }) => (kind === 'text' ? '' : text.toLowerCase()))
  switch (words[0]) {
    case 'begin':
      return { kind: 'begin', tag: 'BEGIN' }
    case 'start':
      return { kind: 'begin', tag: 'START TRANSACTION' }
    case 'commit':
    case 'end':
      return { kind: 'commit', tag: 'COMMIT' }
    case 'rollback':
    case 'abort':
      // After ROLLBACK TO a savepoint the transaction goes on.
      return { kind: words.includes('to') ? 'begin' : 'rollback', tag: 'ROLLBACK' }
    case 'savepoint':
      return nothing('SAVEPOINT')
    case 'release':
      return nothing('RELEASE')
    case 'deallocate':
      return { kind: 'resetAll', tag: words.includes('all') ? 'DEALLOCATE ALL' : 'DEALLOCATE' }
    case 'discard':
      return { kind: 'resetAll', tag: 'DISCARD ALL' }
    case 'close':
      return nothing('CLOSE CURSOR')
    case 'listen':
    case 'unlisten':
      return nothing(words[0].toUpperCase())
    case 'reset':
      return words[1] === 'all'
        ? { kind: 'resetAll', tag: 'RESET' }
        : { kind: 'set', name: words[1] ?? '', value: 'default' }
    case 'set':
      return readSet(tokens, words)
    case 'show':
      return readShow(words.slice(1))
    case 'declare':
    case 'fetch':
    case 'move':
      throw new ProtocolError(
        sqlState.notSupported,
        `${words[0].toUpperCase()} is not supported: fetch by portals with a row limit, as drivers do for a fetch size.`,
      )
    default:
      return undefined
  }
}

const readShow = (words: readonly string[]): Command | undefined => {
  const name = words.join(' ')
  if (name === 'all') return { kind: 'showAll' }
  if (name === 'time zone') return { kind: 'show', name: 'TimeZone' }
  if (name === 'transaction isolation level') return { kind: 'show', name: 'transaction_isolation' }
  const known = Settings.find(name)
  return known === undefined ? undefined : { kind: 'show', name: known }
}
