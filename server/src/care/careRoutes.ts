import type { DuckDBConnection } from '@duckdb/node-api'
import { lakehouseError } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import { sendParts } from '../http/sendParts.js'
import { checkCatalogs } from './checkCatalogs.js'
import { exportEvents } from './exportEvents.js'

export interface CareOptions {
  connect(): Promise<DuckDBConnection>
  catalogs: readonly string[]
  tempFolder: string
}

/**
 * Routes for the commands of `waymark-server`. They exist only on the engine's socket, which belongs to the owner of
 * the data folder; the ingest process passes no request on to them.
 */
export const careRoutes = ({ connect, catalogs, tempFolder }: CareOptions): Route[] => {
  const route = (path: string, handle: (connection: DuckDBConnection) => Route['handle']): Route => ({
    method: 'GET',
    path,
    writeError: lakehouseError,
    async handle(exchange) {
      const connection = await connect()
      try {
        return await handle(connection)(exchange)
      } finally {
        connection.closeSync()
      }
    },
  })
  return [
    route('/care/check', (connection) => async () => ({
      status: 200,
      body: await checkCatalogs(connection, catalogs),
    })),
    route('/care/export', (connection) => async ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/x-tar' })
      await sendParts(exportEvents(connection, tempFolder), response)
      return undefined
    }),
  ]
}
