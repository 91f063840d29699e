import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents } from '../store/archiveSchema.js'
import { quoteText } from '../store/quote.js'
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
