import type { DuckDBConnection } from '@duckdb/node-api'
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { refuse } from '../http/HttpError.js'
import { type Route, sendParts } from '../http/Route.js'
import { checkCatalogs } from './checkCatalogs.js'
import { allEvents } from '../schema/analyticsSchema.js'
import { quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { tarEnd, tarHeader, tarPadding } from './tar.js'
import { describeArchive } from '../archive/bindArchive.js'
import type { OneAtATime } from '../duckdb/transactions.js'
import type { Database } from '../duckdb/Database.js'

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
const exportEvents = async function* (connection: DuckDBConnection, folder: string): AsyncGenerator<Buffer> {
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

/** A catalog whose file another process wants to copy. */
export interface HeldFile {
  catalog: string
  /** The schema with the catalog's table `position`. */
  schema: string
  /** Runs one writer of the catalog at a time. */
  oneAtATime: OneAtATime
}

export interface HeldCatalog extends HeldFile {
  /** Keeps the log after a position, during the copy and after it, for the store that is made of the copy. */
  keepLog?(position: number, isCopied: boolean): Promise<void>
}

const patienceMs = 60_000
const retryMs = 200

/**
 * Writes all that is stored into the catalog's file, and begins a transaction that keeps DuckDB from the next
 * checkpoint: until the transaction ends, whatever is committed, no block is written over that the file's head leads
 * to. Gives the catalog's position; undefined while another transaction changes the catalog.
 */
const hold = async (
  connection: DuckDBConnection,
  { catalog, schema }: HeldFile,
): Promise<number | undefined> => {
  try {
    await connection.run(`CHECKPOINT ${quoteIdentifier(catalog)}`)
  } catch (error) {
    if (/other (write )?transactions/i.test(String(error))) return undefined
    throw error
  }
  await connection.run('BEGIN TRANSACTION')
  const position = `${quoteIdentifier(catalog)}.${schema}.position`
  await connection.run(`UPDATE ${position} SET applied = applied WHERE false`)
  const reader = await connection.runAndReadAll(`SELECT max(applied) FROM ${position}`)
  return Number(reader.getRows()[0]![0])
}

/**
 * Keeps a catalog's file unchanged until the connection's transaction ends; gives the position of its log. A copy of the
 * file must not be closed in this process: that would give up DuckDB's lock on it.
 */
export const holdFile = async (connection: DuckDBConnection, held: HeldFile): Promise<number> => {
  const deadline = performance.now() + patienceMs
  for (;;) {
    // This runs between two batches, so that the file holds exactly the rows up to this position.
    const position = await held.oneAtATime(() => hold(connection, held))
    if (position !== undefined) return position
    if (performance.now() > deadline) {
      const message = `A change by SQL in the catalog ${held.catalog} has been running for a minute. Try again when it has ended.`
      throw refuse(503, 'busy', message)
    }
    await delay(retryMs)
  }
}

/**
 * `POST /care/hold`: gives the position of each catalog's file and the archive that the store needs, and keeps the
 * files unchanged until the request's body ends. The process that asks copies them.
 */
export const holdRoute = (database: Database, catalogs: readonly HeldCatalog[]): Route => ({
  method: 'POST',
  path: '/care/hold',
  async handle({ request, response }) {
    const connections: DuckDBConnection[] = []
    try {
      const positions: Record<string, number> = {}
      for (const held of catalogs) {
        const connection = await database.connect()
        connections.push(connection)
        const position = await holdFile(connection, held)
        // `close` is emitted only once: for a client that went during the wait the files would be kept for ever.
        if (response.destroyed) return undefined
        await held.keepLog?.(position, false)
        positions[held.catalog] = position
      }
      const archive = await describeArchive(connections[0]!)
      if (response.destroyed) return undefined
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(`${JSON.stringify({ positions, archive })}\n`)
      const isCopied = await new Promise<boolean>((resolve) => {
        request.once('end', () => resolve(true)).resume()
        response.once('close', () => resolve(false))
      })
      if (isCopied) {
        for (const { catalog, keepLog } of catalogs) await keepLog?.(positions[catalog]!, true)
      }
      response.end('{"held":true}\n')
    } finally {
      // To close a connection rolls its transaction back.
      for (const connection of connections) connection.closeSync()
    }
    return undefined
  },
})
