import { setTimeout as delay } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { describeArchive } from '../archive/bindArchive.js'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import type { OneAtATime } from '../duckdb/createMutex.js'
import type { Database } from '../duckdb/Database.js'
import { quoteIdentifier } from '../duckdb/quote.js'

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
  writeError: lakehouseError,
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
