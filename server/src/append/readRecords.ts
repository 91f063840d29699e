import { LIST, listValue, VARCHAR, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'
import { quoteIdentifier, quoteText } from '../store/quote.js'
import { castText, keepDigits, keepsDigits } from './castText.js'
import type { Fields } from './describeFields.js'
import { type AppendPlan, isMoment, isNested } from './planAppend.js'

/** A part of a statement that reads records, with its parameters. */
export interface Records {
  /** A table with the column `x`, which holds the fields as JSON, and `position`, which is the record's index in its body. */
  from: string
  values: Record<string, DuckDBValue>
  types: Record<string, DuckDBType>
}

export interface RecordSource {
  plan: AppendPlan
  fields: Fields
  bodies: readonly Buffer[]
}

export const readRecords = ({ plan, fields, bodies }: RecordSource): Records => {
  const shape = Object.fromEntries(plan.read.map(({ field }) => [field, 'JSON']))
  const isNumber = (field: string) =>
    fields[field]?.some((kind) => ['float', 'whole', 'long', 'integer'].includes(kind))
  const exact = plan.read.filter(({ field, type }) => keepsDigits(type) && isNumber(field))
  const texts = keepDigits(bodies, new Set(exact.map(({ field }) => field)))
  return {
    from: `(SELECT unnest(items) AS x, generate_subscripts(items, 1) - 1 AS position FROM (
      SELECT from_json(body, ${quoteText(JSON.stringify([shape]))}) AS items FROM (SELECT unnest($bodies) AS body)
    ))`,
    values: { bodies: listValue(texts) },
    types: { bodies: LIST(VARCHAR) },
  }
}

/** SQL that casts a field's value to the column's type. When the value does not fit, the cast fails, or gives NULL with `try`. */
export const castField = (field: string, type: string, mayFail: 'fail' | 'try' = 'fail'): string => {
  const value = `x.${quoteIdentifier(field)}`
  if (type === 'JSON') return value
  const convert = (from: string, to: string) =>
    mayFail === 'try' ? `TRY_CAST(${from} AS ${to})` : `${from}::${to}`
  if (isNested(type)) return convert(value, type)
  // RFC 3339 allows a small t and z, and DuckDB does not.
  return castText(isMoment(type) ? `upper(${value}->>'$')` : `(${value}->>'$')`, type, convert)
}
