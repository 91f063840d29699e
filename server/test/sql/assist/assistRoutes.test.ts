import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { basic, type Body } from '../../fixtures/createService.js'
import { useService } from '../../fixtures/useService.js'

const service = useService({ catalogs: ['lakehouse', 'second'] })
beforeAll(async () => {
  await service.query(
    'CREATE TABLE orders AS SELECT i AS order_id, i % 7 AS "Day", repeat(\'x\', 20) AS note FROM range(300000) r(i)',
  )
  await service.query('CREATE SCHEMA corner')
  await service.query('CREATE TABLE corner.small (only_here INT)')
  await service.query('CREATE TABLE second.main.big (zebra INT, alpha INT)')
  await service.query('CREATE VIEW seen AS SELECT 1 AS a')
  await service.query('CREATE SEQUENCE counted')
  await service.query('CREATE TABLE second.main.größe (a INT)')
  await service.query(`CREATE TYPE mood AS ENUM ('ok')`)
  await service.query('CREATE MACRO twice(x) AS 2 * x')
})

describe('POST /validate', () => {
  const validate = async (statement: string, more: Body = {}) =>
    (await service.ask('/validate', { statement, ...more })).body

  it.each([
    'SELECT * FROM orders',
    'FROM events',
    'CREATE TABLE fresh (a INT)',
    'INSERT INTO orders VALUES (1, 2, 3)',
    'DROP TABLE orders',
    'UPDATE orders SET note = NULL',
    'PIVOT orders ON "Day" USING count(*)',
    'USE corner',
    'EXPLAIN SELECT 1',
    'EXPLAIN ANALYZE DELETE FROM orders',
    'CREATE TABLE fresh AS PIVOT orders ON "Day" USING count(*)',
    'CREATE VIEW fresh AS FROM orders',
    'CREATE SCHEMA fresh_one',
    'CREATE SEQUENCE fresh_two',
    'CREATE MACRO fresh(x) AS x',
    'ALTER TABLE orders ADD COLUMN fresh INT',
    `COMMENT ON TABLE orders IS 'x'`,
    'TRUNCATE orders',
  ])('finds %s valid, and does nothing', async (statement) => {
    expect(await validate(statement)).toEqual({ valid: true, statement, connections_errors: {}, error: null })
    expect((await service.query('SELECT count(*), count(note) FROM orders')).rows).toEqual([
      [300_000, 300_000],
    ])
    expect((await service.query('FROM fresh')).status).toBe(400)
  })

  it('reads no field that it does not have', async () => {
    expect(await validate('SELECT 1', { timezone: 5 })).toMatchObject({ valid: true })
  })

  it.each([
    'SELEC 1',
    'SELECT * FROM nowhere',
    'SELECT nothing FROM orders',
    '',
    'SELECT 1; DROP TABLE orders',
    'USE nowhere',
    'DROP VIEW events',
    'CREATE TABLE analytics.main.mine (a INT)',
    'PIVOT nowhere ON a USING count(*)',
    `COPY orders TO '/tmp/x'`,
    `SELECT * FROM read_text('/etc/passwd')`,
  ])('says what is wrong with %j, by 200', async (statement) => {
    const { status, body } = await service.ask('/validate', { statement })
    expect(status).toBe(200)
    expect(body).toEqual({
      valid: false,
      statement,
      connections_errors: {},
      error: expect.stringMatching(/\w/),
    })
  })

  it.each([
    ['CREATE TABLE orders (a INT)', 'table orders'],
    ['CREATE TABLE ORDERS AS SELECT 1 AS a', 'table ORDERS'],
    ['CREATE TABLE lakehouse.main."orders" (a INT)', 'table orders'],
    ['CREATE TABLE lakehouse.orders (a INT)', 'table orders'],
    ['CREATE TABLE corner.small (a INT)', 'table small'],
    ['CREATE TABLE second.big (a INT)', 'table big'],
    ['CREATE TABLE seen (a INT)', 'view seen'],
    ['CREATE VIEW seen AS SELECT 2 AS a', 'view seen'],
    ['CREATE VIEW orders AS SELECT 2 AS a', 'table orders'],
    ['CREATE SCHEMA corner', 'schema corner'],
    ['CREATE SCHEMA second.main', 'schema main'],
    ['CREATE SEQUENCE counted', 'sequence counted'],
    [`CREATE TYPE mood AS ENUM ('bad')`, 'type mood'],
    ['CREATE MACRO twice(x) AS x', 'macro twice'],
  ])('does not pass %s, which there is', async (statement, named) => {
    const { valid, error } = await validate(statement)
    expect({ valid, error }).toEqual({ valid: false, error: expect.stringContaining(`a ${named} already`) })
    // Such a statement is refused when it runs, too.
    expect((await service.query(statement)).status).toBe(400)
  })

  it.each([
    'CREATE TABLE IF NOT EXISTS orders (a INT)',
    'CREATE OR REPLACE TABLE orders (a INT)',
    'CREATE OR REPLACE VIEW seen AS SELECT 2 AS a',
    'CREATE TEMP TABLE orders (a INT)',
    'CREATE TABLE corner.orders (a INT)',
    'CREATE TABLE second.orders (a INT)',
    'CREATE TABLE events (a INT)',
    'CREATE SCHEMA second.corner',
  ])('passes %s, which can be made all the same', async (statement) => {
    expect(await validate(statement)).toMatchObject({ valid: true, error: null })
  })

  it('knows what a session has made', async () => {
    await service.query('CREATE TEMP TABLE taken (a INT)', { session_id: 'maker' })
    const statement = 'CREATE TEMP TABLE taken (b INT)'
    expect(await validate(statement, { session_id: 'maker' })).toMatchObject({ valid: false })
    expect(await validate(statement)).toMatchObject({ valid: true })
    await service.query('USE corner', { session_id: 'maker' })
    expect(await validate('CREATE TABLE small (a INT)', { session_id: 'maker' })).toMatchObject({
      valid: false,
    })
  })

  it('leaves a session whose schema is gone where it was, so that the next change is not made elsewhere', async () => {
    const session_id = 'lost'
    await service.query('CREATE SCHEMA passing')
    await service.query('USE passing', { session_id })
    await service.query('DROP SCHEMA passing')
    expect(await validate('SELECT 1', { session_id })).toMatchObject({ valid: true })
    const change = await service.query('CREATE TABLE elsewhere (a INT)', { session_id })
    const message = expect.stringContaining('The schema passing of this session is gone') as string
    expect(change).toMatchObject({ status: 400, error: { message } })
  })

  it('knows the catalog, schema and session', async () => {
    expect(await validate('FROM small', { schema: 'corner' })).toMatchObject({ valid: true })
    expect(await validate('FROM small')).toMatchObject({ valid: false })
    await service.query('CREATE TEMP TABLE scratch (a INT)', { session_id: 's' })
    expect(await validate('FROM scratch', { session_id: 's' })).toMatchObject({ valid: true })
    expect(await validate('FROM scratch')).toMatchObject({ valid: false })
  })
})

describe('POST /explain', () => {
  const explain = (statement: string, more: Body = {}) => service.ask('/explain', { statement, ...more })

  it('estimates every scan', async () => {
    const { status, body } = await explain('SELECT count(*) FROM orders WHERE order_id < 100')
    expect(status).toBe(200)
    expect(body).toEqual({
      statement: 'SELECT count(*) FROM orders WHERE order_id < 100',
      connections_errors: {},
      error: null,
      plan: null,
      tables: [
        {
          table_name: 'lakehouse.main.orders',
          estimated_rows: expect.any(Number),
          filters: expect.stringContaining('order_id'),
          scanned_bytes_estimate: expect.any(Number),
          scanned_files_estimate: 1,
          total_bytes: expect.any(Number),
          total_files: 1,
        },
      ],
      scanned_bytes_estimate: expect.any(Number),
      scanned_files_estimate: 1,
      total_bytes: expect.any(Number),
      total_files: 1,
    })
    const [table] = body['tables'] as Record<string, number>[]
    expect(table?.['scanned_bytes_estimate']).toBeLessThanOrEqual(table?.['total_bytes'] ?? -1)
  })

  it('does not know the bytes of a table that is not in its file yet, and says null', async () => {
    await service.query('CREATE TABLE young (a INT)')
    expect((await explain('FROM young')).body).toMatchObject({ total_bytes: 0 })
    await service.query('INSERT INTO young VALUES (1), (2)')
    const unknown = { scanned_bytes_estimate: null, total_bytes: null, total_files: 1 }
    expect((await explain('FROM young')).body).toMatchObject({ ...unknown, tables: [unknown] })
    const { body } = await explain('SELECT * FROM orders, young')
    expect(body).toMatchObject({ scanned_bytes_estimate: null, total_bytes: null })
    expect(body['tables']).toHaveLength(2)
    await service.query('DROP TABLE young')
  })

  it('gives the plan, in an array, only when asked', async () => {
    expect((await explain('SELECT 1', { include_plan: true })).body['plan']).toEqual([
      expect.objectContaining({ name: expect.any(String) }),
    ])
  })

  it.each([
    'SELECT * FROM nowhere',
    'SELECT 1; DELETE FROM orders',
    'ANALYZE SELECT 1; DELETE FROM orders',
    'EXPLAIN ANALYZE DELETE FROM orders',
    'ANALYZE DELETE FROM orders',
    '',
  ])('answers 200 with an error to %j, and runs nothing', async (statement) => {
    const { status, body } = await explain(statement)
    expect(status).toBe(200)
    expect(body).toMatchObject({ tables: [], error: expect.stringMatching(/\w/), total_bytes: null })
    expect((await service.query('SELECT count(*) FROM orders')).rows).toEqual([[300_000]])
  })

  it('explains a PIVOT', async () => {
    const { body } = await explain('PIVOT orders ON "Day" USING count(*)')
    expect(body).toMatchObject({ error: null, tables: [{ table_name: 'lakehouse.main.orders' }] })
  })

  it('shows the statement that was sent, where it shows one', async () => {
    const { body } = await explain('SELECT nothing FROM orders')
    expect(body['error']).toContain('LINE 1: SELECT nothing FROM orders')
  })

  it('explains a change without making it', async () => {
    expect((await explain('DELETE FROM orders')).body['error']).toBeNull()
    expect((await service.query('SELECT count(*) FROM orders')).rows).toEqual([[300_000]])
  })
})

describe('POST /autocomplete', () => {
  const complete = async (statement: string, more: Body = {}) => {
    const { status, body } = await service.ask('/autocomplete', { statement, ...more })
    return {
      status,
      body,
      names: ((body['suggestions'] ?? []) as Body[]).map((each) => String(each['suggestion']).trim()),
    }
  }

  it('suggests keywords, tables and columns with every field', async () => {
    const { body, names } = await complete('SELECT * FROM ord')
    expect(body).toMatchObject({ statement: 'SELECT * FROM ord', connections_errors: {} })
    expect(names[0]).toBe('orders')
    expect((body['suggestions'] as Body[])[0]).toEqual({
      suggestion: expect.any(String),
      suggestion_start: 14,
      suggestion_type: 'table',
      suggestion_score: expect.any(Number),
      extra_char: null,
    })
  })

  it.each([
    ['SELECT * FROM orders o WHERE o.', ['order_id', '"Day"', 'note']],
    ['SELECT * FROM orders AS o WHERE o.or', ['order_id']],
    ['SELECT * FROM lakehouse.main.orders WHERE orders.n', ['note']],
    ['SELECT * FROM events a JOIN orders b ON a.session', ['session_id']],
    ['SELECT * FROM corner.', ['small']],
    ['SELECT * FROM lakehouse.', ['corner', 'main', 'orders', 'rejected', 'seen']],
    ['WITH c AS (SELECT 1 AS one, 2 AS two) SELECT c.', ['one', 'two']],
    ['WITH c AS (SELECT 1 AS one), d AS (SELECT one AS uno FROM c) SELECT * FROM d WHERE d.', ['uno']],
    ['SELECT * FROM (SELECT order_id AS id FROM orders) AS sub WHERE sub.', ['id']],
    ['SELECT * FROM (SELECT order_id AS id FROM orders) sub JOIN orders o ON o.note = sub."i', ['id']],
  ])('knows what follows %s', async (statement, expected) => {
    const { names } = await complete(statement)
    expect(names).toEqual(expected)
  })

  it('gives at most as many as asked, up to 200', async () => {
    expect((await complete('SELECT ')).names).toHaveLength(20)
    expect((await complete('SELECT ', { max_suggestions: 3 })).names).toHaveLength(3)
    expect((await complete('SELECT ', { max_suggestions: 0 })).names).toHaveLength(0)
    expect((await complete('SELECT ', { max_suggestions: 200 })).names).toHaveLength(200)
    expect((await complete('SELECT ', { max_suggestions: 201 })).status).toBe(400)
    expect((await complete('SELECT ', { max_suggestions: -1 })).status).toBe(400)
  })

  it.each(['', ' ', "'", '"', 'x.', '..', 'SELECT "', '$', '\\', 'SELECT * FROM a.b.c.d.'])(
    'answers %j without a failure',
    async (statement) => {
      expect((await complete(statement)).status).toBe(200)
    },
  )

  it('suggests what a WITH and an alias have named', async () => {
    const common = await complete('WITH monthly AS (SELECT 1 AS a) SELECT * FROM mo')
    expect(common.names[0]).toBe('monthly')
    expect((common.body['suggestions'] as Body[])[0]).toMatchObject({ suggestion_start: 46 })
    expect((await complete('SELECT 1 FROM orders bestellung WHERE best')).names[0]).toBe('bestellung')
  })

  it.each([
    ['SELECT * FROM big WHERE ', ['zebra', 'alpha']],
    ['SELECT * FROM big b JOIN corner.small ON ', ['zebra', 'alpha']],
    ['SELECT * FROM big ORDER BY al', ['alpha']],
    ['UPDATE big SET ', ['zebra', 'alpha']],
    ['SELECT 1 FROM events WHERE event IN (SELECT x FROM big WHERE ', ['zebra', 'alpha', 'event_id']],
    ['SELECT * FROM (SELECT zebra AS stripes FROM big) s WHERE ', ['stripes']],
    ['WITH c AS (SELECT 1 AS uno FROM events) SELECT * FROM c WHERE ', ['uno']],
    [`SELECT * FROM daily('2026-01-01') WHERE `, ['day', 'people', 'sessions']],
    [`SELECT * FROM big JOIN funnel(['/'], INTERVAL 1 DAY) f ON f.p`, ['people']],
  ])('puts the columns of what is read first in %s', async (statement, first) => {
    const { names } = await complete(statement, { catalog: 'second' })
    expect(names.slice(0, first.length)).toEqual(first)
  })

  it.each(['SELECT * FROM big ', 'SELECT * FROM big WHERE zebra ', 'SELECT * FROM '])(
    'suggests no column where none may stand: %s',
    async (statement) => {
      expect((await complete(statement, { catalog: 'second' })).names).not.toContain('zebra')
    },
  )

  it('names the tables and columns of the catalog that is asked about, and of no other', async () => {
    const foreign = ['orders', 'small', 'seen', 'events', 'order_id', 'only_here', 'event_id']
    for (const statement of ['SELECT * FROM ', 'SELECT ', 'SELECT * FROM s', 'SELECT o', 'SELECT * FROM e']) {
      const { names } = await complete(statement, { catalog: 'Second', max_suggestions: 200 })
      for (const name of foreign) expect(names).not.toContain(name)
    }
    expect((await complete('SELECT * FROM ', { catalog: 'second' })).names[0]).toBe('big')
    expect((await complete('SELECT * FROM ord', { catalog: 'lakehouse' })).names[0]).toBe('orders')
    expect((await complete('SELECT * FROM ord')).names[0]).toBe('orders')
  })

  it.each([
    [`SELECT 'é😀' FROM ord`, 'ord'],
    [`SELECT '😀😀', note FROM orders WHERE "no`, '"no'],
    [`SELECT '😀' FROM orders ö WHERE ö.no`, 'no'],
    [`SELECT 'é' || '😀' FROM orders WHERE no`, 'no'],
    [`SELECT '😀', sub`, 'sub'],
    [`SELECT '😀', `, ''],
    [`SELECT '😀' FROM "grö`, '"grö'],
  ])('counts places in UTF-16 code units: %s', async (statement, replaced) => {
    const { body } = await complete(statement, { max_suggestions: 200 })
    for (const { suggestion_start: start } of body['suggestions'] as Body[]) {
      expect([statement.length - replaced.length, statement.length]).toContain(start)
    }
    expect((body['suggestions'] as Body[])[0]).toMatchObject({
      suggestion_start: statement.length - replaced.length,
    })
  })

  it("keeps quiet about the service's own schema", async () => {
    for (const statement of [
      'SELECT * FROM ',
      'SELECT * FROM b',
      'SELECT * FROM i',
      'SELECT ',
      'SELECT applied',
    ]) {
      const { names } = await complete(statement, { max_suggestions: 200 })
      for (const name of ['bound', 'inferred', 'waymark_internal']) expect(names).not.toContain(name)
    }
  })

  it.each([
    ['open brackets', 'SELECT (', 2000],
    ['open brackets of one kind', '(', 100_000],
    ['open lists', '[', 50],
    ['open calls', 'f(', 500],
    ['brackets closed by others', '(]', 100],
    ['texts that hide brackets', "e'\\'' || '(' || ", 100],
    ['names that hide brackets', '"(" + ', 200],
    ['a very long list', 'a, ', 500_000],
    ['one long word', 'a', 2_000_000],
    ['many quotes', '"a', 300_001],
    ['many dots', 'a.', 500_000],
    ['many WITHs', 'WITH a AS (', 20_000],
  ])('is quick however many %s there are', async (_, piece, times) => {
    const began = process.cpuUsage()
    const { status } = await complete(`SELECT ${piece.repeat(times)}`)
    expect(status).toBe(200)
    // The service runs in this process, and processor time does not grow with what else the machine does.
    const { user, system } = process.cpuUsage(began)
    expect(user + system).toBeLessThan(8e6)
  })

  it('still suggests within many brackets, at the right place', async () => {
    const statement = `SELECT 'é(' || f(((((((SELECT note FROM ord`
    const { body, names } = await complete(statement)
    expect(names[0]).toBe('orders')
    expect((body['suggestions'] as Body[])[0]).toMatchObject({
      suggestion_start: statement.length - 3,
    })
  })

  it('lists no folder', async () => {
    expect((await complete("SELECT * FROM '/etc/pass")).names.join(' ')).not.toContain('passwd')
    expect((await complete(`SELECT * FROM '${service.folder}/`)).names).not.toContain('temp')
  })
})

describe('a look at a statement', () => {
  const post = (path: string, body: Body, signal?: AbortSignal) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: basic },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })

  it('that waits for its session holds back no query, and ends when its client goes', async () => {
    const session_id = 'waiting'
    const query_id = randomUUID()
    const endless =
      'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3'
    const running = service.query(endless, { session_id, query_id })
    while ((await service.get(`/query/${query_id}`)).status !== 200) await delay(5)
    const controller = new AbortController()
    const looks = Array.from({ length: 30 }, () =>
      post('/validate', { statement: 'SELECT 1', session_id }, controller.signal).catch(() => 'gone'),
    )
    await delay(50)
    expect((await service.query('SELECT 2')).rows).toEqual([[2]])
    controller.abort()
    expect(await Promise.all(looks)).toEqual(Array.from({ length: 30 }, () => 'gone'))
    await service.send('DELETE', `/query/${query_id}?session_id=${session_id}`, undefined, {
      authorization: basic,
    })
    expect((await running).status).toBe(400)
    expect((await service.query('SELECT 3', { session_id })).rows).toEqual([[3]])
  })
})

describe.each(['/validate', '/explain', '/autocomplete'])('%s', (path) => {
  it('wants credentials and a statement', async () => {
    expect((await service.send('POST', path, '{"statement":"SELECT 1"}')).status).toBe(401)
    expect((await service.ask(path, {})).status).toBe(400)
    expect((await service.ask(path, { statement: 1 })).status).toBe(400)
    expect((await service.ask(path, { statement: 'SELECT 1', catalog: 'nowhere' })).status).toBe(400)
  })
})
