import { beforeAll, describe, expect, it } from 'vitest'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const track = (name: string, properties: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  service.ingest('/track?sync=true', event(name, { properties, ...more }))
const rowsOf = async (statement: string) => {
  const { rows, error } = await service.query(statement)
  expect(error).toBeUndefined()
  return rows
}

it('looks people up by a hash join, never by a nested loop, which would not end on real tables', async () => {
  const list = Array.from({ length: 3000 }, (_, n) =>
    event('crowd', { distinct_id: `user-${n % 500}`, anonymous_id: `anonymous-${n % 500}` }),
  )
  await service.ingest('/track?sync=true', list)
  for (const statement of [
    'SELECT count(DISTINCT person_id) FROM events',
    'FROM identities',
    'FROM persons',
    'FROM identity_traits',
  ]) {
    const { body } = await service.ask('/explain', { statement, include_plan: true })
    const plan = JSON.stringify(body['plan'])
    expect(plan.includes('HASH_JOIN')).toBe(/events|identities/.test(statement))
    expect(plan).not.toMatch(/NESTED_LOOP|BLOCKWISE|CROSS_PRODUCT|PIECEWISE/)
  }
  expect(
    await rowsOf("SELECT count(DISTINCT person_id), count(*) FROM events WHERE event = 'crowd'"),
  ).toEqual([[500, 3000]])
})

describe('the columns of events', () => {
  it('hold the built-in properties as text, and NULL where there is none', async () => {
    await track('Built in', {
      $url: 'https://ada@shop.example:8443/maps/7?utm_source=x#top',
      $referer: 'https://search.example/',
      $utm_source: 'newsletter',
      $utm_medium: 'mail',
      $utm_campaign: 'spring',
      $utm_term: 'map',
      $utm_content: 'top',
      $lib: 'waymark',
      $lib_version: '0.1.0',
      $release: 17,
      $os: 'Linux',
      $device: 'Pixel 9',
      $viewport: '390x844',
      $user_agent: 'Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36',
    })
    await track('Bare', {})
    const columns = `url, host, path, referrer, utm_source, utm_medium, utm_campaign, utm_term, utm_content,
      lib, lib_version, release, os, device, viewport, browser`
    expect(await rowsOf(`SELECT ${columns} FROM events WHERE event = 'Built in'`)).toEqual([
      [
        'https://ada@shop.example:8443/maps/7?utm_source=x#top',
        'shop.example:8443',
        '/maps/7',
        'https://search.example/',
        'newsletter',
        'mail',
        'spring',
        'map',
        'top',
        'waymark',
        '0.1.0',
        '17',
        'Linux',
        'Pixel 9',
        '390x844',
        'Chrome',
      ],
    ])
    const bare = await rowsOf(`SELECT ${columns} FROM events WHERE event = 'Bare'`)
    expect(bare).toEqual([Array.from({ length: 16 }, () => null)])
  })

  it.each([
    ['https://a.example', 'a.example', null],
    ['https://a.example/?q=/x', 'a.example', '/'],
    ['https://[::1]:80/x#y', '[::1]:80', '/x'],
    ['app://open/settings', 'open', '/settings'],
    ['not a url', null, null],
  ])('take the url %s apart', async (url, host, path) => {
    await track(`at ${url}`, { $url: url })
    expect(await rowsOf(`SELECT host, path FROM events WHERE event = 'at ${url}'`)).toEqual([[host, path]])
  })

  it.each([
    ['Mozilla/5.0 (Windows) Chrome/142.0 Safari/537.36 Edg/142.0', 'Edge'],
    ['Mozilla/5.0 (Windows) Chrome/142.0 Safari/537.36 OPR/120.0', 'Opera'],
    ['Mozilla/5.0 (Linux) SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36', 'Samsung Internet'],
    ['Mozilla/5.0 (X11; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox'],
    ['Mozilla/5.0 (iPhone) CriOS/142.0 Mobile/15E148 Safari/604.1', 'Chrome'],
    ['Mozilla/5.0 (Macintosh) Version/18.0 Safari/605.1.15', 'Safari'],
    ['curl/8.5.0', null],
  ])('call the browser of %s %s', async (agent, browser) => {
    await track(`by ${agent}`, { $user_agent: agent })
    expect(await rowsOf(`SELECT browser FROM events WHERE event = 'by ${agent}'`)).toEqual([[browser]])
  })
})

describe('properties', () => {
  beforeAll(async () => {
    await track('Theme', {
      theme: 'dark',
      price: 12.5,
      $os_version: '6.1',
      'a/b~c.d"e': 'odd',
      a: '1',
      o: { p: 'q' },
    })
    await track('Theme', { theme: 'light', price: 'much', a: '2' })
  })

  it.each([
    [`prop(properties, 'theme') = 'dark'`],
    [`prop(properties, '$os_version') = '6.1'`],
    [`prop(properties, 'a/b~c.d"e') = 'odd'`],
    [`prop_number(properties, 'price') > 12.4`],
    [`properties->>'$os_version' = '6.1'`],
    [`properties->>'a'='1' or properties->>'a' = '3'`],
    [`e.properties->>'a' = '1' AND e.properties->>'theme' LIKE 'd%'`],
    [`properties->>'a' IS NOT NULL AND properties->>'$os_version' IN ('6.1', '6.2')`],
    [`properties->'o'->>'p' = 'q'`],
    [`TRY_CAST(properties->>'price' AS DOUBLE) + 1 = 13.5`],
  ])('are found by %s', async (condition) => {
    const from = `FROM events e WHERE event = 'Theme'`
    expect(await rowsOf(`SELECT properties->>'theme' ${from} AND (${condition})`)).toEqual([['dark']])
    expect(await rowsOf(`SELECT count(*) ${from} AND (${condition}) IS NOT TRUE`)).toEqual([[1]])
  })

  it('give NULL for a number that is none', async () => {
    const sql = `SELECT prop_number(properties, 'price') AS price FROM events WHERE event = 'Theme' ORDER BY price`
    expect(await rowsOf(sql)).toEqual([[12.5], [null]])
  })

  it('stay mended in a view that is read later', async () => {
    await rowsOf(
      `CREATE VIEW dark AS SELECT properties->>'$os_version' AS v FROM events WHERE properties->>'theme' = 'dark'`,
    )
    expect(await rowsOf(`FROM dark WHERE v = '6.1'`)).toEqual([['6.1']])
  })

  it.each([
    `properties.theme = 'dark'`,
    `properties['theme'] IN ('dark', 'light')`,
    `properties->'theme' = 'dark'`,
  ])('compared as %s are refused with what to write instead', async (condition) => {
    const { status, error } = await service.query(`SELECT count(*) FROM events WHERE ${condition}`)
    expect(status).toBe(400)
    expect(error?.['message']).toContain(`prop(properties, 'name') = 'value'`)
  })

  it('whose name is taken for a path are refused with what to write instead', async () => {
    const { error } = await service.query(`SELECT properties->'$os_version' FROM events`)
    expect(error?.['message']).toContain(`prop(properties, '$name')`)
  })
})

describe('a change through a view', () => {
  it.each([
    'INSERT INTO events (event) VALUES (1)',
    'UPDATE persons SET events = 1',
    'DELETE FROM events',
    'TRUNCATE persons',
  ])('is refused with what views are for: %s', async (statement) => {
    const { status, error } = await service.query(statement)
    expect(status).toBe(400)
    expect(error?.['message']).toMatch(/^Views are for reading: .*a table of your own/)
  })
})

describe('identities and identity_traits', () => {
  it('tell whose an id is, and the latest value of each trait', async () => {
    const identify = (distinct_id: string, anonymous_id: string, traits: object, timestamp: number) =>
      service.ingest('/identify?sync=true', {
        environment: 'staging',
        distinct_id,
        anonymous_id,
        traits,
        timestamp,
      })
    await service.ingest('/track?sync=true', event('x', { environment: 'staging', anonymous_id: 'lonely' }))
    await identify('ida', 'phone', { plan: 'free', name: 'Ida' }, 1_000)
    await identify('ida', 'laptop', { plan: 'pro' }, 2_000)
    expect(
      await rowsOf(
        `SELECT distinct_id, person_id, identified FROM identities WHERE environment = 'staging' ORDER BY 1`,
      ),
    ).toEqual([
      ['ida', 'ida', true],
      ['laptop', 'ida', false],
      ['lonely', 'lonely', false],
      ['phone', 'ida', false],
    ])
    expect(
      await rowsOf(
        `SELECT person_id, name, value, "timestamp" FROM identity_traits WHERE environment = 'staging' ORDER BY 2`,
      ),
    ).toEqual([
      ['ida', 'name', 'Ida', '1970-01-01T00:00:01+00:00'],
      ['ida', 'plan', 'pro', '1970-01-01T00:00:02+00:00'],
    ])
  })
})

describe('listings', () => {
  it.each([
    'SHOW TABLES',
    'SHOW ALL TABLES',
    'SHOW TABLES FROM analytics',
    'DESCRIBE',
    'FROM information_schema.tables',
    'FROM information_schema.columns',
    'FROM information_schema.schemata',
    'FROM pg_catalog.pg_class',
    'FROM pg_catalog.pg_namespace',
    'FROM duckdb_tables()',
    'FROM duckdb_columns()',
    'FROM duckdb_schemas()',
  ])('by %s do not show what the service keeps for itself', async (statement) => {
    await rowsOf('CREATE TABLE IF NOT EXISTS mine (a INT)')
    const text = JSON.stringify(await rowsOf(statement))
    expect(text).toMatch(/"mine"|"events"|"main"/)
    expect(text).not.toMatch(/"raw"|waymark_internal|id_map/)
  })

  it('name the views and tell what each column says', async () => {
    expect(await rowsOf(`SHOW TABLES FROM analytics`)).toEqual([
      ['alert_messages'],
      ['alerts'],
      ['all_sessions'],
      ['daily_sums'],
      ['errors'],
      ['events'],
      ['identities'],
      ['identity_traits'],
      ['imports'],
      ['metrics'],
      ['page_views'],
      ['persons'],
      ['plan_drift'],
      ['plan_traits'],
      ['privacy_log'],
      ['rejected'],
      ['saved'],
      ['sessions'],
    ])
    expect(
      await rowsOf(
        `SELECT table_name FROM information_schema.tables WHERE table_catalog = 'analytics' AND table_comment IS NULL
         UNION ALL SELECT column_name FROM information_schema.columns
         WHERE table_catalog = 'analytics' AND column_comment IS NULL`,
      ),
    ).toEqual([])
  })
})

describe('time zones', () => {
  it.each([
    ['2026-03-29', 23, '+01:00', '+02:00'],
    ['2026-10-25', 25, '+02:00', '+01:00'],
  ])('cut the day %s in Berlin, of %i hours', async (day, hours, before, after) => {
    const midnight = Date.parse(`${day}T00:00:00${before}`)
    const at = (hour: number) => event(`hour ${day}`, { timestamp: midnight + hour * 3_600_000 })
    await service.ingest(
      '/track?sync=true',
      Array.from({ length: 48 }, (_, n) => at(n - 12)),
    )
    const ofDay = `FROM events WHERE event = 'hour ${day}' AND "timestamp"::DATE = '${day}'`
    const berlin = { timezone: 'Europe/Berlin' }
    const { rows } = await service.query(
      `SELECT count(*), min("timestamp"), max("timestamp"), date_trunc('day', max("timestamp")) ${ofDay}`,
      berlin,
    )
    expect(rows).toEqual([
      [hours, `${day}T00:00:00${before}`, `${day}T23:00:00${after}`, `${day}T00:00:00${before}`],
    ])
    expect((await service.query(`SELECT count(*) ${ofDay}`)).rows).toEqual([[24]])
  })

  it('are those of the session where the request names none', async () => {
    const session_id = 'kolkata'
    await service.query(`SET TimeZone = 'Asia/Kolkata'`, { session_id })
    await track('zoned', {}, { timestamp: 0 })
    const statement = `SELECT "timestamp", list("timestamp") FROM events WHERE event = 'zoned' GROUP BY 1`
    const here = '1970-01-01T05:30:00+05:30'
    expect((await service.query(statement, { session_id })).rows).toEqual([[here, [here]]])
    for (const format of ['csv', 'jsonl']) {
      const { bytes } = await service.download(statement, { session_id, format })
      expect(bytes.toString()).toContain(here)
    }
  })

  it.each([
    [`'infinity'::TIMESTAMPTZ`, 'infinity'],
    [`TIMESTAMPTZ '12026-01-01 00:00:00+00'`, '12026-01-01 00:00:00+00'],
  ])('leave %s, which ISO 8601 cannot write, as DuckDB does', async (sql, text) => {
    expect(await rowsOf(`SELECT ${sql}`)).toEqual([[text]])
  })
})

it('lets /explain and /validate know the tables below the views', async () => {
  // Some columns of few rows are as large as all.
  await service.ingest(
    '/track?sync=true',
    Array.from({ length: 3000 }, () => event('explained')),
  )
  await service.restart()
  const { body } = await service.ask('/explain', { statement: 'FROM events WHERE event_id = 1' })
  const [events] = (body['tables'] as { table_name: string }[]).filter(
    (table) => table.table_name === 'analytics.raw.events',
  )
  const { scanned_bytes_estimate, total_bytes } = events as unknown as {
    scanned_bytes_estimate: number
    total_bytes: number
  }
  expect(total_bytes).toBeGreaterThan(0)
  expect(scanned_bytes_estimate).toBeLessThan(total_bytes)
  expect((await service.ask('/validate', { statement: 'USE analytics.raw' })).body['valid']).toBe(true)
})
