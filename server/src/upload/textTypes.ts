import type { DuckDBConnection } from '@duckdb/node-api'
import { castText } from '../append/describeFields.js'
import { isMoment, isWhole } from '../append/planAppend.js'
import { quoteIdentifier } from '../duckdb/quote.js'

export interface FileColumn {
  name: string
  type: string
}

interface TextType {
  /** The SQL that says whether a text surely keeps its meaning as a value. It is cheap; in doubt all rows are checked. */
  plain(text: string): string
  /** The SQL that finds the type of a column from all its texts. */
  settle(text: string): string
}

const digits = String.raw`'\s*[+-]?\d+\s*'`
const tidy = String.raw`'\s*[+-]?(0|[1-9]\d*)\s*'`

const every = (text: string, condition: string) =>
  `coalesce(bool_and(${condition}) FILTER (WHERE ${text} IS NOT NULL), true)`
const castable = (text: string, type: string) => `TRY_CAST(${text} AS ${type}) IS NOT NULL`
const orText = (condition: string, type: string) => `CASE WHEN ${condition} THEN '${type}' ELSE 'VARCHAR' END`

/** DuckDB takes 24-01-02 for a day of the year 24. */
const yearFirst = (text: string) => `(strpos(${text}, '-') = 5 OR strpos(${text}, '/') = 5)`
const isDay = (text: string) => `${yearFirst(text)} AND NOT contains(${text}, ':')`

const moment = (type: string): TextType => ({
  plain: yearFirst,
  settle: (text) => orText(every(text, `${castable(text, 'TIMESTAMPTZ')} AND ${yearFirst(text)}`), type),
})

/**
 * DuckDB finds these types by the first rows, and then changes some values: it reads 1.5 as the whole number
 * 2, 01234 as 1234, twenty digits as a DOUBLE, and guesses the month of 01/02/2024. A column with a value
 * that would be changed stays text.
 */
const textTypes: Record<string, TextType> = {
  BIGINT: {
    plain: (text) => `${text}::BIGINT::VARCHAR = ${text}`,
    settle: (text) =>
      orText(every(text, `regexp_full_match(${text}, ${tidy}) AND ${castable(text, 'BIGINT')}`), 'BIGINT'),
  },
  DOUBLE: {
    // A DOUBLE holds every number of fifteen digits exactly.
    plain: (text) => `(length(${text}) < 16 OR NOT regexp_full_match(${text}, ${digits}))`,
    settle(text) {
      const wholes = every(text, `regexp_full_match(${text}, ${tidy}) AND ${castable(text, 'HUGEINT')}`)
      const exact = `coalesce(TRY_CAST(${text}::DOUBLE AS HUGEINT) = TRY_CAST(${text} AS HUGEINT), false)`
      const fits = `${castable(text, 'DOUBLE')} AND (NOT regexp_full_match(${text}, ${digits}) OR ${exact})`
      return `CASE WHEN ${wholes} THEN 'HUGEINT' WHEN ${every(text, fits)} THEN 'DOUBLE' ELSE 'VARCHAR' END`
    },
  },
  DATE: {
    plain: isDay,
    settle: (text) => orText(every(text, `${castable(text, 'DATE')} AND ${isDay(text)}`), 'DATE'),
  },
  TIMESTAMP: moment('TIMESTAMP'),
  'TIMESTAMP WITH TIME ZONE': moment('TIMESTAMP WITH TIME ZONE'),
}

/** Whether a column of this type is read as text first. */
export const isReadAsText = (type: string): boolean => type in textTypes

/** The SQL of a value from its text, for a column that the file makes. With `check` it fails when the type may be wrong. */
export const readFound = ({ name, type }: FileColumn, check: boolean): string => {
  const text = quoteIdentifier(name)
  const value = castText(text, type)
  const plain = check ? textTypes[type]?.plain(text) : undefined
  if (plain === undefined) return value
  return `CASE WHEN ${text} IS NULL OR (${plain}) THEN ${value} ELSE error('not plain')::${type} END`
}

/** For some types DuckDB's cast would change the value. Returns the condition for that, and the message. */
const mistaken = (text: string, value: string, type: string): [string, string] | undefined => {
  if (isWhole(type)) {
    return [`regexp_matches(${text}, '[.eE]') AND ${value}::DOUBLE <> ${text}::DOUBLE`, 'is no whole number']
  }
  if (type === 'DATE' || isMoment(type)) {
    return [
      String.raw`regexp_matches(${text}, '^\s*\d{1,3}[-/]')`,
      'does not begin with a year of four digits',
    ]
  }
  return undefined
}

/** The SQL of a value from its text, for a column of a table that exists. It fails when DuckDB's cast would change the value. */
export const readKnown = ({ name, type }: FileColumn): string => {
  const text = quoteIdentifier(name)
  const value = castText(text, type)
  const [wrong, why] = mistaken(text, value, type) ?? []
  if (wrong === undefined) return value
  const message = `${text} || ' ${why}; the column is ${type}'`
  return `CASE WHEN ${wrong} THEN error(${message})::${type} ELSE ${value} END`
}

/** Finds types that hold every value of the file as it is written. In `from` all columns in question are text. */
export const settleTypes = async (
  connection: DuckDBConnection,
  from: string,
  columns: readonly FileColumn[],
): Promise<FileColumn[]> => {
  const asked = columns.filter(({ type }) => isReadAsText(type))
  if (asked.length === 0) return [...columns]
  const types = asked.map(({ name, type }) => textTypes[type]!.settle(quoteIdentifier(name)))
  const reader = await connection.runAndReadAll(`SELECT ${types.join(', ')} FROM ${from}`)
  const settled = new Map(asked.map(({ name }, at) => [name, reader.getRows()[0]![at] as string]))
  return columns.map(({ name, type }) => ({ name, type: settled.get(name) ?? type }))
}
