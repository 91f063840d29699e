import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyAnalytics } from '../../src/analytics/applyAnalytics.js'
import { buildSessions, foldEvents } from '../../src/schema/applySessions.js'
import { InsertIdWindow } from '../../src/analytics/InsertIdWindow.js'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import { keptWrongly } from '../../src/schema/derivedColumns.js'
import { deleteSlice } from '../../src/privacy/deleteDay.js'
import { inTransaction } from '../../src/duckdb/transactions.js'
import { entriesOf, historyAt, moments, type Step } from '../answers/histories.js'

const firsts = [
  'device_id',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'click_id',
  'browser',
  'os',
  'viewport',
]
const byTime = 'ORDER BY "timestamp", seq'
const first = (column: string, condition = `${column} IS NOT NULL`) =>
  `first(${column} ${byTime}) FILTER (${condition})`

/** What a session is, from the raw rows alone. */
const fromRawRows = `
SELECT environment, session_id, min("timestamp") AS started_at, max("timestamp") AS ended_at, count(*) AS events,
  count(*) FILTER (event = '$pageview') AS page_views,
  sum(TRY_CAST(properties->>'visible_ms' AS DOUBLE)) FILTER (event = 'Page Engaged') AS visible_ms,
  last(coalesce(distinct_id, anonymous_id) ${byTime}) FILTER (coalesce(distinct_id, anonymous_id) IS NOT NULL) AS last_id,
  ${first("coalesce(path, '')", `event = '$pageview' AND url IS NOT NULL`)} AS entry_path,
  last(coalesce(path, '') ${byTime}) FILTER (event = '$pageview' AND url IS NOT NULL) AS exit_path,
  ${firsts.map((column) => `${first(column)} AS ${column}`).join(', ')}, bool_or(anonymous) AS anonymous,
  min(bot) AS bot, list_sort(list(DISTINCT id_key) FILTER (id_key IS NOT NULL)) AS ids
FROM analytics.raw.events WHERE session_id IS NOT NULL GROUP BY ALL`

const folder = mkdtempSync(join(tmpdir(), 'waymark-sessions-'))
let instance: DuckDBInstance
let connection: DuckDBConnection
let window: InsertIdWindow
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run(`SET TimeZone = 'UTC'`)
  await connection.run("ATTACH ':memory:' AS analytics")
  await openAnalytics(connection)
  window = new InsertIdWindow({ folder, windowMs: 1000 })
  window.open(0, 0n)
})
afterAll(() => {
  instance.closeSync()
  rmSync(folder, { recursive: true, force: true })
})

const empty = async () => {
  for (const table of ['events', 'id_map', 'traits', 'persons'])
    await connection.run(`DELETE FROM analytics.raw.${table}`)
  await buildSessions(connection)
}

/** One of the visitors has not agreed to be recognised. */
const entriesWithAnonymous = (steps: readonly Step[]) =>
  entriesOf(steps).map((entry, at) => {
    const { kind, payload } = steps.at(at)!
    const isAnonymous = kind === 'track' && payload.anonymous_id === 'f'
    return isAnonymous ? { ...entry, target: JSON.stringify({ visitor: 'day-f' }) } : entry
  })

const apply = (steps: readonly Step[], from: number, until: number) =>
  inTransaction(connection, () =>
    applyAnalytics({ window })(connection, entriesWithAnonymous(steps).slice(from, until)),
  )
const fold = (settleAt?: number) => inTransaction(connection, () => foldEvents(connection, settleAt))

const read = async (sql: string) =>
  (await connection.runAndReadAll(`FROM (${sql}) ORDER BY environment, session_id`)).getRowObjectsJson()
const columns = `environment, session_id, started_at, ended_at, events, page_views, visible_ms, last_id, entry_path,
  exit_path, ${firsts.join(', ')}, anonymous, bot, CASE WHEN id_key IS NOT NULL THEN coalesce(id_keys, [id_key]) END AS ids`

const expectRight = async () => {
  expect(await read(`SELECT ${columns} FROM analytics.raw.all_sessions`)).toEqual(await read(fromRawRows))
  const reader = await connection.runAndReadAll(`FROM analytics.raw.events WHERE ${keptWrongly}`)
  expect(reader.currentRowCount).toBe(0)
}

it('says of random histories, folded and deleted in part at any time, what the raw rows say', async () => {
  let folded = 0
  let partly = 0
  await fc.assert(
    fc.asyncProperty(
      moments.chain(historyAt),
      fc.array(
        fc.record({
          events: fc.integer({ min: 1, max: 30 }),
          folds: fc.boolean(),
          settleAt: fc.constantFrom(0, 3, 100),
        }),
        {
          minLength: 1,
        },
      ),
      fc.nat({ max: 60 }),
      async (steps, parts, through) => {
        await empty()
        for (let at = 0, part = 0; at < steps.length; part++) {
          const { events, folds, settleAt } = parts.at(part % parts.length)!
          await apply(steps, at, at + events)
          if (folds) await fold(settleAt)
          at += events
          await expectRight()
        }
        const [{ n }] = (
          await connection.runAndReadAll('SELECT count(*)::INTEGER AS n FROM analytics.raw.sessions')
        ).getRowObjects() as [{ n: number }]
        folded += n
        const reader = await connection.runAndReadAll(
          'SELECT DISTINCT received_at::DATE::VARCHAR FROM analytics.raw.events',
        )
        for (const [day] of reader.getRows() as [string][]) {
          partly += await deleteSlice(connection, { environment: 'production', day, through })
        }
        await expectRight()
      },
    ),
    { numRuns: 16 },
  )
  expect(folded).toBeGreaterThan(0)
  expect(partly).toBeGreaterThan(0)
})

it('tells a folded session that a later event made it too fast for a person', async () => {
  await empty()
  const steps = Array.from({ length: 10 }, (_, at): Step => ({
    kind: 'track',
    payload: {
      environment: 'production',
      event: '$pageview',
      session_id: 'fast',
      timestamp: Date.UTC(2026, 0, 1) + at,
      properties: {},
    },
  }))
  await apply(steps, 0, 9)
  await fold()
  await expectRight()
  await apply(steps, 9, 10)
  await connection.run(`UPDATE analytics.raw.events SET bot = NULL WHERE seq = 10`)
  await expectRight()
  expect(await read('FROM analytics.main.all_sessions')).toMatchObject([{ bot: 'impossible speed' }])
})

it('has the visits of who did not consent in all answers about sessions, whether they are folded or not', async () => {
  await empty()
  const view = (minute: number, ids: object): Step => ({
    kind: 'track',
    payload: {
      environment: 'production',
      event: '$pageview',
      timestamp: Date.UTC(2026, 0, 1, 12, minute),
      properties: { $url: `https://shop.example/${minute}` },
      ...ids,
    },
  })
  const steps = [
    view(0, { anonymous_id: 'f' }),
    view(1, { anonymous_id: 'a', session_id: 's' }),
    view(10, { anonymous_id: 'f' }),
    view(50, { anonymous_id: 'f' }),
    // This one belongs to the first visit, whose events may be folded.
    view(20, { anonymous_id: 'f' }),
  ]
  const expected = [
    { person_id: 'a', entry: '/1', exit: '/1', page_views: '1', anonymous: false },
    { person_id: 'day-f', entry: '/0', exit: '/20', page_views: '3', anonymous: true },
    { person_id: 'day-f', entry: '/50', exit: '/50', page_views: '1', anonymous: true },
  ]
  const check = async () => {
    for (const sessions of ['sessions', 'all_sessions', `sessions('2026-01-01', '2026-01-02')`]) {
      const rows = await connection.runAndReadAll(
        `SELECT person_id, entry, exit, page_views, anonymous FROM analytics.main.${sessions} ORDER BY 1, 2`,
      )
      expect(rows.getRowObjectsJson(), sessions).toEqual(expected)
    }
    const days = await connection.runAndReadAll(
      `SELECT people, sessions FROM analytics.main.daily('2026-01-01', '2026-01-02')`,
    )
    expect(days.getRowObjectsJson()).toEqual([{ people: '2', sessions: '3' }])
  }
  await apply(steps, 0, 4)
  await fold()
  await apply(steps, 4, 5)
  await check()
  await fold()
  await check()
})

it('folds events by itself once there are 50,000', async () => {
  await empty()
  const applyMany = async (from: number, count: number) => {
    const payloads = Array.from({ length: count }, (_, at) => ({
      environment: 'production',
      event: 'seen',
      session_id: `s${(from + at) % 9000}`,
      timestamp: (from + at) * 1000,
      properties: {},
    }))
    const body = Buffer.from(JSON.stringify(payloads))
    const entry = { kind: 'track', first: from, count, receivedAtMs: 0, body } as const
    await inTransaction(connection, () => applyAnalytics({ window })(connection, [entry]))
  }
  const counts = async () => {
    const reader = await connection.runAndReadAll(
      `SELECT (SELECT count(*) FROM analytics.raw.unfolded_events)::INTEGER,
         (SELECT count(*) FROM analytics.raw.young_sessions)::INTEGER,
         (SELECT count(*) FROM analytics.raw.reopened_sessions)::INTEGER`,
    )
    return reader.getRows()[0]
  }
  await applyMany(1, 49_999)
  expect(await counts()).toEqual([49_999, 0, 0])
  await applyMany(50_000, 1)
  expect(await counts()).toEqual([0, 9000, 0])
  await applyMany(50_001, 10)
  expect(await counts()).toEqual([10, 8990, 10])
  await expectRight()
})
