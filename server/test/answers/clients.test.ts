import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { seedShop } from '../fixtures/seedShop.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ postgresPort: 0 })
beforeAll(async () => {
  await seedShop(service)
})

const calls = [
  [`daily(now() - INTERVAL 9 DAY)`],
  [`daily(from_time := '2026-01-01', until_time := '2026-01-09', time_zone := 'Europe/Berlin')`],
  [`analytics.funnel(['/', 'Order Placed'], INTERVAL 7 DAY, NULL, NULL, 'theme', 'production', true)`],
  [`funnel(['/', 'Order Placed'], within := '7 days', breakdown := '$utm_source')`],
  [`funnel_people(['/', 'Order Placed'], INTERVAL 7 DAY)`],
  [`retention('$pageview', 'Order Placed', 'week')`],
  [`retention(NULL, NULL, unit := 'month', bots := true)`],
  [`paths()`],
  [`paths('/', depth := 1)`],
  [`first_touch('2020-01-01')`],
  [`last_touch()`],
  [`sessions('2020-01-01', until_time := now())`],
  [`breakdown('Map Viewed', 'sku')`],
  [`session_breakdown('channel')`],
  [`breakdown(NULL, '$os', environment := 'production')`],
  [`breakdown(NULL, '$event', most := 2)`],
] as const

describe('the answers', () => {
  it.each(calls)('of %s come by /query, and /validate and /explain take it', async (call) => {
    const statement = `FROM ${call}`
    const { error, rows } = await service.query(statement)
    expect(error).toBeUndefined()
    expect(rows.length).toBeGreaterThan(0)
    expect((await service.ask('/validate', { statement })).body).toMatchObject({ valid: true })
    expect((await service.ask('/explain', { statement })).body).toMatchObject({ error: null })
    const described = await service.query(`DESCRIBE FROM ${call}`)
    expect(described.rows.length).toBeGreaterThan(2)
  })

  it('come over the wire of PostgreSQL, with parameters for arguments', async () => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: service.postgresPort,
      user: 'ada',
      password: 'lovelace',
      database: 'lakehouse',
    })
    await client.connect()
    const { rows } = await client.query<{ name: string; people: string }>(
      `SELECT name, people FROM funnel([$1, $2], $3, breakdown := NULL) ORDER BY step`,
      ['/', 'Order Placed', '7 days'],
    )
    const { rows: plain } = await client.query(`SELECT * FROM sessions WHERE environment = 'production'`)
    await client.end()
    expect(rows).toEqual([
      { name: '/', people: '12' },
      { name: 'Order Placed', people: '3' },
    ])
    expect(plain.length).toBe(24)
  })

  it('are still there after a restart, and so are the macros of a user', async () => {
    await service.query('CREATE MACRO mine(n) AS TABLE SELECT n + 1 AS next')
    await service.restart()
    expect((await service.query('FROM mine(1)')).rows).toEqual([[2]])
    expect((await service.query(`FROM funnel(['/'], NULL)`)).rows).toEqual([
      [null, 1, '/', 12, 1, null, null],
    ])
  })

  it('are listed with a comment, and /autocomplete knows their names', async () => {
    const { rows } = await service.query(
      `SELECT function_name FROM duckdb_functions()
       WHERE database_name = 'analytics' AND NOT starts_with(function_name, 'duckdb_') AND comment IS NOT NULL
         AND function_type = 'table_macro' ORDER BY 1`,
    )
    expect(rows.flat()).toEqual([
      'breakdown',
      'daily',
      'first_touch',
      'funnel',
      'funnel_people',
      'goal_events',
      'last_touch',
      'paths',
      'retention',
      'retention_people',
      'session_breakdown',
      'sessions',
      'totals',
      'web_vitals',
    ])
    const { body } = await service.ask('/autocomplete', { statement: 'SELECT * FROM reten' })
    expect(body['suggestions']).toContainEqual(expect.objectContaining({ suggestion: 'retention' }))
  })
})

describe('a clock that is thousands of years wrong', () => {
  const environment = 'staging'
  beforeAll(async () => {
    const moments = [-8_640_000_000_000_000, Date.UTC(2026, 0, 1), 8_210_000_000_000_000]
    const events = moments.map((timestamp) => ({
      environment,
      event: 'seen',
      distinct_id: 'a',
      session_id: 's',
      timestamp,
      properties: {},
    }))
    expect((await service.ingest('/track?sync=true', events)).body).toMatchObject({ ok: true })
  })

  it.each([`daily(`, `retention('seen', 'seen', 'month', everybody := true, `])(
    'is told by %s…), which would make millions of rows, and no harm to a range',
    async (call) => {
      const { error } = await service.query(`FROM ${call}environment := '${environment}')`)
      expect(error?.['message']).toMatch(/The range has \d+ days\. Write from_time and until_time/)
      const { rows } = await service.query(
        `FROM ${call}from_time := '2026-01-01', until_time := '2026-01-02', environment := '${environment}')`,
      )
      expect(rows.length).toBe(1)
    },
  )

  it.each([
    [
      `SELECT people FROM funnel(['seen', 'seen', 'seen'], INTERVAL 7 DAY, environment := 'staging')`,
      [1, 0, 0],
    ],
    [`SELECT people FROM funnel(['seen', 'seen', 'seen'], NULL, environment := 'staging')`, [1, 1, 1]],
    [`SELECT events FROM sessions WHERE environment = 'staging'`, [3]],
    [`SELECT person_id FROM last_touch(environment := 'staging')`, ['a']],
  ])('does no harm to %s', async (statement, expected) => {
    const { error, rows } = await service.query(statement)
    expect(error).toBeUndefined()
    expect(rows.flat()).toEqual(expected)
  })
})

describe('a wrong argument', () => {
  const steps = `['/', 'Order Placed']`
  it.each([
    [`retention('a', 'b', 'fortnight')`, `unit is 'fortnight'. Write 'day', 'week' or 'month'.`],
    [`retention('a', 'b', everybody := NULL)`, 'everybody is NULL. Write everybody := true to count also'],
    [`retention('a', 'b', NULL)`, `unit is NULL. Write 'day', 'week' or 'month'.`],
    [`daily(time_zone := 'Mars/Olympus')`, `Unknown TimeZone 'Mars/Olympus'`],
    [`daily(time_zone := NULL)`, `Name one, such as time_zone := 'Europe/Berlin'.`],
    [`daily(environment := NULL)`, `Name one, such as environment := 'production'`],
    [`daily(bots := NULL)`, 'Write bots := true'],
    [`retention('a', 'b', anonymous := NULL)`, 'Write anonymous := true'],
    [`funnel(${steps}, INTERVAL 1 DAY, anonymous := NULL)`, 'Write anonymous := true'],
    [`daily('yesterday')`, 'yesterday'],
    [`sessions(bots := NULL)`, 'Write bots := true'],
    [`funnel([], INTERVAL 1 DAY)`, 'steps has 0 steps. Write a list of 1 to 10'],
    [`funnel(NULL, INTERVAL 1 DAY)`, 'steps has 0 steps. Write a list of 1 to 10'],
    [`funnel(['a', NULL], INTERVAL 1 DAY)`, 'A step is empty. Write the name of an event'],
    [`funnel(list_resize(['a'], 11, 'a'), INTERVAL 1 DAY)`, 'steps has 11 steps. Write a list of 1 to 10'],
    [`funnel(${steps}, -INTERVAL 1 DAY)`, 'within is -1 day. Write how long'],
    [`funnel(${steps})`, 'funnel(steps, within'],
    [`paths('pricing')`, `start is 'pricing'. Write a path that begins with /`],
    [`paths('/', 0)`, 'depth is 0. Write how many steps to follow, from 1 to 20.'],
    [`breakdown('a', '')`, `property is empty. Name one, such as '$utm_source'`],
    [`breakdown('a', '$os', people := NULL)`, 'Write people := false'],
    [`breakdown('a', '$path', most := -1)`, 'cannot be negative'],
    [`session_breakdown('$os')`, `property is '$os'. Name a column of sessions`],
    [`breakdown('a', NULL)`, `property is empty. Name one, such as '$utm_source'`],
  ])('of %s is refused with what to write instead', async (call, message) => {
    const { status, error } = await service.query(`FROM ${call}`)
    expect(status).toBe(400)
    expect(error?.['message']).toContain(message)
  })
})
