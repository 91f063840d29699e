import type { Socket } from 'node:net'
import type { IncomingMessage } from 'node:http'
import type { ClientStart } from '../ClientState.js'

/** The protocol to which the ingest process upgrades a connection to the engine's socket, for one client. */
export const postgresProtocol = 'waymark-postgres'

const header = 'x-waymark-client'

/** The headers that tell the engine who the client is. The ingest process has checked the password. */
export const writeStart = (start: ClientStart): Record<string, string> => ({
  connection: 'upgrade',
  upgrade: postgresProtocol,
  [header]: Buffer.from(JSON.stringify(start)).toString('base64url'),
})

export const readStart = (request: IncomingMessage): ClientStart =>
  JSON.parse(Buffer.from(String(request.headers[header]), 'base64url').toString()) as ClientStart

/** A message is a letter, its length in four bytes that count themselves, and the rest. */
const headBytes = 5

/** Knows of a stream of messages whether it is between two of them, without reading them. */
export class MessageBounds {
  readonly #head = Buffer.alloc(headBytes)
  /** How much of a head has come. */
  #headAt = 0
  /** How much of a message is still to come behind its head. */
  #left = 0

  get isAtEnd(): boolean {
    return this.#left === 0 && this.#headAt === 0
  }

  pass(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#left > 0) {
        const some = Math.min(this.#left, chunk.length - at)
        this.#left -= some
        at += some
        continue
      }
      this.#head[this.#headAt++] = chunk[at++]!
      if (this.#headAt < headBytes) continue
      this.#headAt = 0
      this.#left = this.#head.readUInt32BE(1) - (headBytes - 1)
    }
  }
}

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
