import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as ask, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import { holdRoute } from '../../src/care/careRoutes.js'
import type { OneAtATime } from '../../src/duckdb/transactions.js'
import { Database } from '../../src/duckdb/Database.js'
import { DataFolder } from '../../src/disk/DataFolder.js'
import { serveRoutes, type RoutesServer } from '../fixtures/serveRoutes.js'

const path = mkdtempSync(join(tmpdir(), 'waymark-hold-'))
let database: Database
let connection: DuckDBConnection
let server: RoutesServer
let turns = 0
let holds = 0

/** A test may have changed it. */
beforeEach(() => connection.run('UPDATE analytics.raw.position SET applied = 7 WHERE applied = 9'))
beforeAll(async () => {
  database = await Database.open({
    folder: new DataFolder(path),
    catalogs: ['analytics'],
    memoryLimit: '256MB',
    threads: 1,
  })
  connection = await database.connect()
  await openAnalytics(connection)
  await connection.run('INSERT INTO analytics.raw.position VALUES (7)')
  const oneAtATime: OneAtATime = async (work) => {
    turns++
    const result = await work()
    if (result !== undefined) holds++
    return result
  }
  server = await serveRoutes([holdRoute(database, [{ catalog: 'analytics', schema: 'raw', oneAtATime }])])
})
afterAll(async () => {
  server.close()
  connection.closeSync()
  await database.close()
  rmSync(path, { recursive: true })
})

const hold = async () => {
  const request = ask({ host: '127.0.0.1', port: server.port, method: 'POST', path: '/care/hold' })
  request.on('error', () => undefined)
  request.flushHeaders()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const [line] = (await once(answer, 'data')) as [Buffer]
  return { request, answer, line: JSON.parse(line.toString()) as unknown }
}
/** Gives DuckDB something to write, and asks it to. */
const checkpoint = async () => {
  await connection.run('INSERT INTO analytics.raw.position VALUES (1)')
  await connection.run('CHECKPOINT analytics')
}
const untilFree = async () => {
  for (;;) {
    try {
      return await checkpoint()
    } catch (error) {
      expect(String(error)).toContain('other write transactions')
    }
  }
}

it('files stay as they are, whatever is written, until whoever copies them says so', async () => {
  const { request, answer, line } = await hold()
  expect(line).toEqual({ positions: { analytics: 7 } })
  await expect(checkpoint()).rejects.toThrow('other write transactions')
  request.end()
  const [last] = (await once(answer, 'data')) as [Buffer]
  expect(last.toString()).toBe('{"held":true}\n')
  await untilFree()
})

it('files are given up when whoever copies them goes', async () => {
  const { request } = await hold()
  await expect(checkpoint()).rejects.toThrow('other write transactions')
  request.destroy()
  await untilFree()
})

it('a change that is under way is waited for', async () => {
  const other = await database.connect()
  await other.run('BEGIN')
  await other.run('UPDATE analytics.raw.position SET applied = 9 WHERE applied = 7')
  await connection.run('INSERT INTO analytics.raw.position VALUES (2)')
  turns = 0
  const held = hold()
  while (turns < 2) await new Promise(setImmediate)
  await other.run('COMMIT')
  const { request } = await held
  request.destroy()
  other.closeSync()
  await untilFree()
})

it('files are not kept for somebody who went while a change was waited for', async () => {
  const other = await database.connect()
  await other.run('BEGIN')
  await other.run('UPDATE analytics.raw.position SET applied = 10 WHERE applied = 9')
  await connection.run('INSERT INTO analytics.raw.position VALUES (3)')
  turns = holds = 0
  const request = ask({ host: '127.0.0.1', port: server.port, method: 'POST', path: '/care/hold' })
  request.on('error', () => undefined).flushHeaders()
  while (turns < 1) await new Promise(setImmediate)
  request.destroy()
  while (turns < 2) await new Promise(setImmediate)
  await other.run('COMMIT')
  other.closeSync()
  while (holds < 1) await new Promise(setImmediate)
  await untilFree()
})
