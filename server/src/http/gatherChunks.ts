import type { IncomingMessage } from 'node:http'
import { GrowingBuffer } from './GrowingBuffer.js'

/** A chunk of this size is worth what it costs to pass it on: some microseconds on each way that it takes. */
const largeBytes = 1024
/** A client that writes a line of a file at a time is seldom so far ahead of this process. */
const maxChunksATurn = 512
/** One read of a connection is 64 KiB, which are 10,000 chunks of one byte. Their parser takes some milliseconds. */
const restMs = 20

/** What has come of bodies in very many chunks, in the order in which it is passed on. */
const resting: (() => void)[] = []
let timer: NodeJS.Timeout | undefined

const passOne = () => {
  resting.shift()?.()
  if (resting.length > 0) return
  clearInterval(timer)
  timer = undefined
}

const rest = (pass: () => void) => {
  resting.push(pass)
  timer ??= setInterval(passOne, restMs)
}

/**
 * Bounds what the chunks of bodies cost, on all routes. Small chunks that arrive in one turn of the loop are passed on
 * as one. After too many of them nothing more is read from the connection until it had its turn among all such
 * connections, of which one goes on every `restMs`.
 */
export const gatherChunks = (request: IncomingMessage): void => {
  // A body of a known length comes in no chunks.
  if (request.headers['transfer-encoding'] === undefined) return
  const push = request.push.bind(request)
  let held: GrowingBuffer | undefined
  let chunks = 0
  let isTurn = false
  const pass = () => {
    const gathered = held
    held = undefined
    if (gathered !== undefined && !request.destroyed) push(gathered.content)
  }
  const endTurn = () => {
    isTurn = false
    chunks = 0
    pass()
  }
  request.push = (chunk: Buffer | null) => {
    const isSmall = chunk !== null && chunk.length < largeBytes
    if (isSmall) chunks++
    const isOver = chunks > maxChunksATurn
    if (chunk === null || !(isSmall || isOver)) {
      pass()
      return push(chunk)
    }
    held ??= new GrowingBuffer(Infinity)
    held.add(chunk)
    if (!isTurn) setImmediate(() => (chunks > maxChunksATurn ? rest(endTurn) : endTurn()))
    isTurn = true
    return !isOver
  }
}
