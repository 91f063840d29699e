import type { DuckDBConnection } from '@duckdb/node-api'
import { castText } from '../lakehouse/castText.js'
import { isWhole } from '../lakehouse/planAppend.js'
import { quoteIdentifier } from '../store/quoteIdentifier.js'

export interface FileColumn {
  name: string
  type: string
}

interface TextType {
  /** Whether a text is surely what its value will say. Cheap; a doubt only costs a look at all rows. */
  plain?(text: string): string
  /** The type for all texts of a column, found by looking at each. */
  settle(text: string): string
}

const digits = String.raw`'\s*[+-]?\d+\s*'`
const tidy = String.raw`'\s*[+-]?(0|[1-9]\d*)\s*'`

const every = (text: string, condition: string) =>
  `coalesce(bool_and(${condition}) FILTER (WHERE ${text} IS NOT NULL), true)`
const castable = (text: string, type: string) => `TRY_CAST(${text} AS ${type}) IS NOT NULL`
const orText = (condition: string, type: string) => `CASE WHEN ${condition} THEN '${type}' ELSE 'VARCHAR' END`

const moment = (type: string): TextType => ({
  settle: (text) => orText(every(text, castable(text, 'TIMESTAMPTZ')), type),
})

/**
 * Types that DuckDB finds by the first rows, or in forms of its own, and then reads at a price: 1.5 as
 * the whole number 2, 01234 as 1234, twenty digits as a DOUBLE, 01/02/2024 by guessing the month.
 * What does not stand as it is written stays text.
 */
const textTypes: Record<string, TextType> = {
  BIGINT: {
    plain: (text) => `${text}::BIGINT::VARCHAR = ${text}`,
    settle: (text) =>
      orText(every(text, `regexp_full_match(${text}, ${tidy}) AND ${castable(text, 'BIGINT')}`), 'BIGINT'),
  },
  DOUBLE: {
    // Fifteen digits always fit.
    plain: (text) => `(length(${text}) < 16 OR NOT regexp_full_match(${text}, ${digits}))`,
    settle(text) {
      const wholes = every(text, `regexp_full_match(${text}, ${tidy}) AND ${castable(text, 'HUGEINT')}`)
      const exact = `coalesce(TRY_CAST(${text}::DOUBLE AS HUGEINT) = TRY_CAST(${text} AS HUGEINT), false)`
      const fits = `${castable(text, 'DOUBLE')} AND (NOT regexp_full_match(${text}, ${digits}) OR ${exact})`
      return `CASE WHEN ${wholes} THEN 'HUGEINT' WHEN ${every(text, fits)} THEN 'DOUBLE' ELSE 'VARCHAR' END`
    },
  },
  DATE: {
    plain: (text) => `NOT contains(${text}, ':')`,
    settle: (text) => orText(every(text, `${castable(text, 'DATE')} AND NOT contains(${text}, ':')`), 'DATE'),
  },
  TIMESTAMP: moment('TIMESTAMP'),
  'TIMESTAMP WITH TIME ZONE': moment('TIMESTAMP WITH TIME ZONE'),
}

/** Whether a column that was found to have this type is read as text first. */
export const isReadAsText = (type: string): boolean => type in textTypes

/** A found column's value from its text; with `check` it fails when the type may not be the right one. */
export const readFound = ({ name, type }: FileColumn, check: boolean): string => {
  const text = quoteIdentifier(name)
  const value = castText(text, type)
  const plain = check ? textTypes[type]?.plain?.(text) : undefined
  if (plain === undefined) return value
  return `CASE WHEN ${text} IS NULL OR ${plain} THEN ${value} ELSE error('not plain')::${type} END`
}

/** A value for a column that the table has, from its text: DuckDB's cast, but no fraction is rounded away. */
export const readKnown = ({ name, type }: FileColumn): string => {
  const text = quoteIdentifier(name)
  const value = castText(text, type)
  if (!isWhole(type)) return value
  return `CASE WHEN regexp_matches(${text}, '[.eE]') AND ${value}::DOUBLE <> ${text}::DOUBLE
    THEN error(${text} || ' is no whole number; the column is ${type}')::${type} ELSE ${value} END`
}

/** The types that hold every value of the file as it is written; `from` gives all columns in question as text. */
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
