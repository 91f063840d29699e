import { binaryEncoder, type Cell } from './messages/encodeBinary.js'
import { dataRow } from './messages/messages.js'
import type { conversionOf } from './conversionOf.js'
import type { Prepared } from './Portals.js'
import type { Edit } from '../sql/text/edits.js'
import type { Settings } from './Settings.js'
import { rowStyle } from './rowStyle.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import type { Field } from './types.js'
import type { RowSource, TextRow } from './openQuery.js'
import type { MessageStream } from './messages/MessageStream.js'
import * as to from './messages/messages.js'

/** Sends up to `maxRows` rows of a portal, or all of them for 0, and the message that ends them: it counts these alone. */
export const sendRows = async (
  stream: MessageStream,
  portal: Portal,
  { maxRows, settings }: { maxRows: number; settings: Settings },
): Promise<void> => {
  checkWhole(portal)
  if (portal.isDone) {
    stream.write(to.commandComplete('SELECT 0'))
    return
  }
  const source = portal.source!
  const { copied } = source
  let left = maxRows > 0 && copied === undefined ? maxRows : Infinity
  const before = portal.sent
  try {
    const encode = copied?.row ?? rowEncoder(portal, settings)
    await source.resume()
    if (copied !== undefined && portal.sent === 0)
      stream.write(to.copyOut(copied.format, copied.columns), ...copied.before)
    while (left > 0) {
      const rows = await takeRows(portal, left)
      if (rows === undefined) {
        if (copied !== undefined) stream.write(...copied.after(), to.copyDone())
        stream.write(to.commandComplete(source.tag(portal.sent - before)))
        return
      }
      for (const row of rows) stream.write(encode(row))
      left -= rows.length
      if (stream.isFull) {
        source.pause()
        await stream.flush()
        await source.resume()
      }
      if (stream.isGone) throw new ProtocolError(sqlState.cancelled, 'The client went away.')
    }
    source.pause()
    stream.write(to.portalSuspended())
  } catch (error) {
    abandon(portal)
    throw error
  }
}

/** A prepared statement with the values of its parameters, and how far its rows are sent. */
export interface Portal {
  prepared: Prepared
  values: Edit[]
  formats: readonly number[]
  /** The length of the message that brought the values. */
  bytes: number
  fields: readonly Field[] | undefined
  /** Writes values in the types that the client was told; undefined where they have these types. */
  convert?: ReturnType<typeof conversionOf> | undefined
  /** Present while the statement runs. */
  source?: RowSource
  pending: TextRow[]
  sent: number
  isDone: boolean
  /** Whether it has failed: then it has no more rows, and may not look like one that is at its end. */
  isBroken: boolean
  /** Whether it is a cursor, and then whether it outlives its transaction. */
  cursor?: { isHeld: boolean }
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
  isBroken: false,
})

export const checkWhole = ({ isBroken }: Portal): void => {
  if (isBroken)
    throw new ProtocolError('55000', 'This statement has failed and has no more rows: begin it anew.')
}

/** Takes up to `max` rows; undefined after the last. A portal whose rows fail is done. */
export const takeRows = async (portal: Portal, max: number): Promise<TextRow[] | undefined> => {
  checkWhole(portal)
  if (portal.pending.length === 0) {
    const rows = await portal.source?.next()
    if (rows === undefined) {
      portal.isDone = true
      delete portal.source
      return undefined
    }
    portal.pending = rows
  }
  const some = portal.pending.slice(0, max)
  portal.pending = portal.pending.slice(some.length)
  portal.sent += some.length
  return some
}

/** Gives up what is left of a portal's rows, because it has failed. */
export const abandon = (portal: Portal): void => {
  portal.isDone = true
  portal.isBroken = true
  portal.pending = []
  portal.source?.close('gone')
  delete portal.source
}

/** A format for each column. One format given stands for all columns; when none is given all are text. */
export const formatsOf = (fields: readonly Field[], formats: readonly number[]): number[] =>
  fields.map((_, at) => (formats.length === 1 ? formats[0]! : (formats[at] ?? 0)))

export const rowEncoder = (
  { fields = [], formats, convert }: Portal,
  settings: Settings,
): ((row: TextRow) => Buffer) => {
  const style = rowStyle(fields, settings)
  if (style === undefined && convert === undefined && !formats.includes(1)) return dataRow
  const encoders = formatsOf(fields, formats).map((format, at) =>
    format === 1 ? binaryEncoder(fields[at]!.oid) : undefined,
  )
  const encode = (value: string | null, at: number): Cell =>
    value === null ? null : (encoders[at]?.(value) ?? style?.(value, at) ?? value)
  return (row) => dataRow((convert === undefined ? row : row.map(convert)).map(encode))
}
