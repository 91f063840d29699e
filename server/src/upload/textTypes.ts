import type { DuckDBConnection } from '@duckdb/node-api'
import { castText, digitsOf, isFractional, mistakes } from '../append/describeFields.js'
import { quoteIdentifier, quoteText } from '../duckdb/quote.js'

export interface FileColumn {
  name: string
  type: string
}

/** A column of texts, and how each of them becomes a value. */
export interface TextColumn extends FileColumn {
  /** The SQL of the value. It fails where the text is not one of the type. */
  value: string
  /** Whether the type is that of all rows, not only of the first. */
  isSettled: boolean
  /** Whether a comma stands before the fractions. */
  hasComma: boolean
}

/** A type, and one way of writing its values. */
interface Spelling {
  type: string
  hasComma?: true
  /** The SQL that says whether a text is a value of the type, written in this way. */
  fits(text: string): string
}

/** The type writes the value as the text has it. */
const comesBack = (type: string) => (text: string) => `TRY_CAST(${text} AS ${type})::VARCHAR = ${text}`

/** Digits with a fraction, of which a DECIMAL keeps each zero. */
const fraction = String.raw`-?(0|[1-9]\d*)\.\d+`
const minusZero = String.raw`-0\.0+`

const asDouble = (text: string) => `TRY_CAST(${text} AS DOUBLE)::VARCHAR`
const sameDouble = (text: string) => `(${asDouble(text)} = ${text} AND NOT contains(${text}, 'n'))`
const plainDouble = (text: string) =>
  `CASE WHEN ends_with(${text}, '.0') OR ${text} = '-0' THEN false
   WHEN ${sameDouble(text)} THEN true ELSE ${asDouble(text)} = ${text} || '.0' END`

/** Small numbers as JavaScript writes them, where DuckDB writes 8.9e-06 and 5e-07. */
const scriptForm = String.raw`-?(0\.0{4,5}[1-9]\d*|[1-9](\.\d+)?e-[7-9])`

/**
 * Whole numbers end with `.0`, as Python writes them, or have no point, as most others do, and JavaScript writes small
 * ones in its own way. Two ways in one column would make one number of two spellings.
 */
const fractions: readonly Spelling[] = [
  { type: 'DOUBLE', fits: sameDouble },
  { type: 'DOUBLE', fits: plainDouble },
  {
    type: 'DOUBLE',
    fits: (text) =>
      `CASE WHEN contains(${text}, 'e-0') THEN false WHEN ${plainDouble(text)} THEN true
       ELSE regexp_full_match(${text}, '${scriptForm}') AND ${digitsOf(text)} = ${digitsOf(asDouble(text))} END`,
  },
  {
    type: 'DECIMAL',
    fits: (text) =>
      `regexp_full_match(${text}, '${fraction}') AND NOT regexp_full_match(${text}, '${minusZero}')`,
  },
]

const withPoint = (text: string) => `replace(${text}, ',', '.')`

const withComma: readonly Spelling[] = fractions.map(({ type, fits }) => ({
  type,
  hasComma: true,
  fits: (text) => `NOT contains(${text}, '.') AND ${fits(withPoint(text))}`,
}))

const wholes: readonly Spelling[] = ['BIGINT', 'HUGEINT'].map((type) => ({ type, fits: comesBack(type) }))

const moment = (type: string, end: string): Spelling => ({
  type,
  fits: (text) =>
    String.raw`regexp_full_match(${text}, '\d{4}-\d\d-\d\d[T ]([01]\d|2[0-3]):\d\d(:\d\d${end}')
    AND NOT starts_with(${text}, '0000') AND TRY_CAST(${text} AS ${type}) IS NOT NULL`,
})

const days: readonly Spelling[] = [
  { type: 'DATE', fits: (text) => `${comesBack('DATE')(text)} AND NOT contains(${text}, '(')` },
  moment('TIMESTAMP', String.raw`(\.\d{1,6}0*)?)?`),
  moment('TIMESTAMP_NS', String.raw`(\.\d{1,9}0*)?)?`),
  moment('TIMESTAMP WITH TIME ZONE', String.raw`(\.\d{1,6}0*)?)?(Z|[+-]\d\d(:?\d\d)?)`),
]

const times: readonly Spelling[] = [{ type: 'TIME', fits: comesBack('TIME') }]
const truth: readonly Spelling[] = [{ type: 'BOOLEAN', fits: (text) => `${text} IN ('true', 'false')` }]

/** The first that fits every text of a column is taken. */
const spellings = [...truth, ...wholes, ...fractions, ...withComma, ...days, ...times]

/** What may be meant by a text of each shape, so that few ways are tried for each. The last condition is always true. */
const shapes = (text: string, mayHaveComma: boolean): [condition: string, of: readonly Spelling[]][] => [
  [truth[0]!.fits(text), truth],
  // What begins with a digit, a minus or a point.
  [`NOT (${text} >= '-' AND ${text} < ':')`, []],
  [`substr(${text}, 5, 1) = '-'`, days],
  [`substr(${text}, 3, 1) = ':'`, times],
  ['true', [...wholes, ...fractions, ...(mayHaveComma ? withComma : [])]],
]

/** The SQL of a number with a bit for each spelling that fits. */
const bitsOf = (text: string, mayHaveComma: boolean) => {
  const bit = (spelling: Spelling) => 2 ** spellings.indexOf(spelling)
  const cases = shapes(text, mayHaveComma).map(([condition, of]) => {
    const bits = of.map((each) => `CASE WHEN ${each.fits(text)} THEN ${bit(each)} ELSE 0 END`)
    return `WHEN ${condition} THEN ${['0', ...bits].join(' + ')}`
  })
  return `CASE WHEN ${text} IS NULL THEN NULL ${cases.join(' ')} END`
}

/** Whether a comma surely stands before a fraction: `1,234` may have thousands. */
const isClearComma = (text: string) =>
  String.raw`(regexp_full_match(${text}, '[+-]?\d+,\d+') AND NOT regexp_full_match(${text}, '[+-]?[1-9]\d{0,2},\d{3}'))`

/** How many values of the first rows are looked at. */
const sampleValues = 2_000_000
const sampleRows = 20_480

interface Found {
  bits: number | null
  /** How many digits follow the points, at least and at most. */
  least: number
  most: number
  longest: number
  isClear: boolean
}

const decimalOf = ({ least, most, longest }: Found): string | undefined => {
  const digits = longest - 1
  if (least !== most || digits > 38) return undefined
  return `DECIMAL(${digits > 18 ? 38 : 18},${most})`
}

const asText = (name: string, isSettled: boolean): TextColumn => ({
  name,
  type: 'VARCHAR',
  value: quoteIdentifier(name),
  isSettled,
  hasComma: false,
})

/** A column whose type is not known before all rows are read. */
export const openColumn = (name: string): TextColumn => asText(name, false)

const settle = (name: string, found: Found): TextColumn => {
  if (found.bits === null) return openColumn(name)
  for (const [at, { type: kind, hasComma = false, fits }] of spellings.entries()) {
    if ((found.bits & (2 ** at)) === 0) continue
    const type = kind === 'DECIMAL' ? decimalOf(found) : kind
    if (type === undefined) continue
    if (hasComma && !found.isClear) return openColumn(name)
    const text = quoteIdentifier(name)
    const number = hasComma ? withPoint(text) : text
    const isSo = kind === 'DECIMAL' ? comesBack(type)(number) : fits(text)
    const value = `CASE WHEN ${text} IS NULL OR (${isSo}) THEN ${number}::${type} ELSE error('not so')::${type} END`
    return { name, type, value, isSettled: true, hasComma }
  }
  return asText(name, true)
}

/**
 * Finds for each column of texts the first type that gives every text back as it was written: `01234`, `1E5`, `F` and
 * `yes` are no values of any. A moment counts as written when it is the same moment.
 */
export const findTypes = async (
  connection: DuckDBConnection,
  from: string,
  { names, mayHaveComma, all }: { names: readonly string[]; mayHaveComma: boolean; all: boolean },
): Promise<TextColumn[]> => {
  if (names.length === 0) return []
  const rows = Math.ceil(Math.min(sampleRows, sampleValues / names.length))
  const texts = names.map(quoteIdentifier).join(', ')
  const behindPoint = `length(x) - strpos(translate(x, ',', '.'), '.')`
  const reader = await connection.runAndReadAll(
    `SELECT place::INT, bit_and(${bitsOf('x', mayHaveComma)})::INT, min(${behindPoint})::INT, max(${behindPoint})::INT,
       max(length(x))::INT, ${mayHaveComma ? `coalesce(bool_or(${isClearComma('x')}), false)` : 'false'}
     FROM (
       SELECT unnest([${texts}]) AS x, unnest(range(${names.length})) AS place
       FROM (SELECT ${texts} FROM ${from} ${all ? '' : `LIMIT ${rows}`})
     ) GROUP BY place`,
  )
  const found = new Map(
    reader.getRows().map(([at, bits, least, most, longest, isClear]) => {
      return [at, { bits, least, most, longest, isClear } as Found]
    }),
  )
  return names.map((name, at) => {
    const one = found.get(at)
    const column = one === undefined ? openColumn(name) : settle(name, one)
    return all ? { ...column, isSettled: true } : column
  })
}

/** Which columns of numbers in a table that exists have a comma before fractions in the file. */
export const findCommas = async (
  connection: DuckDBConnection,
  from: string,
  columns: readonly FileColumn[],
): Promise<Set<string>> => {
  const asked = columns.filter(({ type }) => isFractional(type))
  if (asked.length === 0) return new Set()
  const clear = asked.map(({ name }) => `coalesce(bool_or(${isClearComma(quoteIdentifier(name))}), false)`)
  const reader = await connection.runAndReadAll(`SELECT ${clear.join(', ')} FROM ${from}`)
  return new Set(asked.filter((_, at) => reader.getRows()[0]![at] === true).map(({ name }) => name))
}

/** How a column of a table that exists is read. Reading fails when DuckDB's cast would change a value. */
export const readKnown = ({ name, type }: FileColumn, hasComma = false): TextColumn => {
  const column = quoteIdentifier(name)
  const text = hasComma ? withPoint(column) : column
  const value = castText(text, type)
  const wrongs = mistakes(text, value, type)
  if (hasComma) wrongs.unshift([`contains(${column}, '.')`, 'has a point where others have a comma'])
  const cases = wrongs.map(
    ([wrong, why]) =>
      `WHEN ${wrong} THEN error(${column} || ${quoteText(` ${why}; the column is ${type}`)})::${type}`,
  )
  const checked = cases.length === 0 ? value : `CASE ${cases.join(' ')} ELSE ${value} END`
  return { name, type, value: checked, isSettled: true, hasComma }
}
