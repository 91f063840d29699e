import type { MessageStream } from './messages/MessageStream.js'
import * as to from './messages/messages.js'
import { abandon, checkWhole, type Portal, rowEncoder, takeRows } from './Portal.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import type { Settings } from './Settings.js'

/** Sends up to `maxRows` rows of a portal, or all of them for 0, and the message that ends them. */
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
  const encode = copied?.row ?? rowEncoder(portal, settings)
  let left = maxRows > 0 && copied === undefined ? maxRows : Infinity
  try {
    await source.resume()
    if (copied !== undefined && portal.sent === 0)
      stream.write(to.copyOut(copied.format, copied.columns), ...copied.before)
    while (left > 0) {
      const rows = await takeRows(portal, left)
      if (rows === undefined) {
        if (copied !== undefined) stream.write(...copied.after(), to.copyDone())
        stream.write(to.commandComplete(source.tag(portal.sent)))
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
