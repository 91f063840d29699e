import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askRaw } from '../fixtures/askRaw.js'
import { createService, type Service } from '../fixtures/createService.js'
import { seedShop } from '../fixtures/seedShop.js'
import { refusedCalls } from '../sql/guard/escapes.js'
import { call, connect } from './agent.js'

let service: Service
let figures: Client
let all: Client

beforeAll(async () => {
  service = await createService({ mcpTokens: ['figures-only-token', 'all-of-it-and-persons:persons'] })
  await seedShop(service)
  figures = await connect(service, 'figures-only-token')
  all = await connect(service, 'all-of-it-and-persons')
})
afterAll(async () => {
  await Promise.all([figures.close(), all.close()])
  await service.close()
})

/** Twenty questions of an agent, each with the statement that must have the same answer. */
const questions: readonly (readonly [name: string, given: object, statement: string])[] = [
  ['daily', {}, 'FROM daily()'],
  ['daily', { time_zone: 'Europe/Vienna' }, "FROM daily(time_zone := 'Europe/Vienna')"],
  ['daily', { from: '2100-01-01' }, "FROM daily('2100-01-01')"],
  ['funnel', { steps: ['/', 'Order Placed'] }, "FROM funnel(['/', 'Order Placed'], INTERVAL 7 DAY)"],
  [
    'funnel',
    { steps: ['/', 'Order Placed'], within_hours: 1 },
    "FROM funnel(['/', 'Order Placed'], INTERVAL 1 HOUR)",
  ],
  [
    'funnel',
    { steps: ['/', 'Map Viewed'], breakdown: 'theme' },
    "FROM funnel(['/', 'Map Viewed'], INTERVAL 7 DAY, breakdown := 'theme')",
  ],
  [
    'funnel',
    { steps: ['/', 'Map Viewed'], bots: true },
    "FROM funnel(['/', 'Map Viewed'], INTERVAL 7 DAY, bots := true)",
  ],
  ['retention', {}, "FROM retention(NULL, NULL, 'week')"],
  [
    'retention',
    { first_event: '/', return_event: 'Order Placed', unit: 'day' },
    "FROM retention('/', 'Order Placed', 'day')",
  ],
  ['paths', { depth: 2 }, 'FROM paths(NULL, 2)'],
  ['paths', { start: '/', depth: 1 }, "FROM paths('/', 1)"],
  ['breakdown', { event: 'Map Viewed', property: 'sku' }, "FROM breakdown('Map Viewed', 'sku')"],
  ['breakdown', { property: 'theme' }, "FROM breakdown(NULL, 'theme')"],
  ['breakdown', { property: '$utm_source' }, "FROM breakdown(NULL, '$utm_source')"],
  [
    'breakdown',
    { property: 'theme', environment: 'staging' },
    "FROM breakdown(NULL, 'theme', environment := 'staging')",
  ],
  [
    'list_events',
    {},
    'SELECT event, count(*), count(DISTINCT person_id), min("timestamp"), max("timestamp") FROM events WHERE bot IS NULL GROUP BY 1 ORDER BY 2 DESC, 1',
  ],
  [
    'sessions',
    { by: 'channel' },
    'SELECT channel, count(*), count(DISTINCT person_id), avg(bounced::INT), avg(page_views), median(duration_seconds) FROM sessions GROUP BY 1 ORDER BY 2 DESC, 1',
  ],
  [
    'sessions',
    { by: 'browser' },
    'SELECT browser, count(*), count(DISTINCT person_id), avg(bounced::INT), avg(page_views), median(duration_seconds) FROM sessions GROUP BY 1 ORDER BY 2 DESC, 1',
  ],
  ['web_vitals', {}, 'SELECT 1 WHERE false'],
  ['errors', {}, 'SELECT 1 WHERE false'],
]

describe('an agent', () => {
  it.each(questions)('that asks %s of %j gets what SQL answers', async (name, given, statement) => {
    const { table, isError, text } = await call(figures, name, given)
    expect([isError, text]).toEqual([false, JSON.stringify(table)])
    const { rows } = await service.query(statement)
    expect(table.rows).toEqual(rows)
    expect(table.isCut).toBe(false)
  })

  it('learns which properties an event has, with values that many have', async () => {
    const { table } = await call(figures, 'list_properties', { event: 'Order Placed' })
    const examplesOf = Object.fromEntries(table.rows.map(([name, , examples]) => [name, examples]))
    expect(Object.keys(examplesOf)).toEqual(expect.arrayContaining(['price', 'items', 'theme']))
    expect(examplesOf).toMatchObject({ theme: ['dark'] })
    // Each of the three prices is one person's.
    expect(examplesOf['price'] ?? []).toEqual([])
    const whole = await call(all, 'list_properties', { event: 'Order Placed' })
    expect(whole.table.rows.find(([name]) => name === 'price')![2]).toHaveLength(3)
  })

  it('without persons is told no value that fewer than three people share', async () => {
    const asked = { event: 'Order Placed', property: 'price' }
    expect((await call(figures, 'breakdown', asked)).table.rows).toEqual([])
    expect((await call(all, 'breakdown', asked)).table.rows).toHaveLength(3)
  })

  it('asks of a segment only with a token for persons, because a segment may be one person', async () => {
    const asked = { where: [{ field: 'trait.plan', operator: 'is', values: ['pro'] }] }
    expect(await call(figures, 'daily', asked)).toMatchObject({ isError: true })
    const { table } = await call(all, 'daily', asked)
    expect(table.rows.map(([, people]) => people)).toContain(1)
  })

  it('asks by SQL only with a token for persons', async () => {
    const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
    expect(await names(figures)).not.toContain('sql')
    expect(await names(all)).toContain('sql')
    const statement = 'SELECT count(*) FROM persons'
    expect((await call(all, 'sql', { statement })).table.rows).toEqual((await service.query(statement)).rows)
    const refused = await call(figures, 'sql', { statement }).catch((error: unknown) => String(error))
    expect(JSON.stringify(refused)).toMatch(/sql/)
    expect(JSON.stringify(refused)).not.toContain('columns')
  })

  it('gets a part of what is long, and is told so', async () => {
    const { table } = await call(all, 'sql', { statement: 'FROM range(5000)', limit: 10 })
    expect(table).toMatchObject({ isCut: true })
    expect(table.rows).toHaveLength(10)
    const large = await call(all, 'sql', {
      statement: "SELECT repeat('x', 1000) FROM range(900)",
      limit: 1000,
    })
    expect(large.table.isCut).toBe(true)
    expect(large.text.length).toBeLessThan(300_000)
  })

  it('is told in words what was wrong', async () => {
    expect(await call(all, 'sql', { statement: 'SELECT nothing FROM events' })).toMatchObject({
      isError: true,
    })
    const { isError, text } = await call(figures, 'daily', { from: 'yesterday' })
    expect([isError, text]).toEqual([true, expect.stringContaining('yesterday')])
  })

  it('changes nothing', async () => {
    for (const statement of [
      'CREATE TABLE mine AS SELECT 1',
      'SET threads = 1',
      'DELETE FROM lakehouse.main.x',
      "COPY events TO 'x'",
    ]) {
      expect(await call(all, 'sql', { statement })).toMatchObject({ isError: true })
    }
  })

  it('gets nothing by what no list allows, nor by texts that end another one', async () => {
    for (const statement of refusedCalls) {
      const { isError, text } = await call(all, 'sql', { statement })
      expect([statement, isError]).toEqual([statement, true])
      expect(text).not.toContain(service.folder)
    }
    const breakout = "x') UNION ALL SELECT * FROM persons --"
    const tries: readonly (readonly [string, object])[] = [
      ['list_events', { environment: breakout }],
      [
        'list_events',
        {
          environment: "x' GROUP BY event UNION ALL SELECT person_id, 1, 1, now(), now() FROM persons --",
        },
      ],
      ['list_properties', { event: breakout }],
      ['daily', { from: breakout }],
      ['daily', { time_zone: breakout }],
      ['funnel', { steps: [breakout, "a'], INTERVAL 1 DAY) --"], breakdown: breakout }],
      ['retention', { first_event: breakout, return_event: breakout }],
      ['paths', { start: breakout }],
      ['breakdown', { event: breakout, property: breakout }],
      ['sessions', { by: 'person_id' }],
      ['sessions', { by: breakout }],
    ]
    for (const [name, given] of tries) {
      const told = await call(figures, name, given).then(({ text }) => text, String)
      expect(told).not.toMatch(/anonymous-\d|user-\d|Person \d/)
    }
  })
})

describe('POST /mcp', () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const post = (headers: Record<string, string>) =>
    fetch(new URL('/mcp', service.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    })

  it.each([
    ['nothing', {}],
    ['a wrong token', { authorization: 'Bearer wrong' }],
    ['the mark alone', { authorization: 'Bearer all-of-it-and-persons:persons' }],
    ['a user', { authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}` }],
    ['the name of the user inside', { 'x-waymark-user': 'agent', 'x-waymark-role': 'read' }],
  ])('refuses %s', async (_, headers) => {
    expect((await post(headers)).status).toBe(401)
  })

  it.each([
    ['evil.example', 403],
    ['127.0.0.1.evil.example:80', 403],
    ['localhost:1', 200],
    ['[::1]:80', 200],
  ])('asked as %s with a right token gives %i', async (host, status) => {
    const headers = {
      host,
      authorization: 'Bearer all-of-it-and-persons',
      accept: 'application/json, text/event-stream',
    }
    const answer = await askRaw(service.url, {
      path: '/mcp',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(status)
  })

  it('lets a token into nothing else', async () => {
    const authorization = 'Bearer all-of-it-and-persons'
    const asked = { method: 'POST', headers: { authorization }, body: '{"statement":"SELECT 1"}' }
    expect((await fetch(new URL('/query', service.url), asked)).status).toBe(401)
  })

  it('is not there without tokens', async () => {
    const other = await createService()
    expect((await fetch(new URL('/mcp', other.url), { method: 'POST', body: '{}' })).status).toBe(404)
    await other.close()
  })
})
