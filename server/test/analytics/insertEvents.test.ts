import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { insertEvents } from '../../src/analytics/insertEvents.js'
import { InsertIdWindow } from '../../src/analytics/InsertIdWindow.js'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import type { LogEntry } from '../../src/wal/segment.js'

const entry = (first: number, count: number): LogEntry => ({
  kind: 'track',
  first,
  count,
  receivedAtMs: 1e12,
  body: Buffer.from(
    JSON.stringify(
      Array.from({ length: count }, () => ({ environment: 'production', event: 'seen', properties: {} })),
    ),
  ),
})

it('asks whether to rest after each piece of a batch', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-events-'))
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("ATTACH ':memory:' AS analytics")
  await openAnalytics(connection)
  const rested: number[] = []
  await insertEvents(connection, {
    entries: [entry(1, 12_000), entry(12_001, 12_000), entry(24_001, 5)],
    environments: ['production'],
    window: new InsertIdWindow({ folder, windowMs: 1000 }),
    pause: (rows) => Promise.resolve(void rested.push(rows)),
  })
  expect(rested).toEqual([24_000, 5])
  connection.closeSync()
  rmSync(folder, { recursive: true, force: true })
})
