import type { Socket } from 'node:net'
import { readExactly } from './readExactly.js'

/** Reads a message of the expected kind; undefined when the client has gone or sends something else. */
export const readMessage = async (
  socket: Socket,
  letter: '' | 'p',
  maxBytes: number,
): Promise<Buffer | undefined> => {
  const before = letter.length
  const head = await readExactly(socket, before + 4)
  if (head === undefined || head.toString('latin1', 0, before) !== letter) return undefined
  const length = head.readInt32BE(before) - 4
  if (length < (letter === '' ? 4 : 1) || length > maxBytes) return undefined
  return readExactly(socket, length)
}
