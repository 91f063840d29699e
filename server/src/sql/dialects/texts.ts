import { isSymbol, type SqlToken, wordOf } from '../text/tokenize.js'
import type { Dialect } from './dialects.js'
import { isText, type Meaning, type Meanings } from './times.js'

const isConstant = (argument: string) => isText(argument) || /^\(?-?\d+(?:\.\d+)?\)?$/.test(argument)

/** NULL where one of the arguments is. */
export const nullIfAny =
  (name: string): Meaning =>
  (...args) => {
    const call = `${name}(${args.join(', ')})`
    const unsure = args.filter((each) => !isConstant(each))
    if (unsure.length === 0) return call
    return `CASE WHEN ${unsure.map((each) => `${each} IS NULL`).join(' OR ')} THEN NULL ELSE ${call} END`
  }

/** DuckDB's `greatest` would make the least of NULL. */
const notBelow = (least: 0 | 1, number: string) =>
  /^[1-9]\d*$/.test(number) ? number : `CASE WHEN ${number} < ${least} THEN ${least} ELSE ${number} END`

/** A length below 0 is none, where DuckDB takes what is before the place, or all but the last characters. */
const noLess = (length: string) => notBelow(0, length)

const part =
  (name: 'left' | 'right'): Meaning =>
  (text, length) =>
    `${name}(${text}, ${noLess(length)})`
export const parts: Meanings = { left: part('left'), right: part('right') }

/** Where the place 0 counts as 1. */
export const fromOne: Meaning = (text, place, ...length) =>
  `substring(${[text, /^\d+$/.test(place) ? String(Math.max(1, Number(place))) : `CASE ${place} WHEN 0 THEN 1 ELSE ${place} END`, ...length.map(noLess)].join(', ')})`

/** Where nothing stands at the place 0. */
export const noneAtZero: Meaning = (text, place, ...length) => {
  const found = `substring(${[text, place, ...length.map(noLess)].join(', ')})`
  return /^[1-9]\d*$/.test(place) ? found : `CASE ${place} WHEN 0 THEN '' ELSE ${found} END`
}

/** Where a place before the first counts as a place, and its characters are none. */
export const beforeFirst: Meaning = (text, place, ...more) => {
  const isWithin = /^[1-9]\d*$/.test(place)
  const lengths = more.map((length) =>
    noLess(isWithin ? length : `(${length} + CASE WHEN ${place} < 1 THEN ${place} - 1 ELSE 0 END)`),
  )
  return `substring(${[text, notBelow(1, place), ...lengths].join(', ')})`
}

/** Where the place 0 is before the first, and others are from the end. */
export const fromBefore: Meaning = (text, place, ...length) => {
  const usual = `substring(${[text, place, ...length].join(', ')})`
  if (/^\(?-?[1-9]\d*\)?$/.test(place) || length.length === 0) return usual
  return `CASE ${place} WHEN 0 THEN left(${text}, ${noLess(`(${length[0]} - 1)`)}) ELSE ${usual} END`
}

/** The first match of a pattern, or of its group; NULL where there is none. */
export const firstMatch = (text: string, pattern: string, group: string) =>
  `CASE WHEN regexp_matches(${text}, ${pattern}) THEN regexp_extract(${text}, ${pattern}, ${group}) END`

/** The group that is meant where there is one. */
export const groupIn = (pattern: string) => (/(?<!\\)\((?!\?)/.test(pattern) ? '1' : '0')

/** The first match in dialects that take a place, a number and flags, of which only the usual ones mean something here. */
export const matchAt: Meaning = (text, pattern, ...[place = '1', nth = '1', flags = "'c'", group = '0']) => {
  if (place !== '1' || nth !== '1' || !/^'[ce]*'$/.test(flags)) return undefined
  return firstMatch(text, pattern, flags.includes('e') && group === '0' ? '1' : group)
}

export const anyCase = (pattern: string) =>
  isText(pattern) ? `'(?i)${pattern.slice(1)}` : `concat('(?i)', ${pattern})`

export const named =
  (name: string): Meaning =>
  (...args) =>
    `${name}(${args.join(', ')})`

/** Functions by other names, such as `btrim=trim`. */
export const renamed = (pairs: string): Meanings =>
  Object.fromEntries(
    pairs.split(' ').map((pair) => {
      const [name, other] = pair.split('=') as [string, string]
      return [name, named(other)]
    }),
  )

/** The text of a value, in which each byte of a BLOB is one character. */
export const plainText = (value: string) =>
  `CASE typeof(${value}) WHEN 'BLOB' THEN regexp_replace(CAST(${value} AS VARCHAR), '\\\\x..', '-', 'g') ELSE CAST(${value} AS VARCHAR) END`

/** The bytes of a text; a number is written for it. */
export const bytesOf: Meaning = (text) => `strlen(${plainText(text)})`

export const countMatches: Meaning = (text, pattern, ...more) =>
  more.length > 0 ? undefined : `len(regexp_extract_all(${text}, ${pattern}))`

export const hostOf = (url: string) => `regexp_extract(${url}, '^[^:/?#]+://(?:[^/?#@]*@)?([^/?#:]*)', 1)`

/** What a function makes of each item; one that is told the place, too, would count it from 1. */
export const ofEach =
  (name: string): Meaning =>
  (list, change) =>
    /^\(*\w+,/.test(change) ? undefined : `${name}(${list}, ${change})`

/** Counts downwards where the last is less. */
export const sequence: Meaning = (first, last, ...[step]) => {
  const series = (by: string) => `generate_series(${first}, ${last}, ${by})`
  return step === undefined
    ? `CASE WHEN ${first} > ${last} THEN ${series('-1')} ELSE ${series('1')} END`
    : series(step)
}

export const folded: Meaning = (list, first, merge) => `list_reduce(${list}, ${merge}, ${first})`

export const replaceAll: Meaning = (text, pattern, by) => `regexp_replace(${text}, ${pattern}, ${by}, 'g')`

/** A replacement that names groups as `$1`, where DuckDB's has a backslash. */
const byGroups = (by: string) => (isText(by) ? by.replaceAll(/\$(\d)/g, String.raw`\$1`) : by)

export const replaceByGroups =
  (flags: string): Meaning =>
  (text, pattern, by, ...more) =>
    more.length > 0 ? undefined : `regexp_replace(${text}, ${pattern}, ${byGroups(by)}, '${flags}')`

/** An aggregate that takes no NULL. */
export const listed =
  (name: 'last' | 'list', distinct: '' | 'DISTINCT ' = ''): Meaning =>
  (value) =>
    `${name}(${distinct}${value}) FILTER (WHERE ${value} IS NOT NULL)`

export const substringIndex: Meaning = (text, by, n) => {
  const items = /^\(?-\d+\)?$/.test(n) ? `${n}:` : /^\d+$/.test(n) ? `:${n}` : undefined
  return items && `array_to_string(string_split(${text}, ${by})[${items}], ${by})`
}

export const byFilter =
  (name: string): Meaning =>
  (value, condition) =>
    `${name}(${value}) FILTER (WHERE ${condition})`

/** Where a half goes to the even number. */
export const roundEven: Meaning = (value, digits = '0') => `round_even(${value}, ${digits})`

/** DuckDB's types of fractions. */
export const numbers = 'DECIMAL|DOUBLE|FLOAT'

/** A text without its fraction. */
export const withoutFraction = (text: string) => `regexp_replace(${text}, '\\.\\d*$', '')`

/** A cast to a whole number that cuts the fraction of some types, by the text of the value, which keeps all digits. */
export const cutWhole = (value: string, { cast, type, cut }: { cast: string; type: string; cut: string }) =>
  `CASE WHEN regexp_matches(typeof(${value}), '^(${cut})')
    THEN ${cast}(${withoutFraction(`CAST(${value} AS VARCHAR)`)} AS ${type}) ELSE ${cast}(${value} AS ${type}) END`

/** SQLite's word for a type of DuckDB's. */
export const sqliteType = (type: string, truth = "'integer'"): string =>
  `CASE WHEN ${type} LIKE '%INT%' THEN 'integer' WHEN regexp_matches(${type}, '^(DECIMAL|DOUBLE|FLOAT)') THEN 'real'
    WHEN ${type} = 'VARCHAR' THEN 'text' WHEN ${type} = 'BOOLEAN' THEN ${truth} ELSE lower(${type}) END`

/** The groups of the first match, of which there is one at most. */
export const matchList: Meaning = (text, pattern, ...more) =>
  more.length > 0 || !isText(pattern) || pattern.split(/(?<!\\)\((?!\?)/).length > 2
    ? undefined
    : `CASE WHEN regexp_matches(${text}, ${pattern}) THEN [regexp_extract(${text}, ${pattern}, ${groupIn(pattern)})] END`

/** Where an empty text has no part. */
export const splitOrNone: Meaning = (text, by, ...more) =>
  more.length > 0 ? undefined : `CASE ${text} WHEN '' THEN [] ELSE string_split(${text}, ${by}) END`

/** Sorts a list with NULL before all values. */
export const sortNullsFirst: Meaning = (list, asc = 'true') =>
  ({
    true: `list_sort(${list}, 'ASC', 'NULLS FIRST')`,
    false: `list_sort(${list}, 'DESC', 'NULLS LAST')`,
  })[asc.toLowerCase()]

/** Where it does not tell small letters from capital ones. */
export const charindex: Meaning = (sought, text, ...[from]) => {
  if (from === undefined) return `strpos(lower(${text}), lower(${sought}))`
  const start = notBelow(1, from)
  const found = `strpos(lower(substring(${text}, ${start})), lower(${sought}))`
  return `CASE ${found} WHEN 0 THEN 0 ELSE ${found} - 1 + ${start} END`
}

const doubles: Partial<Record<Dialect, RegExp>> = {
  oracle: /^float$/,
  postgresql: /^float$/,
  redshift: /^float$/,
  snowflake: /^(?:float4?|real)$/,
  sqlite: /^(?:float|real)$/,
  tsql: /^float$/,
}

/** Whether the word at an offset is the type of a cast, or of a column in CREATE or ALTER TABLE. */
const isType = (tokens: readonly SqlToken[], at: number): boolean => {
  const [before, behind] = [tokens[at - 1], tokens[at + 1]]
  if (isSymbol(before, '::')) return true
  if (isSymbol(behind, ')') && wordOf(before) === 'as') return true
  if (isSymbol(behind, ',') && isSymbol(before, '(') && /^(?:try_)?convert$/.test(wordOf(tokens[at - 2])))
    return true
  const statement = wordOf(tokens[0])
  const isColumn = before?.kind === 'word' || before?.kind === 'name'
  return (
    isColumn &&
    (statement === 'alter' ||
      (statement === 'create' && tokens[at]!.around === tokens.findIndex((each) => isSymbol(each, '('))))
  )
}

/** Whether a word names a type of eight bytes that the transpiler takes for one of four. */
export const isDouble = (tokens: readonly SqlToken[], at: number, dialect: Dialect): boolean =>
  doubles[dialect]?.test(wordOf(tokens[at])) === true && !isSymbol(tokens[at + 1], '(') && isType(tokens, at)
