import { itemsOf } from '../../sql/text/operands.js'
import { isSymbol, type SqlToken, wordOf } from '../../sql/text/tokenize.js'
import { quoteIdentifier } from '../../duckdb/quote.js'
import { copyDefaults, type CopyFormat } from './copyFormats.js'
import { refusalOfWrite } from '../describeStatement.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { innerStatement, nameOf, readEscapes, type Statement, statementOf, textOf } from './statements.js'

/** COPY of a query or a relation to the client. */
export interface CopyCommand {
  query: Statement
  format: CopyFormat
}

const wrong = (message: string) => new ProtocolError(sqlState.syntaxError, message)

/** The index of the bracket that closes the one at `opening`. */
const closeOf = (tokens: readonly SqlToken[], opening: number): number => {
  const { pair } = tokens[opening]!
  if (pair < 0) throw wrong('A bracket is not closed.')
  return pair
}

/** The query of `COPY name (columns)`, and the index of the token behind it. */
const readRelation = (tokens: readonly SqlToken[]): { query: Statement; end: number } => {
  const path = [tokens[1]!]
  let end = 2
  for (; tokens[end]?.text === '.' && tokens[end + 1] !== undefined; end += 2) path.push(tokens[end + 1]!)
  let columns: SqlToken[] = []
  if (isSymbol(tokens[end], '(')) {
    const from = end + 1
    end = closeOf(tokens, end) + 1
    columns = tokens.slice(from, end - 1).filter(({ text }) => text !== ',')
  }
  const quoted = (all: readonly SqlToken[]) => all.map((each) => quoteIdentifier(nameOf(each)))
  const text = `SELECT ${quoted(columns).join(', ') || '*'} FROM ${quoted(path).join('.')}`
  return { query: statementOf(text), end }
}

const isOn = (token: SqlToken | undefined) => token === undefined || !/^(false|off|0)$/i.test(textOf(token))

const letter = (option: string, token: SqlToken | undefined): string => {
  const value = token === undefined ? '' : textOf(token)
  if (/^[ -~\t]$/.test(value)) return value
  throw new ProtocolError(sqlState.invalidParameter, `${option} of COPY is one letter.`)
}

/** Each option with its values. `(FORMAT csv, HEADER)` has commas between, and the older form `CSV HEADER` has none. */
const splitOptions = (tokens: readonly SqlToken[], behind: number): SqlToken[][] => {
  const from = wordOf(tokens[behind]) === 'with' ? behind + 1 : behind
  if (isSymbol(tokens[from], '(')) {
    const items = itemsOf(tokens, { first: from + 1, last: closeOf(tokens, from) - 1 })
    return items.map(({ first, last }) => tokens.slice(first, last + 1)).filter((part) => part.length > 0)
  }
  const parts: SqlToken[][] = []
  for (const token of tokens.slice(from)) {
    const word = wordOf(token)
    if (word === 'as' || (word === 'quote' && wordOf(parts.at(-1)?.[0]) === 'force')) continue
    if (/^(binary|csv|header|delimiter|delimiters|null|quote|escape|force|encoding)$/.test(word))
      parts.push([token])
    else if (parts.length === 0) throw wrong(`COPY does not know ${token.text.slice(0, 40)}.`)
    else parts.at(-1)!.push(token)
  }
  return parts
}

const readFormat = (tokens: readonly SqlToken[], behind: number): CopyFormat => {
  const options = splitOptions(tokens, behind).map(readEscapes)
  const named = (name: string) => options.find(([first]) => wordOf(first) === name)
  const asked = named('format')?.[1]
  const kind = named('csv')
    ? 'csv'
    : named('binary')
      ? 'binary'
      : asked === undefined
        ? 'text'
        : textOf(asked).toLowerCase()
  if (kind !== 'text' && kind !== 'csv' && kind !== 'binary')
    throw wrong(`COPY has no format ${kind.slice(0, 40)}.`)
  const format: CopyFormat = { ...copyDefaults[kind] }
  for (const [first, value, ...more] of options) {
    const name = wordOf(first)
    if (name === 'header') format.hasHeader = isOn(value)
    else if (/^delimiters?$/.test(name)) format.delimiter = letter('DELIMITER', value)
    else if (name === 'null') format.nullText = value === undefined ? '' : textOf(value)
    else if (name === 'quote') format.quote = letter('QUOTE', value)
    else if (name === 'escape') format.escape = letter('ESCAPE', value)
    else if (/^force(_quote)?$/.test(name)) {
      const columns = [value, ...more].filter((each) => each !== undefined && !/^[(),]$/.test(each.text))
      format.quoted = columns.some((each) => each!.text === '*')
        ? 'all'
        : columns.map((each) => nameOf(each!))
    } else if (name === 'encoding' && !/^utf-?8$/i.test(value === undefined ? '' : textOf(value))) {
      throw new ProtocolError(sqlState.notSupported, 'COPY writes UTF8 only.')
    } else if (!/^(format|csv|binary|encoding)$/.test(name))
      throw wrong(`COPY does not know ${name.slice(0, 40)}.`)
  }
  return format
}

/** Undefined for a statement that is no COPY. Throws for a COPY that does not go to the client. */
export const readCopy = (statement: Statement): CopyCommand | undefined => {
  const { tokens } = statement
  if (wordOf(tokens[0]) !== 'copy' || tokens.length < 4) return undefined
  const isQuery = isSymbol(tokens[1], '(')
  const closed = isQuery ? closeOf(tokens, 1) + 1 : 0
  const { query, end } = isQuery
    ? { query: innerStatement(statement, 2, closed - 1), end: closed }
    : readRelation(tokens)
  const [way, target] = [tokens[end], tokens[end + 1]].map(wordOf)
  if (way === 'from') throw refusalOfWrite()
  // Postgres takes STDIN and STDOUT for one another.
  if (way !== 'to' || !/^std(in|out)$/.test(target!)) {
    throw new ProtocolError(
      sqlState.insufficientPrivilege,
      'COPY goes to the client alone here: COPY … TO STDOUT.',
    )
  }
  return { query, format: readFormat(tokens, end + 2) }
}
