import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Duplex } from 'node:stream'
import { OperatorError } from '../OperatorError.js'
import { GrowingBuffer } from './readBody.js'
import { type HttpError, lakehouseError, refuse } from './HttpError.js'

/** Node's parser of a connection, which its documentation does not name. */
type Parsed = Socket & {
  parser?: { onIncoming(request: IncomingMessage, keepsAlive: boolean): number } | null
}

/** The parser takes any number but 0, 1 and 2 for an error, and gives up what else has arrived. */
const giveUp = -1
/** The code of that error; see `hangUp`. */
const gaveUpCode = 'HPE_CB_HEADERS_COMPLETE'

/**
 * Takes one request at a time from a connection. One that comes before the answer to the one before it is not read,
 * nor is any after it, and the connection ends with that answer: 64 KB of small requests, sent together, would all be
 * answered before anybody else's turn, and Node's parser cannot stop between two requests that it has. Browsers,
 * proxies and the usual clients wait for each answer; others send again what was not answered (RFC 9112, 9.3.2).
 */
const takeOneAtATime = (server: HttpServer): void => {
  const underWay = new WeakMap<Socket, ServerResponse>()
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    underWay.set(socket, response)
    response.once('finish', () => underWay.delete(socket))
  })
  server.on('connection', (socket: Parsed) => {
    const { parser } = socket
    if (parser === undefined || parser === null) return
    const take = parser.onIncoming
    parser.onIncoming = (request, keepsAlive) => {
      const before = underWay.get(socket)
      if (before === undefined) return take(request, keepsAlive)
      if (!before.headersSent) before.shouldKeepAlive = false
      before.once('finish', () => socket.destroySoon())
      return giveUp
    }
  })
}

/** Asks a client that waits for it (`Expect: 100-continue`) for its body only once the body is read. */
const continueOnRead = (request: IncomingMessage, response: ServerResponse): void => {
  const read = request._read.bind(request)
  request._read = (size) => {
    request._read = read
    // After the answer what is left of the body is only thrown away.
    if (!response.headersSent) response.writeContinue()
    read(size)
  }
}

/** Twice Node's own limit, because a browser sends all cookies of a host, even those that its other ports have set. */
export const maxHeadBytes = 32 * 1024

const tooLarge = refuse(
  431,
  'headers-too-large',
  `The headers have more than ${maxHeadBytes / 1024} KiB. In a browser, delete the cookies of this host; other ports of the host have set some of them.`,
)
const tooSlow = refuse(408, 'headers-too-slow', 'The headers did not come in time.')
const unreadable = refuse(400, 'invalid-request', 'This cannot be read as HTTP.')

const refusals: Record<string, HttpError> = {
  HPE_HEADER_OVERFLOW: tooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
}

/** Answers bytes that never became a request, and ends their connection. */
const hangUp = ({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void => {
  // The connection ends with the answer that is under way.
  if (code === gaveUpCode) return
  // `_httpMessage` is Node's field for the answer that is being written. A client would read a second answer as a part of it.
  const { _httpMessage: written } = socket as { _httpMessage?: { headersSent: boolean } | null }
  if (!socket.writable || written?.headersSent === true) {
    socket.destroy()
    return
  }
  const refusal = refusals[code] ?? unreadable
  const body = JSON.stringify(lakehouseError(refusal))
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.code}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

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
const gatherChunks = (request: IncomingMessage): void => {
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

export interface ConnectionLimits {
  maxConnections: number
  maxConnectionsPerAddress: number
}

/** Closes connections beyond the limits. Anybody can open connections, so the limits are needed. */
export const limitConnections = (server: Server, limits: ConnectionLimits): void => {
  server.maxConnections = limits.maxConnections
  const perAddress = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const open = (perAddress.get(address) ?? 0) + 1
    perAddress.set(address, open)
    socket.once('close', () => {
      const left = perAddress.get(address)! - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    if (open > limits.maxConnectionsPerAddress) socket.destroy()
  })
}

/** The service looks this often for clients that take too long with their headers. */
const headersCheckMs = 1000
/** Proxies and browsers keep an idle connection for less time, so they close it: a request never meets a closed one. */
const keepAliveTimeout = 75_000

/** Without this Node asks every client that waits for it to send its body, before anything was looked at. */
export const takeExpecting = (server: HttpServer): void => {
  server.on('checkContinue', (request, response) => {
    continueOnRead(request, response)
    server.emit('request', request, response)
  })
}

/** Makes a server whose connections clients without a key cannot use up. */
export const createPublicServer = (
  options: ConnectionLimits & { headersWithinMs: number },
  answer: RequestListener,
): HttpServer => {
  const server = createServer(
    {
      // Uploads may take hours, so each route has its own time limit for a body.
      requestTimeout: 0,
      headersTimeout: options.headersWithinMs,
      connectionsCheckingInterval: headersCheckMs,
      keepAliveTimeout,
      maxHeaderSize: maxHeadBytes,
    },
    answer,
  )
  takeExpecting(server)
  takeOneAtATime(server)
  server.prependListener('request', gatherChunks)
  server.on('clientError', hangUp)
  limitConnections(server, options)
  return server
}

interface ListenAddress {
  host: string
  port: number
  /** The flag that sets the port, for the error message. */
  flag: string
}

const portWaitMs = 1000

/** Listens at a port, and gives its number. Rejects with one sentence when the port cannot be taken. */
export const listenAt = async (server: Server, { host, port, flag }: ListenAddress): Promise<number> => {
  const deadline = performance.now() + portWaitMs
  for (;;) {
    const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      const settle = (error?: NodeJS.ErrnoException) => {
        server.off('error', settle).off('listening', settle)
        resolve(error)
      }
      server.once('error', settle).once('listening', settle)
      server.listen(port, host)
    })
    if (problem === undefined) return (server.address() as AddressInfo).port
    // A server that was stopped a moment ago may still hold the port.
    if (problem.code !== 'EADDRINUSE' || performance.now() > deadline) {
      const reason = problem.code === 'EADDRINUSE' ? 'it is in use' : problem.message
      throw new OperatorError(
        `Port ${port} on ${host} cannot be taken: ${reason}; choose another by ${flag}.`,
      )
    }
    await delay(100)
  }
}
