import { createServer } from 'node:http'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Cleanups } from '../Cleanups.js'
import { maxHeadBytes } from '../http/hangUp.js'
import type { Route } from '../http/Route.js'
import { Listener } from '../http/Listener.js'
import { takeExpecting } from '../http/publicServer.js'
import { closeServer, listenAtSocket, takeUpgrades } from '../link/engineSocket.js'
import type { IngestLink } from '../link/IngestLink.js'
import { linkProtocol } from '../link/messages.js'
import type { Logger } from '../Logger.js'
import { acceptPostgres } from '../postgres/acceptPostgres.js'
import { createCatalog } from '../postgres/catalog/createCatalog.js'
import { postgresProtocol } from '../postgres/door/upgrade.js'
import type { Sql } from '../sql/openSql.js'

export interface ServeEngineOptions {
  /** The socket that only the ingest process knows. */
  socket: string
  routes: Route[]
  sql: Sql
  link: IngestLink
  connection: DuckDBConnection
  /** Whether tools may connect by the Postgres protocol. */
  speaksPostgres: boolean
  logger: Logger
  cleanups: Cleanups
  /** Whether an error of a request means that the engine ends. */
  isLast(error: unknown): boolean
}

/** Begins to answer what the ingest process passes on: requests, its own link, and connections of the Postgres protocol. */
export const serveEngine = async (options: ServeEngineOptions): Promise<void> => {
  const { socket, routes, sql, link, connection, speaksPostgres, logger, cleanups, isLast } = options
  const postgres = acceptPostgres(sql)
  cleanups.add(() => postgres.close())
  if (speaksPostgres) await connection.run(createCatalog)
  link.on('cancelPostgres', (key, word) => postgres.cancel(key, word))
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
  link.on('refused', (statements) => sql.refuse(statements))
  const cancelAll = () => sql.cancelAll('stopping')
  link.on('stopping', cancelAll)
  cleanups.add(() => closeServer(server, cancelAll, () => listener.idle()))
  await listenAtSocket(server, socket)
}
