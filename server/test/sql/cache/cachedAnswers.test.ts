import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Body, createService, type Service } from '../../fixtures/createService.js'
import { createUploads } from '../../fixtures/createUploads.js'
import { event } from '../../fixtures/events.js'
import { writeUsers } from '../../fixtures/usersFile.js'

let folder: string
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-cache-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { bob: ['builder', 'read'], eve: ['writer', 'write'] })
  service = await createService({ usersFile, catalogs: ['lakehouse', 'second'] })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const { upload, upsert } = createUploads(() => service)
const environment = 'production'

/** An answer's lines after the first, which names the query, and what the query log says of the cache. */
const ask = async (statement: string, more: Body = {}, as = 'ada:lovelace') => {
  const query_id = randomUUID()
  const authorization = `Basic ${Buffer.from(as).toString('base64')}`
  const response = await fetch(`${service.url}/query`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({ statement, query_id, ...more }),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  const log = await service.send('GET', `/query/${query_id}`, undefined, { authorization })
  const isPlain = more['format'] === undefined
  return {
    rows: isPlain ? text.slice(text.indexOf('\n') + 1) : text,
    log: log.body,
    caching: (log.body['stats'] as Body)['caching'] as Record<string, number> | null,
  }
}
const run = async (statement: string, more: Body = {}) => {
  const { error } = await service.query(statement, more)
  expect(error).toBeUndefined()
}
const isHit = async (statement: string, more: Body = {}, as?: string) =>
  (await ask(statement, more, as)).caching?.['data_hits'] === 1

describe('an answer from the cache', () => {
  it('is the one that DuckDB gave, and the query log says what it was', async () => {
    const statement = `SELECT i, 'x' || i AS x, [i] AS l, {'a': i / 3} AS s FROM range(3000) r(i)`
    const first = await ask(statement)
    const again = await ask(statement)
    const bytes = first.rows.slice(first.rows.indexOf('\n') + 1).length
    expect(again.rows).toBe(first.rows)
    const rest = { filehandle_hits: 0, filehandle_misses: 0, metadata_hits: 0, metadata_misses: 0 }
    expect(first.caching).toEqual({
      ...{ data_hits: 0, data_misses: 1, data_bytes_hits: 0, data_bytes_misses: bytes },
      ...rest,
    })
    expect(again.caching).toEqual({
      ...{ data_hits: 1, data_misses: 0, data_bytes_hits: bytes, data_bytes_misses: 0 },
      ...rest,
    })
    expect(again.log).toMatchObject({
      fingerprint: first.log['fingerprint'],
      threads: 0,
      error: null,
      end_time: expect.any(String),
    })
  })

  it('is given in either form of the columns line, and gzipped or not', async () => {
    const statement = 'SELECT 17 AS seventeen'
    await ask(statement)
    expect((await ask(statement, { columns: 'labels' })).rows).toBe('["seventeen"]\n[17]\n')
    expect(await isHit(statement, { columns: 'labels' })).toBe(true)
    const zipped = await service.get(`/query?${new URLSearchParams({ statement, format: 'jsonl' })}`)
    expect(zipped.body).toEqual({ seventeen: 17 })
  })

  it.each([
    ...['FROM events', 'FROM persons', 'FROM identities', 'FROM all_sessions', 'FROM page_views'],
    ...[`FROM daily('2026-01-01', '2026-02-01')`, `FROM sessions('2026-01-01', '2026-02-01')`],
    ...[`FROM breakdown('A', 'theme')`, `FROM funnel(['A', 'B'], INTERVAL 1 DAY)`, `FROM paths('/')`],
    ...[`FROM retention('A', 'B', 'day')`, 'FROM first_touch()', 'SELECT median(a) FROM range(3) r(a)'],
  ])('is there for what the screens ask: %s', async (statement) => {
    await ask(statement)
    expect(await isHit(statement)).toBe(true)
  })

  it('is one without rows, too', async () => {
    await ask('SELECT 1 AS a WHERE false')
    expect(await isHit('SELECT 1 AS a WHERE false')).toBe(true)
  })

  it('leaves the session usable that its metadata names', async () => {
    await ask('SELECT 18')
    const { head } = await service.query('SELECT 18')
    await run('CREATE TEMP TABLE mine AS SELECT 5 AS a', { session_id: head['session_id'] })
    expect((await service.query('FROM mine', { session_id: head['session_id'] })).rows).toEqual([[5]])
  })

  it('is neither given nor kept with cache: false', async () => {
    const statement = 'SELECT 19'
    expect((await ask(statement, { cache: false })).caching).toBeNull()
    expect(await isHit(statement)).toBe(false)
    expect(await isHit(statement)).toBe(true)
    expect((await ask(statement, { cache: false })).log).toMatchObject({ threads: expect.any(Number) })
    expect((await ask(statement, { cache: false })).caching).toBeNull()
  })

  it('is not kept when it is longer than a 16th of the cache', async () => {
    const statement = `SELECT repeat('x', 1000) FROM range(600)`
    expect((await ask(statement)).caching).toMatchObject({ data_misses: 1 })
    expect(await isHit(statement)).toBe(false)
  })
})

/** Each changes what the question asks for: the question's answers before and after must differ. */
const changes: [name: string, question: string, change: () => Promise<unknown>][] = [
  ['track', 'SELECT count(*) FROM events', () => service.ingest('/track?sync=true', event('A'))],
  [
    'identify',
    'SELECT count(*) FROM identity_traits',
    () => service.ingest('/identify?sync=true', { environment, distinct_id: 'u', traits: { plan: 'pro' } }),
  ],
  [
    'alias',
    `SELECT list(distinct_id ORDER BY ALL) FROM identities`,
    () => service.ingest('/alias?sync=true', { environment, distinct_id: 'v', new_user_id: 'u' }),
  ],
  ...(
    [
      ['lakehouse', { catalog: 'lakehouse', schema: 'main', table: 'appended' }],
      ['another catalog', { catalog: 'second', schema: 'main', table: 'appended' }],
    ] as const
  ).map(([name, target]): (typeof changes)[number] => [
    `append in ${name}`,
    `SELECT count(*) FROM ${target.catalog}.main.appended`,
    () => service.ask(`/append?${new URLSearchParams(target)}&sync=true`, [{ a: 1 }]),
  ]),
  ...[
    ['create', '/upload create', () => upload('fresh', 'mode=create', 'a\n1\n')],
    ['append', '/upload append', () => upload('uploaded', 'mode=append', 'a\n1\n')],
    ['overwrite', '/upload overwrite', () => upload('uploaded', 'mode=overwrite', 'a\n7\n8\n')],
    ['upsert', '/upsert', () => upsert('uploaded', 'primary_key=a', 'a\n7\n9\n')],
  ].map(([kind, name, change]): (typeof changes)[number] => [
    name as string,
    kind === 'create'
      ? `SELECT count(*) FROM information_schema.tables WHERE table_name = 'fresh'`
      : 'SELECT count(*), sum(a) FROM uploaded',
    change as () => Promise<unknown>,
  ]),
  ...[
    'INSERT INTO numbers VALUES (4)',
    'UPDATE numbers SET a = 10 WHERE a = 2',
    'UPDATE numbers SET a = 11 WHERE a = 2 RETURNING a',
    'MERGE INTO numbers n USING (SELECT 12 AS a) s ON n.a = s.a WHEN NOT MATCHED THEN INSERT VALUES (s.a)',
    'DELETE FROM numbers WHERE a = 2',
    'ALTER TABLE numbers ALTER a TYPE DOUBLE',
    'TRUNCATE numbers',
    'CREATE OR REPLACE TABLE numbers AS SELECT 3 AS a',
    'EXPLAIN ANALYZE INSERT INTO numbers VALUES (5)',
  ].map((statement): (typeof changes)[number] => [
    statement,
    'SELECT typeof(any_value(a)), count(*), sum(a) FROM numbers',
    () => run(statement),
  ]),
  ['a view that is replaced', 'FROM seen', () => run('CREATE OR REPLACE VIEW seen AS SELECT 2 AS a')],
  ['a macro that is replaced', 'SELECT twice(4)', () => run('CREATE OR REPLACE MACRO twice(x) AS x * 3')],
  [
    'a table that hides an analytics view',
    'SELECT count(*) FROM persons',
    () => run('CREATE TABLE persons AS FROM range(77)'),
  ],
  ['a table that is dropped', `SELECT count(*) FROM (SHOW TABLES)`, () => run('DROP TABLE passing')],
  [
    'a person who is exported',
    'SELECT count(*) FROM privacy_log',
    () => service.ask('/persons/export', { environment, id: 'exported' }).catch(() => undefined),
  ],
]

describe('between two equal questions', () => {
  beforeAll(async () => {
    await service.ask('/append?catalog=lakehouse&schema=main&table=appended&sync=true', [{ a: 1 }])
    await service.ask('/append?catalog=second&schema=main&table=appended&sync=true', [{ a: 1 }])
    await service.ingest('/track?sync=true', event('A', { distinct_id: 'exported' }))
  })
  beforeEach(async () => {
    for (const name of ['fresh', 'uploaded', 'persons'])
      await run(`DROP TABLE IF EXISTS lakehouse.main.${name}`)
    await upload('uploaded', 'mode=create', 'a\n1\n')
    await run('CREATE OR REPLACE TABLE numbers AS SELECT unnest([1, 2]) AS a')
    await run('CREATE OR REPLACE TABLE passing AS SELECT 1 AS a')
    await run('CREATE OR REPLACE VIEW seen AS SELECT 1 AS a')
    await run('CREATE OR REPLACE MACRO twice(x) AS x * 2')
  })

  it.each(changes)('%s makes the second a new one', async (_, question, change) => {
    const before = await ask(question)
    const kept = await ask(question)
    expect(kept.rows).toBe(before.rows)
    // What a catalog holds is asked of DuckDB each time, and everything else is kept.
    expect(kept.caching?.['data_hits']).toBe(/information_schema|SHOW/.test(question) ? undefined : 1)
    await change()
    const after = await ask(question)
    expect(after.caching?.['data_hits'] ?? 0).toBe(0)
    expect(after.rows).not.toBe(before.rows)
  })

  it('a change that failed leaves the answer right', async () => {
    await run('CREATE TABLE ones (a INTEGER UNIQUE)')
    await run('INSERT INTO ones VALUES (1)')
    const before = await ask('SELECT count(*) FROM ones')
    expect((await service.query('INSERT INTO ones VALUES (2), (1)')).status).toBe(400)
    expect((await ask('SELECT count(*) FROM ones')).rows).toBe(before.rows)
  })

  it('an erase makes the second a new one', async () => {
    await service.ingest('/track?sync=true', event('Seen', { distinct_id: 'gone' }))
    const question = `SELECT count(*) FROM events WHERE distinct_id = 'gone'`
    await ask(question)
    expect(await isHit(question)).toBe(true)
    const authorization = `Basic ${Buffer.from('ada:lovelace').toString('base64')}`
    const erased = await service.send('POST', '/persons/erase', JSON.stringify({ environment, id: 'gone' }), {
      authorization,
      'content-type': 'application/json',
    })
    expect(erased.body).toMatchObject({ ok: true })
    expect((await service.query(question)).rows).toEqual([[0]])
  })
})

/** Each is asked twice, without a change between. */
const neverKept = [
  ...[
    'SELECT now()',
    'SELECT current_date',
    'SELECT CURRENT_TIMESTAMP',
    'SELECT localtimestamp',
    'SELECT today()',
  ],
  ...[`SELECT age(TIMESTAMP '2020-01-01')`, `SELECT ago(INTERVAL 1 DAY)`, 'SELECT "now"()'],
  ...[
    'SELECT random()',
    'SELECT uuid()',
    'SELECT setseed(0.5)',
    'SELECT a FROM (SELECT 1 AS a) USING SAMPLE 1',
  ],
  ...[
    'SELECT 1 FROM range(9) TABLESAMPLE 50%',
    `SELECT nextval('counted')`,
    `SELECT current_setting('TimeZone')`,
  ],
  ...['SELECT current_schema()', 'SELECT txid_current()', `SELECT getvariable('v')`, 'FROM duckdb_tables()'],
  ...['FROM information_schema.tables', 'FROM pg_catalog.pg_class', 'SHOW TABLES', 'DESCRIBE counts'],
  ...['SUMMARIZE counts', 'PRAGMA database_list', 'FROM (SHOW ALL TABLES)', 'EXPLAIN SELECT 1'],
  ...[
    'FROM clock',
    'FROM lakehouse.main.clock',
    'FROM "CLOCK"',
    `FROM 'clock'`,
    'FROM over_clock',
    'FROM $$clock$$',
  ],
  ...['SELECT tick()', 'FROM ticks()', 'SELECT sum(b) FROM computed', 'SELECT tock(1)'],
]

describe('never kept is', () => {
  beforeAll(async () => {
    await run('CREATE SEQUENCE counted')
    await run('CREATE TABLE counts AS SELECT 1 AS a')
    await run('CREATE VIEW clock AS SELECT now() AS t')
    await run('CREATE VIEW over_clock AS FROM clock')
    await run('CREATE MACRO tick() AS now()')
    await run('CREATE MACRO tock(x) AS x, (x, y) AS tick()')
    await run('CREATE MACRO ticks() AS TABLE SELECT tick() AS t')
    await run('CREATE TABLE computed (a INTEGER, b DOUBLE GENERATED ALWAYS AS (random() * a))')
    await run('INSERT INTO computed VALUES (1)')
  })

  it.each(neverKept)('%s', async (statement) => {
    expect((await ask(statement)).caching).toBeNull()
    expect((await ask(statement)).caching).toBeNull()
  })

  it('what a view answers after it was made volatile', async () => {
    await run('CREATE OR REPLACE VIEW turning AS SELECT 1 AS a')
    await ask('FROM turning')
    expect(await isHit('FROM turning')).toBe(true)
    await run('CREATE OR REPLACE VIEW turning AS SELECT random() AS a')
    expect((await ask('FROM turning')).caching).toBeNull()
  })

  it('what a session answers that may hold tables, macros or variables of its own', async () => {
    const session_id = 'own'
    await ask('SELECT 21 AS a', { session_id })
    expect(await isHit('SELECT 21 AS a', { session_id })).toBe(true)
    await run('CREATE TEMP MACRO lower(x) AS 1', { session_id })
    expect((await ask('SELECT 21 AS a', { session_id })).caching).toBeNull()
    await run('SET VARIABLE v = 1', { session_id: 'with-variable' })
    expect((await ask('SELECT 21 AS a', { session_id: 'with-variable' })).caching).toBeNull()
    await ask('SELECT 21 AS a')
    expect(await isHit('SELECT 21 AS a')).toBe(true)
  })

  it('Parquet', async () => {
    const { bytes } = await service.download('SELECT 22', { format: 'parquet' })
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1')
    expect(await isHit('SELECT 22')).toBe(false)
  })
})

describe('an answer of its own has', () => {
  const statement = `SELECT TIMESTAMPTZ '2026-03-29 00:30:00+00'::VARCHAR AS t FROM range(5)`

  it.each<[string, Body, string?]>([
    ['a time zone', { timezone: 'Asia/Tokyo' }],
    ['a schema', { catalog: 'second' }],
    ['a format', { format: 'csv' }],
    ['another format', { format: 'jsonl' }],
    ['a limit', { limit: 2 }],
    ['an offset', { limit: 2, offset: 1 }],
    ['another role', {}, 'bob:builder'],
  ])('%s', async (_, more, as) => {
    const plain = await ask(statement)
    expect(plain.caching).toBeDefined()
    expect(await isHit(statement, more, as)).toBe(false)
    expect(await isHit(statement, more, as)).toBe(true)
    expect((await ask(statement)).rows).toBe(plain.rows)
  })

  it('no other user of the same role, and no other session on the same path', async () => {
    const question = 'SELECT 23'
    await ask(question)
    expect(await isHit(question, {}, 'eve:writer')).toBe(true)
    expect(await isHit(question, { session_id: 'other' })).toBe(true)
    await run('USE second', { session_id: 'other' })
    expect(await isHit(question, { session_id: 'other' })).toBe(false)
  })

  it('a session’s own time zone', async () => {
    await run(`SET TimeZone = 'Asia/Tokyo'`, { session_id: 'tokyo' })
    const { rows } = await ask(statement, { session_id: 'tokyo' })
    expect(rows).toContain('09:30:00+09')
  })
})
