import type { DuckDBConnection } from '@duckdb/node-api'
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { lakehouseError } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import { sendParts } from '../http/sendParts.js'
import { checkCatalogs } from './checkCatalogs.js'
import { allEvents } from '../schema/analyticsSchema.js'
import { quoteText } from '../duckdb/quote.js'
import { tarEnd, tarHeader, tarPadding } from './tar.js'

interface Part {
  name: string
  sql: string
}

const eventsOf = (environment: string, day: string): Part => ({
  name: `events/environment=${encodeURIComponent(environment)}/day=${day}/events.parquet`,
  sql: `SELECT * FROM analytics.main.events WHERE environment = ${quoteText(environment)}
    AND "timestamp" >= TIMESTAMPTZ '${day} 00:00:00+00' AND "timestamp" < TIMESTAMPTZ '${day} 00:00:00+00' + INTERVAL 1 DAY
    ORDER BY event_id`,
})

const personsOf = (environment: string): Part => ({
  name: `persons/environment=${encodeURIComponent(environment)}/persons.parquet`,
  sql: `SELECT * FROM analytics.main.persons WHERE environment = ${quoteText(environment)} ORDER BY person_id`,
})

const listParts = async (connection: DuckDBConnection): Promise<Part[]> => {
  const days = await connection.runAndReadAll(
    `SELECT DISTINCT environment, strftime("timestamp" AT TIME ZONE 'UTC', '%Y-%m-%d') FROM ${allEvents} ORDER BY ALL`,
  )
  const environments = await connection.runAndReadAll(
    'SELECT DISTINCT environment FROM analytics.raw.persons ORDER BY 1',
  )
  return [
    ...(days.getRows() as [string, string][]).map(([environment, day]) => eventsOf(environment, day)),
    ...(environments.getRows() as [string][]).map(([environment]) => personsOf(environment)),
  ]
}

/**
 * Writes a tar stream of Parquet files as of one moment: events by environment and day in UTC, and persons by
 * environment. Each file is in `folder` only while it is sent.
 */
export const exportEvents = async function* (
  connection: DuckDBConnection,
  folder: string,
): AsyncGenerator<Buffer> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, `export-${randomUUID()}`)
  await connection.run('BEGIN TRANSACTION')
  try {
    for (const { name, sql } of await listParts(connection)) {
      await connection.run(`COPY (${sql}) TO ${quoteText(file)} (FORMAT parquet, COMPRESSION zstd)`)
      const { size } = await stat(file)
      yield tarHeader({ name, bytes: size })
      yield* createReadStream(file)
      yield tarPadding(size)
    }
    yield tarEnd
  } finally {
    await connection.run('ROLLBACK')
    await rm(file, { force: true })
  }
}

/**
 * Routes for the commands of `waymark-server`. They exist only on the engine's socket, which belongs to the owner of
 * the data folder; the ingest process passes no request on to them.
 */
export const careRoutes = ({
  connect,
  catalogs,
  tempFolder,
}: {
  connect(): Promise<DuckDBConnection>
  catalogs: readonly string[]
  tempFolder: string
}): Route[] => {
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
