import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { userHeader } from './Route.js'
import { refuse, shorten } from './HttpError.js'

/** Bodies up to this size are always taken: browsers send no larger ones. */
const smallBytes = 2 ** 18
/** How many bytes the larger bodies of one holder take at once. */
const mostHeld = 2 ** 25

/** Whose body it is: an API key, a user or an address. */
type Holder = string

const heldBy = new Map<Holder, number>()
const bodies = new WeakMap<IncomingMessage, { holder: Holder; bytes: number }>()

/**
 * Bounds the memory of large bodies on all routes, from their first byte until `releaseBody`. Keys are public, so a
 * client that uses up the room of a key must not keep out the small bodies of others.
 *
 * @param most what a single body may have, which is always room enough for one of them
 * @throws 503 when there is no room for so many bytes
 */
const holdBody = (request: IncomingMessage, holder: Holder, bytes: number, most: number): void => {
  const own = bodies.get(request)?.bytes ?? 0
  if (bytes <= smallBytes || bytes <= own) return
  const all = (heldBy.get(holder) ?? 0) + bytes - own
  if (all > Math.max(mostHeld, most)) throw tooMuch()
  heldBy.set(holder, all)
  bodies.set(request, { holder, bytes })
}

/** Frees the room: the request has been answered. */
export const releaseBody = (request: IncomingMessage): void => {
  const body = bodies.get(request)
  if (body === undefined) return
  bodies.delete(request)
  const left = heldBy.get(body.holder)! - body.bytes
  if (left > 0) heldBy.set(body.holder, left)
  else heldBy.delete(body.holder)
}

const tooMuch = () =>
  refuse(
    503,
    'overloaded',
    'Too many large bodies of this key or user are under way. Send again in a while.',
    {
      'retry-after': '2',
    },
  )

/** A buffer that doubles: each chunk kept by itself would hold some hundred bytes for one that was sent. */
export class GrowingBuffer {
  readonly #most: number
  #buffer: Buffer | undefined
  #length = 0

  constructor(most: number) {
    this.#most = most
  }

  get bytes(): number {
    return this.#buffer?.length ?? 0
  }

  /** How many bytes it will hold once so many more have come. */
  with(more: number): number {
    const needed = this.#length + more
    if (needed <= this.bytes || this.#buffer === undefined) return Math.max(needed, this.bytes)
    return Math.max(needed, Math.min(2 * this.bytes, this.#most))
  }

  add(chunk: Buffer): void {
    const bytes = this.with(chunk.length)
    // Most bodies come in one chunk, which is not copied.
    if (this.#buffer === undefined) this.#buffer = chunk
    else {
      if (bytes > this.bytes) {
        const larger = Buffer.allocUnsafeSlow(bytes)
        this.#buffer.copy(larger, 0, 0, this.#length)
        this.#buffer = larger
      }
      chunk.copy(this.#buffer, this.#length)
    }
    this.#length += chunk.length
  }

  get content(): Buffer {
    return this.#buffer?.subarray(0, this.#length) ?? Buffer.alloc(0)
  }
}

/** A client that takes none of its answer for this long counts as gone. */
export const clientPatienceMs = 60_000

const megabytes = (bytes: number) => `${Math.floor(bytes / 1_048_576)} MiB`

/** Gives up each body that is on its way, after the time in the value. */
const awaited = new Map<() => void, number>()
let sweep: NodeJS.Timeout | undefined
const sweepMs = 250

/** One timer serves all bodies: a timer for each would cost more time than most bodies take to arrive. */
const giveUpLate = () => {
  for (const [giveUp, untilMs] of awaited) if (performance.now() > untilMs) giveUp()
  if (awaited.size > 0) return
  clearInterval(sweep)
  sweep = undefined
}

const holderOf = ({ socket, headers }: IncomingMessage) =>
  socket.remoteAddress ?? String(headers[userHeader] ?? '')

/**
 * Reads a whole body into memory. Refuses it as soon as it is known to be too large or too slow. If it is large it takes
 * room of `holder`: the client's address, or the user in the engine.
 */
export const readBody = (
  request: IncomingMessage,
  maxBytes: number,
  { withinMs = 60_000, holder = holderOf(request) }: { withinMs?: number; holder?: string } = {},
): Promise<Buffer> => {
  const tooLarge = () =>
    refuse(413, 'body-too-large', `The body is larger than ${megabytes(maxBytes)}. Send less at once.`, {
      connection: 'close',
    })
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > maxBytes) return Promise.reject(tooLarge())

  return new Promise((resolve, reject) => {
    holdBody(request, holder, declared, maxBytes)
    const held = new GrowingBuffer(maxBytes)
    let bytes = 0
    const giveUp = () => {
      const message = `The body did not arrive within ${withinMs / 1000} seconds.`
      finish(() => reject(refuse(408, 'body-too-slow', message, { connection: 'close' })))
    }
    let isOver = false
    const finish = (settle: () => void) => {
      isOver = true
      awaited.delete(giveUp)
      settle()
    }
    const take = (chunk: Buffer) => {
      if (isOver) return
      bytes += chunk.length
      if (bytes > maxBytes) {
        finish(() => reject(tooLarge()))
        return
      }
      try {
        holdBody(request, holder, held.with(chunk.length), maxBytes)
        held.add(chunk)
      } catch (error) {
        finish(() => reject(error))
      }
    }
    const end = () => {
      if (!isOver) finish(() => resolve(held.content))
    }
    const fail = () => {
      if (isOver) return
      const message = 'The client went away before its body was complete.'
      finish(() => reject(refuse(400, 'body-incomplete', message, { connection: 'close' })))
    }
    awaited.set(giveUp, performance.now() + withinMs)
    sweep ??= setInterval(giveUpLate, sweepMs).unref()
    request.on('data', take).on('end', end).on('error', fail).on('close', fail)
  })
}

const unpack = promisify(gunzip)

/** Whether a body is gzipped. A coding that is not known is refused: its bytes would be read as what they are not. */
const isGzipped = ({ headers }: IncomingMessage): boolean => {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity') return false
  if (coding === 'gzip' || coding === 'x-gzip') return true
  const message = `Content-Encoding must be gzip or absent, not ${JSON.stringify(shorten(coding))}.`
  throw refuse(415, 'unknown-encoding', message, { 'accept-encoding': 'gzip' })
}

/** Reads a body that may be gzipped. Neither what is sent nor what it unpacks to may have more bytes. */
export const readUnpacked = async (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const zipped = isGzipped(request)
  const body = await readBody(request, maxBytes)
  if (!zipped) return body
  try {
    return await unpack(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw refuse(
        413,
        'body-too-large',
        `The body unpacks to more than ${maxBytes} bytes. Send less at once.`,
      )
    throw refuse(400, 'invalid-json', 'The body is not the gzip data that Content-Encoding says it is.')
  }
}

const isTooMuch = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'

/**
 * Unpacks what begins as gzip does, for clients that say so in ways of their own, and whom nobody knows yet: what unpacks
 * to more than a small body takes the room of a large one, so that many small bodies cannot fill the memory.
 */
export const unpackHeld = async (
  request: IncomingMessage,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer> => {
  if (body[0] !== 0x1f || body[1] !== 0x8b) {
    isGzipped(request)
    return body
  }
  const wrong = (error: unknown) =>
    isTooMuch(error)
      ? refuse(
          413,
          'body-too-large',
          `The body unpacks to more than ${megabytes(maxBytes)}. Send less at once.`,
        )
      : refuse(400, 'invalid-json', 'The body begins as gzip does, and cannot be unpacked.')
  try {
    return await unpack(body, { maxOutputLength: Math.min(smallBytes, maxBytes) })
  } catch (error) {
    if (!isTooMuch(error)) throw wrong(error)
  }
  holdBody(request, holderOf(request), maxBytes, maxBytes)
  return unpack(body, { maxOutputLength: maxBytes }).catch((error: unknown) => {
    throw wrong(error)
  })
}
