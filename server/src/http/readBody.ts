import type { IncomingMessage } from 'node:http'
import { userHeader } from '../users/Identity.js'
import { holdBody } from './bodyRoom.js'
import { GrowingBuffer } from './GrowingBuffer.js'
import { refuse } from './HttpError.js'

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

export interface ReadBodyOptions {
  withinMs?: number
  /** Whose room the body takes if it is large. @defaultValue the client's address, or the user in the engine */
  holder?: string
}

const holderOf = ({ socket, headers }: IncomingMessage) =>
  socket.remoteAddress ?? String(headers[userHeader] ?? '')

/** Reads a whole body into memory. Refuses it as soon as it is known to be too large or too slow. */
export const readBody = (
  request: IncomingMessage,
  maxBytes: number,
  { withinMs = 60_000, holder = holderOf(request) }: ReadBodyOptions = {},
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
