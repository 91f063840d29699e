import { beforeAll, expect, it } from 'vitest'
import { event } from '../fixtures/events.js'
import { runPsql } from '../fixtures/runPsql.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ postgresPort: 0 })
beforeAll(async () => {
  await service.query(
    `CREATE TABLE orders (id INTEGER PRIMARY KEY, total DECIMAL(10, 2) NOT NULL, tags VARCHAR[], note VARCHAR DEFAULT 'none')`,
  )
  await service.query(`INSERT INTO orders VALUES (1, 9.90, ['a', 'b c'], 'x'), (2, 0.5, NULL, NULL)`)
  await service.query(`COMMENT ON TABLE orders IS 'What was sold'`)
  await service.query('CREATE SCHEMA shop')
  await service.query('CREATE VIEW shop.cheap AS SELECT id FROM orders WHERE total < 1')
  await service.ingest('/track?sync=true', event('Signed Up', { properties: { plan: 'pro' } }))
})

const psql = async (...commands: string[]) => {
  const { code, stdout, stderr } = await runPsql(service.postgresPort, commands)
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}
const refusal = async (...commands: string[]) => {
  const { code, stderr } = await runPsql(service.postgresPort, ['\\set VERBOSITY verbose', ...commands])
  expect(code).not.toBe(0)
  return stderr
}

it('psql reads rows, of several statements too', async () => {
  expect(await psql('SELECT id, total, tags, note FROM orders ORDER BY id; SELECT event FROM events')).toBe(
    '1|9.90|{a,"b c"}|x\n2|0.50||\nSigned Up',
  )
})

it('psql writes values as Postgres does', async () => {
  expect(
    await psql(
      `SELECT true, 'nan'::DOUBLE, '-inf'::DOUBLE, '\\xAB'::BLOB, INTERVAL '2 months', {'a': [1, NULL]}, [1.5, NULL], DATE '2026-01-02', ['x"y'], [[1]], 12345678901234567890123`,
    ),
  ).toBe(
    't|NaN|-Infinity|\\xab|2 mons|{"a":[1,null]}|{1.5,NULL}|2026-01-02|{"x\\"y"}|[[1]]|12345678901234567890123',
  )
})

const views =
  'alert_messages alerts all_sessions daily_sums errors events identities identity_traits imports metrics page_views persons plan_drift plan_traits privacy_log rejected saved sessions'
const listed = (schema: string) => views.split(' ').map((name) => `${schema}|${name}|view|waymark`)

it('psql lists relations, databases, schemas and roles, without the service’s own', async () => {
  expect(await psql('\\d')).toBe(
    [...listed('analytics'), 'main|orders|table|waymark', 'main|rejected|view|waymark'].join('\n'),
  )
  expect(await psql('\\dt')).toBe('main|orders|table|waymark')
  expect(await psql('\\dt+')).toContain('What was sold')
  expect(await psql('\\l')).toMatch(/^analytics\|.*\nlakehouse\|/)
  expect(await psql('\\dn')).toBe('analytics|waymark\nmain|waymark\nshop|waymark')
  expect(await psql('\\dv shop.*')).toBe('shop|cheap|view|waymark')
  expect(await psql('\\dt ord*')).toBe('main|orders|table|waymark')
})

/** All that psql 15 lists and describes, of which most is empty here, as in a new database. */
const listings =
  'd da dA dAc dAf dAo dAp db dc dC dconfig dd dD ddp dE des det deu dew df dF dFd dFp dFt dg di dl dL dm dn do dO dp dP drds dRp dRs ds dt dT du dv dx dX dy l z'
    .split(' ')
    .flatMap((name) => [`\\${name}`, `\\${name}+`])
    .filter((command) => command !== '\\z+')

it('psql’s backslash commands all have an answer', async () => {
  // psql itself says of an empty list that nothing was found.
  const { stderr } = await runPsql(service.postgresPort, listings)
  expect(stderr.replaceAll(/^Did not find any [a-z ]+\.\n/gm, '')).toBe('')
  expect(await psql('\\dconfig work_mem')).toBe('work_mem|4MB')
  expect(await psql('\\d+ orders')).toContain('text[]||||extended')
  expect(await psql('\\sv shop.cheap')).toMatch(/^CREATE OR REPLACE VIEW shop.cheap AS\nSELECT id FROM/)
  expect(await psql('\\sf array_in')).toContain('LANGUAGE internal')
})

it('psql describes tables and views', async () => {
  const events = await psql('\\d events')
  expect(events).toContain('event|text|||')
  expect(events).toMatch(/timestamp\|timestamp with/)
  const orders = await psql('\\d orders')
  expect(orders).toContain('total|numeric(10,2)||not null|')
  expect(orders).toContain("note|text|||'none'")
  expect(orders).toContain('tags|text[]|||')
  expect(await psql('\\pset tuples_only off', '\\d orders')).toContain('"orders_pkey" PRIMARY KEY')
  expect(await psql('\\pset tuples_only off', '\\d+ shop.cheap')).toContain('SELECT id FROM')
})

it('psql says who and where it is, and sets its time zone', async () => {
  expect(await psql('SELECT current_user, current_database(), version()')).toBe(
    'ada|lakehouse|PostgreSQL 15.0 (waymark)',
  )
  expect(
    await psql("SET TIME ZONE 'Europe/Paris'", 'SHOW timezone', "SELECT TIMESTAMPTZ '2026-07-01 12:00:00Z'"),
  ).toBe('SET\nEurope/Paris\n2026-07-01 14:00:00+02')
})

it('psql uses another database by its name, and hears which there are', async () => {
  const { stdout } = await runPsql(service.postgresPort, ['\\dv'], { PGDATABASE: 'analytics' })
  expect(stdout.trim()).toBe(listed('main').join('\n'))
  const { stderr } = await runPsql(service.postgresPort, ['SELECT 1'], { PGDATABASE: 'nope' })
  expect(stderr).toContain('There is no database "nope"; there are lakehouse, analytics.')
})

it('psql’s transactions fail as a whole, and end', async () => {
  expect(await refusal('BEGIN; SELECT nope; SELECT 1')).toContain('42703')
  expect(await psql('BEGIN', 'SELECT 1', 'COMMIT', 'ROLLBACK', 'DISCARD ALL')).toBe(
    'BEGIN\n1\nCOMMIT\nROLLBACK\nDISCARD ALL',
  )
})

it('psql is refused what writes, reaches files, or is wrong, with the code that tells it', async () => {
  for (const [statement, code] of [
    ['INSERT INTO orders VALUES (3, 1, NULL, NULL)', '25006'],
    ['DROP TABLE orders', '25006'],
    ['EXPLAIN ANALYZE DELETE FROM orders', '25006'],
    ['WITH a AS (SELECT 1) DELETE FROM orders', '25006'],
    ['CREATE TEMP TABLE t (a INTEGER)', '25006'],
    ["COPY orders TO '/tmp/x'", '42501'],
    ["SELECT * FROM read_text('/etc/passwd')", '42501'],
    ["SELECT * FROM '/etc/passwd.csv'", '42501'],
    ["ATTACH 'x.db'", '42501'],
    ['SELECT * FROM waymark_internal.rejected', '42501'],
    ["SET memory_limit = '1TB'", undefined],
    ['SELEC 1', '42601'],
    ['SELECT * FROM nope', '42P01'],
    ["SELECT 'x'::INTEGER", '22P02'],
    ['SELECT nope(1)', '42883'],
  ] as const) {
    if (code === undefined) expect(await psql(statement)).toBe('SET')
    else expect([statement, await refusal(statement)]).toEqual([statement, expect.stringContaining(code)])
  }
  expect(
    await psql('SELECT count(*) FROM orders', "SELECT current_setting('memory_limit', true) IS NULL"),
  ).toBe('2\nt')
})

it('psql with a wrong password, or none, is refused', async () => {
  const { code, stderr } = await runPsql(service.postgresPort, ['SELECT 1'], { PGPASSWORD: 'wrong' })
  expect([code, stderr]).toEqual([2, expect.stringContaining('or its password is wrong')])
})

it('a query by the Postgres protocol is in the query log as it was sent', async () => {
  const id = (await psql('SELECT relname FROM pg_class LIMIT 1', 'SHOW waymark_query_id')).split('\n').at(-1)
  const { body } = await service.get(`/query/${id}`)
  expect(body).toMatchObject({
    client_interface: 'Postgres',
    query: 'SELECT relname FROM pg_class LIMIT 1',
    user_agent: 'psql',
    error: null,
  })
})
