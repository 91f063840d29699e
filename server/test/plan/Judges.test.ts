import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { applyAnalytics } from '../../src/analytics/applyAnalytics.js'
import { InsertIdWindow } from '../../src/analytics/InsertIdWindow.js'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import type { LogEntry } from '../../src/wal/segment.js'

const seen = { environment: 'production', event: 'seen', properties: { a: 1 } }
const entry = (first: number, kind: string, rows: object[], target?: string): LogEntry => ({
  ...{ kind, first, count: rows.length, receivedAtMs: 1e12, body: Buffer.from(JSON.stringify(rows)) },
  ...(target === undefined ? {} : { target }),
})
const plan = (id: string, type: string) => ({
  id,
  schemas: { events: { seen: { properties: { a: { type } } } } },
})

/** The verdicts of one engine that reads the log in these batches. */
const verdictsOf = async (batches: LogEntry[][]) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-judges-'))
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("ATTACH ':memory:' AS analytics")
  await openAnalytics(connection)
  const window = new InsertIdWindow({ folder, windowMs: 1000 })
  const apply = applyAnalytics({ window })
  for (const batch of batches) await apply(connection, batch)
  const reader = await connection.runAndReadAll(
    'SELECT coalesce(plan_problem, plan_verdict) FROM analytics.raw.events ORDER BY seq',
  )
  connection.closeSync()
  rmSync(folder, { recursive: true, force: true })
  return reader.getRows().flat()
}

it('judges by the plan that a request names, wherever an engine begins its batches', async () => {
  const log = [
    entry(1, 'plan', [plan('aa', 'number')]),
    entry(2, 'track', [seen, { ...seen, event: 'new' }], '{"plan":"aa","key":"public"}'),
    entry(4, 'plan', [plan('bb', 'string')]),
    // Two processes that accept events may have two plans while one of them is being replaced.
    entry(5, 'track', [seen], '{"plan":"bb"}'),
    entry(6, 'track', [seen], '{"plan":"aa"}'),
    entry(7, 'plan', [plan('aa', 'number')]),
    entry(8, 'track', [seen]),
    entry(9, 'track', [seen], '{"plan":"cc"}'),
    entry(10, 'track', [seen], '{"browser":"\\"plan\\":\\"bb\\""}'),
  ]
  const expected = ['valid', 'unplanned', 'a: must be a string', 'valid', null, null, null]
  expect(await verdictsOf([log])).toEqual(expected)
  expect(await verdictsOf(log.map((each) => [each]))).toEqual(expected)
})
