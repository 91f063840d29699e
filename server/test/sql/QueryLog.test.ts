import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { Cancellation } from '../../src/sql/Cancellation.js'
import { LoggedQuery, QueryLog } from '../../src/sql/QueryLog.js'
import type { HeldConnection } from '../../src/sql/HeldConnections.js'

const start = (statement: string) =>
  new LoggedQuery({
    user: 'ada',
    userAgent: null,
    request: { statement, query_id: randomUUID() },
    held: { id: 's' } as HeldConnection,
    cancellation: new Cancellation(1000, () => undefined),
    threads: 1,
    clientInterface: 'HTTP',
  })

const kept = (log: QueryLog, queries: readonly LoggedQuery[]) =>
  queries.filter((query) => log.find(query.user, query.info.uuid) === query)

it('keeps the beginning of a long statement, and says how long it was', () => {
  const { query } = start(`SELECT '${'x'.repeat(8_000_000)}'`).info
  expect(query).toMatch(/^SELECT 'xxx/)
  expect(query).toMatch(/\(8000009 characters\)$/)
  expect(query.length).toBeLessThan(70_000)
})

it('forgets the oldest when there are too many, and those that run never', () => {
  const log = new QueryLog(10)
  const queries = Array.from({ length: 30 }, () => start('SELECT 1'))
  for (const [at, query] of queries.entries()) {
    log.add(query)
    if (at !== 3) query.end()
  }
  const last = start('SELECT 1')
  log.add(last)
  expect(kept(log, queries)).toEqual([queries[3], ...queries.slice(22)])
})

it('forgets the oldest when all statements together are too long', () => {
  const log = new QueryLog(10_000)
  const queries = Array.from({ length: 1000 }, () => start('x'.repeat(8_000_00)))
  for (const query of queries) {
    log.add(query)
    query.end()
  }
  const left = kept(log, queries)
  expect(left.reduce((sum, { info }) => sum + info.query.length, 0)).toBeLessThanOrEqual(16 * 1_048_576)
  expect(left.length).toBeGreaterThan(100)
  expect(left.at(-1)).toBe(queries.at(-1))
})
