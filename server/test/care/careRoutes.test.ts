import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request as ask, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import { careRoutes } from '../../src/care/careRoutes.js'
import { Database } from '../../src/duckdb/Database.js'
import { DataFolder } from '../../src/disk/DataFolder.js'
import { serveRoutes, type RoutesServer } from '../fixtures/serveRoutes.js'

const path = mkdtempSync(join(tmpdir(), 'waymark-care-'))
const folder = new DataFolder(path)
let database: Database
let connection: DuckDBConnection
let server: RoutesServer

beforeAll(async () => {
  database = await Database.open({ folder, catalogs: ['analytics'], memoryLimit: '512MB', threads: 1 })
  connection = await database.connect()
  await openAnalytics(connection)
  server = await serveRoutes(
    careRoutes({
      connect: () => database.connect(),
      catalogs: ['analytics'],
      tempFolder: folder.temp,
    }),
  )
})
afterAll(async () => {
  server.close()
  connection.closeSync()
  await database.close()
  rmSync(path, { recursive: true })
})

const get = async () => {
  const request = ask({ host: '127.0.0.1', port: server.port, path: '/care/export', agent: false })
  request.on('error', () => undefined)
  request.end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return { request, answer }
}

it('goes on after clients that leave in the middle of an export, and leaves no file of theirs', async () => {
  const days = 4
  await connection.run(
    `INSERT INTO analytics.raw.events (seq, "timestamp", environment, event, distinct_id, properties)
     SELECT n, TIMESTAMPTZ '2026-03-01 00:00:00+00' + n % ${days} * INTERVAL 1 DAY, 'production', 'x' || n, uuid()::VARCHAR,
       json_object('padding', repeat(md5(n::VARCHAR), 8))
     FROM range(40000) r(n)`,
  )
  for (let leaver = 0; leaver < 4; leaver++) {
    const { request, answer } = await get()
    await once(answer, 'data')
    request.destroy()
  }
  await server.listener.idle()
  expect(readdirSync(folder.temp)).toEqual([])
  const { answer } = await get()
  const tar = (await buffer(answer)).toString('latin1')
  expect(tar.match(/events\/environment=production\/day=\d{4}-\d\d-\d\d\/events.parquet/g)).toHaveLength(days)
})
