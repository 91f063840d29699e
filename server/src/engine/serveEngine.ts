import { createServer, type IncomingMessage, type Server } from 'node:http'
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Cleanups } from '../Cleanups.js'
import type { Route } from '../http/Route.js'
import { Listener } from '../http/Listener.js'
import { maxHeadBytes, takeExpecting } from '../http/publicServer.js'
import type { IngestLink } from '../link/IngestLink.js'
import { linkProtocol } from '../link/messages.js'
import type { Logger } from '../Logger.js'
import { acceptPostgres } from '../postgres/acceptPostgres.js'
import { postgresProtocol } from '../postgres/door/readMessage.js'
import type { Sql } from '../sql/openSql.js'

/** Running requests may take this long to end by themselves. */
const closeWaitMs = 3000

/** Listens at a socket that only the user of this process may open. */
const listenAtSocket = async (server: Server, path: string): Promise<void> => {
  // The socket's file is left from an earlier engine, which is gone: this process could open the catalogs.
  if (process.platform !== 'win32') rmSync(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  if (process.platform !== 'win32') chmodSync(path, 0o600)
}

type Upgrade = (socket: Socket, request: IncomingMessage) => void

/** Gives a connection that is upgraded to another protocol to the function for that protocol. */
const takeUpgrades = (server: Server, protocols: Readonly<Record<string, Upgrade>>) => {
  server.on('upgrade', (request, socket) => {
    const protocol = request.headers.upgrade ?? ''
    const take = protocols[protocol]
    if (take === undefined) {
      socket.destroy()
      return
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
    take(socket as Socket, request)
  })
}

/** Lets running requests end. The link stays open, because it still tells what is being stored; it is closed last. */
const closeServer = async (server: Server, stopWork: () => void, idle: () => Promise<void>) => {
  server.close()
  const patience = setTimeout(() => {
    stopWork()
    server.closeAllConnections()
  }, closeWaitMs)
  await idle()
  server.closeAllConnections()
  clearTimeout(patience)
}

interface ServeEngineOptions {
  /** The socket that only the ingest process knows. */
  socket: string
  routes: Route[]
  sql: Sql
  link: IngestLink
  logger: Logger
  cleanups: Cleanups
  /** Whether an error of a request means that the engine ends. */
  isLast(error: unknown): boolean
}

/** Begins to answer what the ingest process passes on: requests, its own link, and connections of the Postgres protocol. */
export const serveEngine = async (options: ServeEngineOptions): Promise<void> => {
  const { socket, routes, sql, link, logger, cleanups, isLast } = options
  const postgres = acceptPostgres(sql)
  cleanups.add(() => postgres.close())
  link.on('cancelPostgres', ({ process: key, secret }) => postgres.cancel(key, secret))
  link.on('endPostgres', () => postgres.end())

  // The ingest process adds headers to those that it has taken from its client.
  const maxHeaderSize = 2 * maxHeadBytes
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, maxHeaderSize })
  takeUpgrades(server, {
    [linkProtocol]: (upgraded) => link.accept(upgraded),
    [postgresProtocol]: (upgraded, request) => postgres.accept(request, upgraded),
  })
  const listener = new Listener(routes, logger, { isLast })
  server.on('request', (request, response) => listener.listen(request, response))
  takeExpecting(server)
  link.on('refused', ({ statements }) => sql.refuse(statements))
  const cancelAll = () => sql.cancelAll('stopping')
  link.on('stopping', cancelAll)
  cleanups.add(() => closeServer(server, cancelAll, () => listener.idle()))
  await listenAtSocket(server, socket)
}
