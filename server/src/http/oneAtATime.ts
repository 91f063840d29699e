import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node's parser of a connection, which its documentation does not name. */
type Parsed = Socket & {
  parser?: { onIncoming(request: IncomingMessage, keepsAlive: boolean): number } | null
}

/** The parser takes any number but 0, 1 and 2 for an error, and gives up what else has arrived. */
const giveUp = -1
/** The code of that error; see `hangUp`. */
export const gaveUpCode = 'HPE_CB_HEADERS_COMPLETE'

/**
 * Takes one request at a time from a connection. One that comes before the answer to the one before it is not read,
 * nor is any after it, and the connection ends with that answer: 64 KB of small requests, sent together, would all be
 * answered before anybody else's turn, and Node's parser cannot stop between two requests that it has. Browsers,
 * proxies and the usual clients wait for each answer; others send again what was not answered (RFC 9112, 9.3.2).
 */
export const takeOneAtATime = (server: Server): void => {
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
export const continueOnRead = (request: IncomingMessage, response: ServerResponse): void => {
  const read = request._read.bind(request)
  request._read = (size) => {
    request._read = read
    // After the answer what is left of the body is only thrown away.
    if (!response.headersSent) response.writeContinue()
    read(size)
  }
}
