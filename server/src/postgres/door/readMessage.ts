import type { Socket } from 'node:net'

/** Reads exactly so many bytes and leaves later ones in the socket; undefined when the client goes first. */
const readExactly = (socket: Socket, bytes: number): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    // One listener serves until the end. A new listener is called at once for bytes that are there already, so a new one
    // for each attempt would loop over a part of a message and let nothing else run.
    const tryRead = () => {
      const chunk = socket.read(bytes) as Buffer | null
      if (chunk !== null) settle(chunk.length === bytes ? chunk : undefined)
      else if (socket.destroyed || socket.readableEnded) settle(undefined)
    }
    const leave = () => settle(undefined)
    const settle = (read: Buffer | undefined) => {
      socket.off('readable', tryRead).off('end', leave).off('close', leave)
      resolve(read)
    }
    socket.on('readable', tryRead).on('end', leave).on('close', leave)
    tryRead()
  })

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
