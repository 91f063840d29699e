import { createServer, type RequestListener, type Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gatherChunks, hangUp, maxHeadBytes, continueOnRead, takeOneAtATime } from './connections.js'
import { OperatorError } from '../OperatorError.js'

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

export interface ListenAddress {
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
