import { applyEdits, type Edit, Edits } from '../text/edits.js'
import { argumentsOf, type Call, callAt, onlyToken, operandAt, operandBefore } from '../text/operands.js'
import { meanings, operatorMeanings } from './meanings.js'
import { cutWhole, isDouble, numbers } from './texts.js'
import type { Meaning } from './times.js'
import { isName, isSymbol, newToken, placeTokens, type SqlToken, tokenize, wordOf } from '../text/tokenize.js'
import type { Dialect } from './dialects.js'
import type { Translation } from './Translator.js'

/** Functions that the transpiler writes by names which DuckDB does not know. */
const names: Readonly<Record<string, string>> = {
  endswith: 'ENDS_WITH',
  iif: 'IF',
  startswith: 'STARTS_WITH',
}

/** COUNT_IF counts null, and not 0, where no row has a value. */
const mendCount = (edits: Edits, { at, open, close }: Call): void => {
  if (wordOf(edits.tokens[open + 1]) === 'distinct') return
  edits.replace(at, open, 'COUNT(CASE WHEN ')
  edits.before(close, ' THEN 1 END')
}

const mendAt = (edits: Edits, at: number): void => {
  const { tokens } = edits
  const [word, next, , third] = [0, 1, 2, 3].map((by) => wordOf(tokens[at + by]))
  const call = callAt(tokens, at)
  if (call !== undefined && Object.hasOwn(names, word!)) edits.replace(at, at, names[word!]!)
  else if (call !== undefined && word === 'count_if') mendCount(edits, call)
  // `CAST(properties -> '$.theme' AS TEXT)` would keep the quotes of the JSON.
  else if (isSymbol(tokens[at], '-') && isSymbol(tokens[at + 1], '>')) {
    const isText =
      tokens[at + 2]?.kind === 'text' && third === 'as' && /^(text|varchar)$/.test(wordOf(tokens[at + 4]))
    const isArrow = tokens[at]!.end === tokens[at + 1]!.start
    if (isArrow && isText && isSymbol(tokens[at + 5], ')')) edits.replace(at, at + 1, '->>')
  }
  // `INTERVAL -1 DAY` cannot be read.
  else if (word === 'interval' && isSymbol(tokens[at + 1], '-')) {
    const number = tokens[at + 2]?.text ?? ''
    if (/^\d+$/.test(number)) edits.replace(at + 1, at + 2, `(-${number})`)
  } else if (word === 'from' && next === 'dual' && !/^[.,]$/.test(tokens[at + 2]?.text ?? ''))
    edits.replace(at, at + 1, '')
}

/** Rewrites what the transpiler writes and DuckDB cannot read, or reads as another thing. */
export const mendTranslation = (statement: string): string => {
  const { tokens, problem } = tokenize(statement)
  // The guard refuses it for the same problem.
  if (problem !== undefined) return statement
  const edits = new Edits(tokens)
  for (const at of tokens.keys()) mendAt(edits, at)
  return applyEdits(statement, edits.list())
}

/** What TO_CHAR of PostgreSQL, Redshift, Snowflake and Oracle writes, by what strftime calls it. */
const elements: Readonly<Record<string, string>> = {
  yyyy: '%Y',
  yy: '%y',
  iyyy: '%G',
  iw: '%V',
  mm: '%m',
  mon: '%b',
  ddd: '%j',
  dd: '%d',
  dy: '%a',
  hh24: '%H',
  hh12: '%I',
  hh: '%I',
  mi: '%M',
  ss: '%S',
  ms: '%g',
  us: '%f',
  am: '%p',
  pm: '%p',
}
const part = /iyyy|yyyy|yy|iw|mm|mi|mon|ddd|dd|dy|hh24|hh12|hh|ss|ms|us|am|pm|"[^"%']*"|[-/,.;: ]/giy

/** The format in strftime's form; undefined when it has a part that strftime cannot write the same. */
export const toStrftime = (format: string): string | undefined => {
  let written = ''
  part.lastIndex = 0
  while (part.lastIndex < format.length) {
    const found = part.exec(format)?.[0]
    if (found === undefined) return undefined
    // Names and AM are written as the format writes them: only `Mon`, `Dy` and `AM` are as strftime writes.
    if (/^(?:mon|dy)$/i.test(found) && !/^[A-Z][a-z]+$/.test(found)) return undefined
    if (/^[ap]m$/.test(found)) return undefined
    written += elements[found.toLowerCase()] ?? found.replaceAll('"', '')
  }
  return written
}

/** A token as the transpiler reads it. Its place counts characters, and `column` is that of the character behind it. */
export interface SourceToken {
  token_type: string
  text: string
  span: { start: number; end: number; line: number; column: number }
}

/**
 * What `/` is in dialects where it is not DuckDB's. `//` of whole numbers is whole, of others it is not; by zero it is
 * NULL, as in MySQL, Spark and SQLite.
 */
const divisions: Partial<Record<Dialect, string>> = {
  mysql: '* 1e0 //',
  postgresql: '//',
  redshift: '//',
  spark: '* 1e0 //',
  sqlite: '//',
  trino: '//',
  tsql: '//',
}

/** Dialects whose LIKE does not tell small letters from capital ones. */
const anyCaseLike: ReadonlySet<Dialect> = new Set(['mysql', 'sqlite', 'tsql'])

/** Dialects that count the items of lists from 0: of any list, or of what these functions give. */
const fromZero: Partial<Record<Dialect, RegExp>> = {
  databricks: /^/,
  snowflake: /^(?:split|strtok_to_array|array_\w+)$/,
  spark: /^/,
}

/** What stands before the name of a call until the transpiler has translated its arguments. */
const kept = 'waymark_'
/** What stands for the `/` of whole numbers until then: it binds as `/` does. */
const per = '* waymark_per() *'

/** Writes `list[0]` as a call, where a dialect counts from 0. */
const mendItem = (edits: Edits, at: number, dialect: Dialect): void => {
  const { tokens } = edits
  const start = operandBefore(tokens, at - 1)
  if (start === undefined || tokens[at]!.pair < 0 || tokens[at + 1]?.kind === 'text') return
  const isList = fromZero[dialect]?.test(wordOf(tokens[start]))
  if (!isList || (dialect === 'snowflake' && tokens[start + 1]?.pair !== at - 1)) return
  edits.before(start, `${kept}at(`)
  edits.replace(at, at, ', ')
  edits.replace(tokens[at]!.pair, tokens[at]!.pair, ')')
}

/** Writes the operands of `||` as calls: NULL is nothing to it. */
const mendJoin = (edits: Edits, at: number): void => {
  const { tokens } = edits
  const isJoin = (place: number) => tokens[place]?.text === '||'
  const keep = (first: number | undefined, last: number | undefined) => {
    if (first === undefined || last === undefined) return
    edits.before(first, `${kept}text(`)
    edits.after(last, ')')
  }
  const before = operandBefore(tokens, at - 1)
  if (before !== undefined && !isJoin(before - 1)) keep(before, at - 1)
  keep(at + 1, operandAt(tokens, at + 1))
}

/** Words that take the place of a comma, so that what has them is no list of arguments. */
const clauses = /^(?:as|for|from|order|separator|using)$/

/** The types of which a cast to a whole number cuts the fraction, which DuckDB rounds. */
const cutTypes: Partial<Record<Dialect, string>> = {
  clickhouse: numbers,
  databricks: `${numbers}|VARCHAR`,
  mysql: 'VARCHAR',
  spark: `${numbers}|VARCHAR`,
  sqlite: `${numbers}|VARCHAR`,
  tsql: numbers,
}
/** SIGNED and UNSIGNED, as the transpiler writes them. */
const mysqlWholes: Readonly<Record<string, string>> = { int: 'BIGINT', unsigned: 'UBIGINT' }
const wholeTypes = /^(?:u?(?:tiny|small|big)int|u?int(?:eger)?|unsigned)$/

/** A cast to a whole number that cuts the fraction, and where its type stands; undefined for what is none. */
const typeOfCut = (tokens: readonly SqlToken[], { at, open, close }: Call, dialect: Dialect) => {
  if (cutTypes[dialect] === undefined || !/^(?:try_)?cast$/.test(wordOf(tokens[at]))) return undefined
  const isType = wordOf(tokens[close - 2]) === 'as' && wholeTypes.test(wordOf(tokens[close - 1]))
  return isType && close - 3 > open ? close - 1 : undefined
}

/** ClickHouse's functions whose last argument may be a zone, which is UTC here. */
const ofZone = /^(?:to|format|parse|fromunix|date_?diff)/

/** What a call means. Where its last argument could as well be another, it was not read: undefined then. */
const applyMeaning = (meaning: Meaning, args: readonly string[]): string | undefined => {
  const means = meaning(...args)
  return args.length > 0 && means === meaning(...args.slice(0, -1), `${kept}other`) ? undefined : means
}

/** What a call of a name means; undefined where nothing is known of it. */
const meant = (dialect: Dialect, name: string, args: readonly string[]): string | undefined => {
  const known = [operatorMeanings, meanings[dialect]].find((each) => Object.hasOwn(each, name))
  return known && applyMeaning(known[name]!, args)
}

/** How much longer a statement may become: what means several times an argument doubles with each that is in one. */
const maxGrowth = 1_000_000

/** Writes the calls that were kept from the transpiler. Says where one means nothing in DuckDB. */
export const writeMeanings = (statement: string, dialect: Dialect): string | { problem: string } => {
  const { tokens, problem } = tokenize(statement)
  // The guard refuses it for the same problem.
  if (problem !== undefined || tokens.length === 0) return statement
  let failure: string | undefined
  const textOf = (first: number, last: number): string => {
    let text = ''
    let from = tokens[first]!.start
    for (let at = first; at <= last; at++) {
      const word = wordOf(tokens[at])
      // Spark's `||` comes as a call.
      const isJoined = word === 'concat' && (dialect === 'spark' || dialect === 'databricks')
      const call = callAt(tokens, at)
      if (call === undefined) continue
      const type = typeOfCut(tokens, call, dialect)
      if (!word.startsWith(kept) && !isJoined && type === undefined) continue
      if (type !== undefined) {
        const whole = dialect === 'mysql' ? mysqlWholes[wordOf(tokens[type])] : undefined
        const how = { cast: tokens[at]!.text, type: whole ?? tokens[type]!.text, cut: cutTypes[dialect]! }
        text += statement.slice(from, tokens[at]!.start) + cutWhole(textOf(call.open + 1, type - 2), how)
        at = call.close
      } else if (word === 'waymark_per') {
        text += statement.slice(from, tokens[at - 1]!.start) + divisions[dialect]!
        at += 3
      } else {
        const args = argumentsOf(tokens, call).map((each) => {
          const written = textOf(each.first, each.last)
          return each.first === each.last || isName(onlyToken(tokens, each)) ? written : `(${written})`
        })
        const name = word.replace(kept, '')
        if (dialect === 'clickhouse' && ofZone.test(name) && args.length > 1 && args.at(-1) === "'UTC'")
          args.pop()
        // Over a window some mean something else.
        const means =
          failure !== undefined
            ? ''
            : (wordOf(tokens[call.close + 1]) === 'over' && meant(dialect, `${name} over`, args)) ||
              meant(dialect, name, args)
        if (means === undefined)
          failure = `${`${name}(${args.join(', ')})`.slice(0, 1000)} has no counterpart in DuckDB's SQL`
        text += statement.slice(from, tokens[at]!.start) + (means ?? '')
        at = call.close
      }
      from = tokens[at]!.end
      if (text.length > statement.length + maxGrowth)
        failure ??= 'it becomes too long: nest fewer calls in one another'
      if (failure !== undefined) return ''
    }
    return text + statement.slice(from, tokens[last]!.end)
  }
  const written = textOf(0, tokens.length - 1)
  return failure === undefined ? written : { problem: failure }
}

/** The transpiler's tokens in the form of ours. A keyword is a word to it as well. */
const readTokens = (source: readonly SourceToken[]): SqlToken[] =>
  placeTokens(
    source.map(({ token_type: type, text, span: { start, end } }) => {
      if (type.includes('STRING')) return newToken('text', text, start, end)
      if (type.includes('QUOTED')) return newToken('name', text, start, end)
      return newToken(/^[\p{L}_]/u.test(text) ? 'word' : 'symbol', text, start, end)
    }),
  )

const problemAt = ({ span }: SourceToken, problem: string): Translation => ({
  problem,
  line: span.line,
  column: span.column - (span.end - span.start),
})

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const pathOf = (steps: string) =>
  `$${steps
    .split(',')
    .map((each) => (/^\d+$/.test(each) ? `[${each}]` : `."${each}"`))
    .join('')}`

/** A pattern of SIMILAR TO as a regular expression of the whole text, which it is to DuckDB. */
const similarPattern = (pattern: string) =>
  pattern.replaceAll(/[%_.^$]/g, (sign) => ({ '%': '.*', _: '.' })[sign] ?? `\\${sign}`)

/** Operators of PostgreSQL and Redshift that the transpiler does not know, by ones that it knows, and what stands behind. */
const operators: Readonly<Record<string, readonly [operator: string, argument: (text: string) => string]>> = {
  I_R_LIKE: ['~', (pattern) => `(?i)${pattern}`],
  NOT_I_R_LIKE: ['!~', (pattern) => `(?i)${pattern}`],
  D_HASH_ARROW: ['->>', (path) => pathOf(path.replace(/^\{(.*)\}$/s, '$1'))],
}

/**
 * Rewrites what the transpiler gets wrong without saying so: the formats of TO_CHAR, which it passes on unread, and
 * functions by other names. Gives a problem for what has no counterpart in DuckDB.
 */
export const mendSource = (source: readonly SourceToken[], dialect: Dialect): Edit[] | Translation => {
  const tokens = readTokens(source)
  const edits = new Edits(tokens)
  for (const [at, token] of tokens.entries()) {
    const word = wordOf(token)
    if (dialect === 'clickhouse' && word === 'limit' && wordOf(tokens[at + 2]) === 'by') {
      return problemAt(
        source[at]!,
        'LIMIT … BY has no counterpart: write QUALIFY row_number() OVER (PARTITION BY …) <= n',
      )
    }
    const operand = tokens[at + 1]
    const operator = operand?.kind === 'text' ? operators[source[at]!.token_type] : undefined
    if (operator !== undefined) {
      edits.replace(at, at, operator[0])
      edits.replace(at + 1, at + 1, quoted(operator[1](operand!.text)))
    }
    if (word === 'like' && anyCaseLike.has(dialect)) {
      if (dialect === 'tsql' && tokens[at + 1]?.text.includes('['))
        return problemAt(source[at]!, 'LIKE with [ ] has no counterpart')
      edits.replace(at, at, 'ILIKE')
    }
    if (word === 'similar' && wordOf(tokens[at + 1]) === 'to' && tokens[at + 2]?.kind === 'text') {
      if (dialect === 'postgresql' || dialect === 'redshift')
        edits.replace(at + 2, at + 2, quoted(similarPattern(tokens[at + 2]!.text)))
    }
    if (dialect === 'mysql' && /^(?:regexp|rlike)$/.test(word) && tokens[at + 1]?.kind === 'text') {
      edits.before(at + 1, "CONCAT('(?i)', ")
      edits.after(at + 1, ')')
    }
    if (
      dialect === 'postgresql' &&
      word === 'bytea' &&
      /^\\x(?:[\da-f]{2})*$/i.test(tokens[at - 2]?.text ?? '')
    )
      edits.replace(at - 2, at - 2, quoted(tokens[at - 2]!.text.slice(2).replaceAll(/../g, String.raw`\x$&`)))
    if (isDouble(tokens, at, dialect)) edits.replace(at, at, 'DOUBLE PRECISION')
    if (dialect === 'oracle' && token.text === '||') mendJoin(edits, at)
    if (isSymbol(token, '[')) mendItem(edits, at, dialect)
    if (isSymbol(token, '/') && divisions[dialect] !== undefined) edits.replace(at, at, per)
    const call = callAt(tokens, at)
    if (call === undefined || isSymbol(tokens[at - 1], '.')) continue
    if (Object.hasOwn(meanings[dialect], word)) {
      const separator = tokens.findIndex(
        (each, place) =>
          place > call.open &&
          place < call.close &&
          each.around === call.open &&
          clauses.test(wordOf(each)) &&
          wordOf(tokens[place - 1]) !== 'distinct',
      )
      const isExtract = word === 'extract' && dialect !== 'clickhouse' && wordOf(tokens[separator]) === 'from'
      const isList = separator < 0 && wordOf(tokens[call.open + 1]) !== 'distinct'
      const args = argumentsOf(tokens, call)
      if (isExtract) edits.replace(separator, separator, ',')
      if (isExtract || (isList && args.length >= meanings[dialect][word]!.length)) {
        edits.replace(at, at, kept + word)
        continue
      }
    }
    if (word === 'to_varchar') edits.replace(at, at, 'to_char')
    if (word !== 'to_char' && word !== 'to_varchar') continue
    const [, ...others] = argumentsOf(tokens, call)
    const last = others.at(-1)
    const format = onlyToken(tokens, last)
    if (format?.kind !== 'text') continue
    const written = toStrftime(format.text)
    if (written === undefined)
      return problemAt(
        source[last!.first]!,
        `the format ${format.text} of ${token.text} cannot be translated`,
      )
    edits.replace(last!.first, last!.last, quoted(written))
  }
  return edits.list()
}
