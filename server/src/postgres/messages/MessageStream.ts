import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { clientPatienceMs } from '../../http/readBody.js'
import { ProtocolError, sqlState, unreadable } from '../ProtocolError.js'

/**
 * Reads the fields of a message from a client, one after the other. pg-protocol's own reader cannot be
 * used: it trusts its server, and takes a field that is cut off for a whole one.
 */
export class BodyReader {
  readonly #body: Buffer
  #at = 0

  constructor(body: Buffer) {
    this.#body = body
  }

  int16(): number {
    return this.bytes(2).readInt16BE()
  }

  /** Reads how many items follow. An item has at least two bytes, so a count above half the bytes left is wrong. */
  count(): number {
    const count = this.bytes(2).readUInt16BE()
    if (2 * count > this.#body.length - this.#at) throw cutOff()
    return count
  }

  int32(): number {
    return this.bytes(4).readInt32BE()
  }

  letter(): string {
    return String.fromCharCode(this.bytes(1)[0]!)
  }

  text(): string {
    const end = this.#body.indexOf(0, this.#at)
    if (end < 0) throw cutOff()
    const text = this.#body.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }

  bytes(length: number): Buffer {
    if (length < 0 || this.#at + length > this.#body.length) throw cutOff()
    this.#at += length
    return this.#body.subarray(this.#at - length, this.#at)
  }
}

const cutOff = () => unreadable('A message ends before its fields do.')

export interface Message {
  /** The letter that Postgres gives to the kind of message. */
  type: string
  body: Buffer
}

/** A request to `/query` may have as many bytes. */
export const maxMessageBytes = 8 * 1_048_576
/** A client may send so much before its earlier messages are answered. */
const maxAheadBytes = 2 * maxMessageBytes
const flushBytes = 65_536
const headerBytes = 5

/** The messages of one client, in both directions. No more is held than the limits above, even when it does not read. */
export class MessageStream {
  readonly #socket: Duplex
  #chunks: Buffer[] = []
  #ahead = 0
  #wake: (() => void) | undefined
  #isGone = false
  #out: Buffer[] = []
  #outBytes = 0

  constructor(socket: Duplex, onGone: () => void) {
    this.#socket = socket
    const gone = () => {
      if (this.#isGone) return
      this.#isGone = true
      this.#wake?.()
      onGone()
    }
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#ahead += chunk.length
      if (this.#ahead > maxAheadBytes) socket.pause()
      this.#wake?.()
    })
    socket.on('error', gone).once('end', gone).once('close', gone)
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Reads the next message; undefined once the client has gone. */
  async read(): Promise<Message | undefined> {
    const header = await this.#take(headerBytes)
    if (header === undefined) return undefined
    const length = header.readInt32BE(1) - 4
    if (length < 0 || length > maxMessageBytes) {
      throw new ProtocolError(
        length < 0 ? sqlState.protocolViolation : sqlState.tooLarge,
        `A message may have ${maxMessageBytes} bytes, not ${length}.`,
      )
    }
    const body = await this.#take(length)
    return body && { type: String.fromCharCode(header[0]!), body }
  }

  write(...messages: readonly Buffer[]): void {
    for (const message of messages) {
      this.#out.push(message)
      this.#outBytes += message.length
    }
  }

  get isFull(): boolean {
    return this.#outBytes >= flushBytes
  }

  /** Sends what was written and waits while the client reads slowly. A client that reads nothing for `clientPatienceMs` counts as gone. */
  async flush(): Promise<void> {
    if (this.#outBytes === 0 || this.#socket.destroyed) return
    const bytes = Buffer.concat(this.#out)
    this.#out = []
    this.#outBytes = 0
    if (this.#socket.write(bytes)) return
    const patience = new AbortController()
    const leave = () => patience.abort()
    const timer = setTimeout(leave, clientPatienceMs)
    this.#socket.once('close', leave)
    try {
      await once(this.#socket, 'drain', { signal: patience.signal })
    } catch {
      this.#socket.destroy()
    } finally {
      clearTimeout(timer)
      this.#socket.off('close', leave)
    }
  }

  /** Sends what was written and closes the connection. */
  end(): void {
    if (this.#socket.writableEnded) return
    this.#socket.end(Buffer.concat(this.#out))
    this.#out = []
  }

  async #take(bytes: number): Promise<Buffer | undefined> {
    while (this.#ahead < bytes) {
      if (this.#isGone) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    let [first = Buffer.alloc(0)] = this.#chunks
    if (first.length < bytes) {
      first = Buffer.concat(this.#chunks)
      this.#chunks = [first]
    }
    this.#chunks[0] = first.subarray(bytes)
    if (first.length === bytes) this.#chunks.shift()
    this.#ahead -= bytes
    if (this.#ahead <= maxAheadBytes && this.#socket.isPaused()) this.#socket.resume()
    return first.subarray(0, bytes)
  }
}
