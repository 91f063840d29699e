import { binaryEncoder, type Cell } from './encodeBinary.js'
import { dataRow } from './messages.js'
import type { Prepared } from './PreparedStatements.js'
import type { Edit } from '../sql/guard/applyEdits.js'
import type { Field } from './types.js'
import type { RowSource, TextRow } from './WireQuery.js'

/** A prepared statement with the values of its parameters, and how far its rows are sent. */
export interface Portal {
  prepared: Prepared
  values: Edit[]
  formats: readonly number[]
  /** The length of the message that brought the values. */
  bytes: number
  fields: readonly Field[] | undefined
  /** Present while the statement runs. */
  source?: RowSource
  pending: TextRow[]
  sent: number
  isDone: boolean
}

export const newPortal = (
  prepared: Prepared,
  values: Edit[],
  formats: readonly number[],
  bytes: number,
): Portal => ({
  prepared,
  values,
  formats,
  bytes,
  fields: prepared.fields,
  pending: [],
  sent: 0,
  isDone: false,
})

/** A format for each column. One format given stands for all columns; when none is given all are text. */
export const formatsOf = (fields: readonly Field[], formats: readonly number[]): number[] =>
  fields.map((_, at) => (formats.length === 1 ? formats[0]! : (formats[at] ?? 0)))

export const rowEncoder = ({ fields = [], formats }: Portal): ((row: TextRow) => Buffer) => {
  if (!formats.includes(1)) return dataRow
  const encoders = formatsOf(fields, formats).map((format, at) =>
    format === 1 ? binaryEncoder(fields[at]!.oid) : undefined,
  )
  const encode = (value: string | null, at: number): Cell =>
    value === null ? null : (encoders[at]?.(value) ?? value)
  return (row) => dataRow(row.map(encode))
}
