import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { eventually } from '../fixtures/eventually.js'

/* What tools ask of PostgreSQL's catalog and of their own connection. That its columns are those of a real one is tested in `cluster/catalog.test.ts`. */

let service: Service
let client: pg.Client
const connect = async (database = 'lakehouse', { postgresPort: port } = service) => {
  const made = new pg.Client({ host: '127.0.0.1', port, user: 'ada', password: 'lovelace', database })
  made.on('error', () => undefined)
  await made.connect()
  return made
}
beforeAll(async () => {
  service = await createService({ postgresPort: 0 })
  await service.query(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, total DECIMAL(10, 2) NOT NULL, note VARCHAR)',
  )
  await service.query(
    'CREATE TABLE lines (nr INTEGER, of_order INTEGER REFERENCES orders (id), CHECK (nr > 0))',
  )
  await service.query(`COMMENT ON TABLE orders IS 'What was sold'`)
  client = await connect()
})
afterAll(async () => {
  await client.end()
  await service.close()
})

const types = { getTypeParser: () => (text: string) => text }
/** The rows as text, by the simple protocol. */
const ask = async (text: string, by = client): Promise<unknown[][]> => {
  const found = [await by.query({ text, rowMode: 'array', types } as unknown as pg.QueryArrayConfig)].flat()
  return found.at(-1)!.rows
}

describe('tools get what they ask for', () => {
  it.each<[tool: string, statement: string, ...row: (string | null)[]]>([
    ['ADBC', `SELECT attname, typname, typsend FROM pg_type t, pg_attribute a WHERE t.oid = atttypid AND attrelid = 'orders'::regclass AND attnum = 1`, 'id', 'int4', 'int4send'],
    ['SQLAlchemy 2.0', `SELECT conname, contypid, pg_get_constraintdef(oid, true) FROM pg_constraint WHERE conrelid = 'lines'::regclass AND contype = 'c'`, 'lines_nr_check', '0', 'CHECK((nr > 0))'],
    ['SQLAlchemy 2.0', `SELECT indkey, indclass, indnkeyatts, indnullsnotdistinct FROM pg_index WHERE indrelid = 'orders'::regclass`, '1', '1', '1', 'f'],
    ['SQLAlchemy 2.1', `SELECT c.collname, n.nspname, o.opcname FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace, pg_opclass o WHERE c.oid = 100`, 'default', 'pg_catalog', 'ops'],
    ['Cube', `SELECT columns.column_name, columns.data_type FROM information_schema.columns WHERE columns.table_name = 'orders' AND columns.ordinal_position = 2`, 'total', 'numeric'],
    ['Hibernate', `SELECT count(*), count(sequence_name) FROM information_schema.sequences`, '0', '0'],
    ['jOOQ', `SELECT count(*), count(r1.routine_name) FROM information_schema.routines AS r1`, '0', '0'],
    ['sqlsmith', `SELECT table_type, is_insertable_into FROM information_schema.tables WHERE table_name = 'orders'`, 'BASE TABLE', 'NO'],
    ['jOOQ', `SELECT count(*) FROM information_schema.tables WHERE information_schema.tables.table_name = 'orders' AND information_schema.tables.table_schema = 'main'`, '1'],
    ['jOOQ', `SELECT pg_catalog.pg_proc.proname, nameconcatoid(pg_catalog.pg_proc.proname, 7) FROM pg_catalog.pg_proc WHERE pg_catalog.pg_proc.proname = 'array_in'`, 'array_in', 'array_in_7'],
    ['jOOQ', `SELECT information_schema._pg_numeric_precision(1700, 655366), information_schema._pg_numeric_scale(1700, 655366), information_schema._pg_char_max_length(1043, 14), information_schema._pg_datetime_precision(1184, -1)`, '10', '2', '10', '6'],
    ['jOOQ', `SELECT array(SELECT pg_get_indexdef(i.indexrelid, k + 1, true) FROM generate_subscripts(i.indkey, 1) AS k ORDER BY k) AS columns FROM pg_catalog.pg_index AS i WHERE i.indrelid = 'orders'::regclass`, '{id}'],
    ['a client', `SELECT pg_catalog.pg_settings.setting FROM pg_catalog.pg_settings WHERE pg_catalog.pg_settings.name = 'TimeZone'`, 'UTC'],
    ['Drizzle', `SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid::regnamespace = c.relnamespace::regnamespace WHERE n.nspname = 'main' AND c.relname = 'orders'`, 'orders'],
    ['TypeORM', `SELECT obj_description((quote_ident("table_schema") || '.' || quote_ident("table_name"))::regclass, 'pg_class') FROM "information_schema"."tables" WHERE table_name = 'orders'`, 'What was sold'],
    ['TypeORM', `SELECT col_description((quote_ident(table_catalog) || '.' || quote_ident(table_schema) || '.' || quote_ident(table_name))::regclass::oid, 1) IS NULL FROM information_schema.tables WHERE table_name = 'orders'`, 't'],
    ['TypeORM', `SELECT ('"' || "udt_schema" || '"."' || "udt_name" || '"')::"regtype"::text AS "regtype" FROM information_schema.columns WHERE table_name = 'orders' AND column_name = 'id'`, 'integer'],
    ['Prisma', `SELECT numeric_precision, numeric_precision_radix, numeric_scale FROM information_schema.columns WHERE table_name = 'orders' AND column_name = 'total'`, '10', '10', '2'],
    ['Metabase', `SELECT description FROM pg_description WHERE classoid = 'pg_class'::regclass AND objoid = 'orders'::regclass`, 'What was sold'],
    ['Ruby', `SELECT t.typname, p.proname FROM pg_type t JOIN pg_proc p ON p.oid = t.typinput WHERE t.typinput = 'boolin'`, 'bool', 'boolin'],
    ['JDBC', `SELECT typinput = 'array_in'::regproc, typinput, typinput::text FROM pg_type WHERE oid = 1007`, 't', 'array_in', 'array_in'],
    ['JDBC', `SELECT confrelid::regclass, conkey, confkey FROM pg_constraint WHERE contype = 'f'`, 'orders', '{2}', '{1}'],
    ['TypeORM', `SELECT * FROM current_schema()`, 'main'],
    ['TypeORM', `SET search_path TO analytics; SELECT current_schema(), current_schema`, 'analytics', 'analytics'],
    ['Sequelize', `SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE; SHOW TimeZone`, 'UTC'],
    ['Sequelize', `SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE; SELECT TIMESTAMPTZ '2026-07-01 12:00:00Z'`, '2026-07-01 14:00:00+02'],
    ['psycopg', `SET TIME ZONE 'Asia/Kolkata'; SELECT current_setting('TimeZone'), TIMESTAMPTZ '2026-07-01 12:00:00Z'`, 'Asia/Kolkata', '2026-07-01 17:30:00+05:30'],
    ['psycopg', `SET TimeZone TO 'europe/berlin'; SHOW TimeZone`, 'Europe/Berlin'],
    ['people', `SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE; SELECT TIMESTAMPTZ '2026-07-01 12:00:00Z'`, '2026-07-01 17:30:00+05:30'],
    ['people', `SET TIME ZONE '-09:30'; SELECT TIMESTAMPTZ '2026-07-01 12:00:00Z', TIMESTAMPTZ '2026-07-01 12:00:00Z' AT TIME ZONE '+09:30'`, '2026-07-01 21:30:00+09:30', '2026-07-01 02:30:00'],
    ['people', `SET TIME ZONE -9.5; SELECT TIMESTAMPTZ '2026-07-01 12:00:00Z'`, '2026-07-01 02:30:00-09:30'],
    ['people', `SELECT 1, 'orders'::regclass, 'int4'::regtype, 'orders'::regclass = (SELECT oid FROM pg_class WHERE relname = 'orders')`, '1', 'orders', 'integer', 't'],
    ['people', `SET search_path TO analytics; SELECT current_database(), current_schema()`, 'lakehouse', 'analytics'],
    ['people', `SELECT col_description('orders'::regclass, 1), obj_description('orders'::regclass, 'pg_class')`, null, 'What was sold'],
    ['JDBC', `SELECT k.conname, c.relname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conindid AND c.relkind = 'i' WHERE k.contype = 'f'`, 'lines_of_order_fkey', 'orders_pkey'],
    ['Prisma', `SELECT count(*) FROM pg_class WHERE reltype > 0 AND relname IN ('orders', 'lines', 'orders_pkey')`, '2'],
    ['Drizzle', `SELECT schemaname, relname, indexrelname, idx_scan FROM pg_stat_user_indexes`, 'main', 'orders', 'orders_pkey', '0'],
    ['psql', `SELECT pg_size_pretty(10239::bigint), pg_size_pretty(10240::bigint), pg_size_pretty(sum(x)) FROM (VALUES (123456789::bigint)) t(x)`, '10239 bytes', '10 kB', '118 MB'],
    ['people', `SET TIME ZONE -3; SELECT TIMESTAMPTZ '2026-07-01 12:00:00Z'`, '2026-07-01 09:00:00-03'],
    ['people', `SET TIME ZONE '+02:00'; SELECT TIMESTAMPTZ '2026-07-01 12:00:00Z'`, '2026-07-01 10:00:00-02'],
    ['pgAdmin', `SELECT set_config('bytea_output', 'hex', false) FROM pg_show_all_settings() WHERE name = 'bytea_output'`, 'hex'],
    ['asyncpg', `SELECT current_setting('work_mem') AS cur, set_config('work_mem', '8MB', false) AS new`, '4MB', '8MB'],
    ['PostgREST', `SELECT set_config('request.role', 'anon', true), set_config('request.path', '/', true); SELECT current_setting('request.role'), current_setting('request.' || 'path', true)`, 'anon', '/'],
    ['Rails', `SET my.own TO 'a'; SHOW my.own`, 'a'],
    ['Rails', `SET my.own = 'a'; RESET my.own; SELECT current_setting('my.own'), current_setting('my.other', true)`, '', null],
    ['Rails', `SET my.own = 'a'; SELECT set_config('my.own', NULL, false)`, ''],
    ['Superset', `SELECT pg_terminate_backend(NULL)`, null],
    ['pg_dump', `SELECT pg_catalog.set_config('search_path', 'analytics', false); SELECT setting, source FROM pg_settings WHERE pg_settings.name = 'search_path'`, 'analytics', 'session'],
    ['psql', `SELECT array_remove(ARRAY['a', 'b'], 'a'), pg_get_function_sqlbody(1) IS NULL, pg_tablespace_size(1663)`, '{b}', 't', '0'],
    ['dbt', `SELECT count(*) FROM "lakehouse"."analytics"."saved"`, '0'],
    ['people', `SELECT 'int4'::regtype::text, 'character varying'::regtype::oid, ('int' || '8')::regtype::oid, 'pg_class'::regclass::oid`, 'integer', '1043', '20', '1259'],
    ['people', `SELECT 'orders'::regclass`, 'orders'],
    ['drizzle-kit', `SELECT '{23,int4,NULL,2950}'::regtype[], '{}'::regtype[], 25 = ANY ('{int4,25}'::regtype[])`, '{23,23,NULL,2950}', '{}', 't'],
    ['jOOQ', `SELECT "Order", "Order" + 1, (SELECT max(generate_subscripts) FROM generate_subscripts(i.indkey, 1)) FROM pg_index i, generate_subscripts(i.indkey, 1) AS "Order" WHERE i.indrelid = 'orders'::regclass`, '0', '1', '0'],
    ['people', `SELECT current_setting('timezone'), current_setting(lower('TimeZone')), current_setting('Time' || 'Zone'), current_setting('nope', true), current_setting('a/b~' || 'c', true), current_setting(NULL)`, 'UTC', 'UTC', 'UTC', null, null, null],
    ['people', `SELECT rolname, (SELECT count(*) FROM pg_user WHERE pg_user.usename = current_user) FROM pg_roles WHERE rolname = current_user`, 'ada', '1'],
    ['people', `SELECT 'abc' LIKE ANY (ARRAY['x', 'a%']), 'abc' NOT LIKE ANY (ARRAY['x']), width_bucket(5.3, 0, 10, 5), date_trunc('day', TIMESTAMPTZ '2026-01-02 23:30:00Z', 'Europe/Vienna')`, 't', 't', '3', '2026-01-02 23:00:00+00'],
    ['people', `SELECT (SELECT count(*) FROM pg_replication_slots), (SELECT count(*) FROM pg_stat_gssapi), (SELECT count(*) FROM pg_statio_all_tables)`, '0', '0', '0'],
  ])('%s: %s', async (_, statement, ...row) => {
    await client.query('RESET ALL')
    expect(await ask(statement)).toEqual([row])
  }) // prettier-ignore
})

it.each([
  [`SELECT 'nope'::regclass::oid`, '42P01'],
  [`SELECT 'nope'::regtype`, '42704'],
  [`SET TIME ZONE INTERVAL '+05:45' HOUR TO MINUTE`, '22023'],
  [`SELECT '{23,nope}'::regtype[]`, '42704'],
  [`SELECT current_setting('nope')`, '42704'],
  [`SELECT current_setting('no' || 'pe', false)`, '42704'],
])('%s is refused, as what is not there is', async (statement, code) => {
  await expect(client.query(statement)).rejects.toMatchObject({ code })
})

it('shows a table as soon as it is there, as it is, and no longer than it is there', async () => {
  const columns = `SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relname = 'fresh'`
  expect(await ask(columns)).toEqual([[null]])
  await service.query('CREATE TABLE fresh (a INTEGER)')
  expect(await ask(columns)).toEqual([['a']])
  await service.query('ALTER TABLE fresh ADD COLUMN b INTEGER')
  expect(await ask(columns)).toEqual([['a b']])
  await service.query('DROP TABLE fresh')
  expect(await ask(columns)).toEqual([[null]])
})

it.each([
  'SELECT unnest(i.indkey) AS attnum, generate_subscripts(i.indkey, $1::INTEGER) AS nth FROM pg_index i',
  'SELECT i.indkey[k.nth] AS attnum, k.nth FROM pg_index i, generate_subscripts(i.indkey, $1::INTEGER) AS k(nth)',
  'SELECT i.indkey[nth] AS attnum, nth FROM pg_index i CROSS JOIN LATERAL pg_catalog.generate_subscripts(i.indkey, $1) AS nth',
])('gives each column of a key its place: %s', async (places) => {
  await service.query('CREATE TABLE pairs (a INTEGER, b INTEGER, PRIMARY KEY (b, a))')
  const text = `SELECT attnum, nth FROM (${places} WHERE i.indrelid = 'pairs'::regclass) ORDER BY nth`
  const { rows } = await client.query({ text, values: [1], rowMode: 'array' })
  expect(rows).toEqual([
    [2, 0],
    [1, 1],
  ])
  await service.query('DROP TABLE pairs')
})

describe('what tells of one object is right as the first statement about its database', () => {
  it.each(['pg_get_viewdef(1::oid, true)', 'pg_get_constraintdef(1)', 'pg_get_indexdef(1)'])(
    'after the start: %s',
    async (call) => {
      const fresh = await createService({ postgresPort: 0 })
      const made = await connect('analytics', fresh)
      expect(await ask(`SELECT ${call}`, made)).toEqual([[null]])
      await made.end()
      await fresh.close()
    },
  )

  it('after a change', async () => {
    await service.query('CREATE VIEW told AS SELECT 1 AS one')
    const [[oid]] = (await ask(`SELECT 'told'::regclass::oid`)) as [[string]]
    await service.query('CREATE OR REPLACE VIEW told AS SELECT 2 AS two')
    expect(await ask(`SELECT pg_get_viewdef(${oid}::oid, true)`)).toEqual([
      [expect.stringContaining('AS two')],
    ])
    await service.query('DROP VIEW told')
  })
})

it('a schema of the database comes before a catalog of its name', async () => {
  const count = 'SELECT count(*) FROM lakehouse.analytics.saved'
  expect(await ask(count)).toEqual([['0']])
  await service.query('CREATE SCHEMA lakehouse.analytics')
  await service.query('CREATE TABLE lakehouse.analytics.saved AS SELECT 1 AS id UNION ALL SELECT 2')
  expect(await ask(count)).toEqual([['2']])
  await service.query('DROP SCHEMA lakehouse.analytics CASCADE')
  expect(await ask(count)).toEqual([['0']])
})

it('shows nothing of the service’s own', async () => {
  expect(
    await ask(`SELECT count(*) FROM pg_class WHERE relname = 'shown_keys' OR relname LIKE 'system\\_%'`),
  ).toEqual([['0']])
  expect(
    await ask(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'waymark%' OR nspname IN ('raw', 'pg')`),
  ).toEqual([])
  expect(await ask(`SELECT datname FROM pg_database ORDER BY 1`)).toEqual([['analytics'], ['lakehouse']])
})

it('a user sees and ends connections of their own', async () => {
  const other = await connect()
  const [[pid]] = (await ask('SELECT pg_backend_pid()', other)) as [[string]]
  const running = other.query('SELECT count(*) FROM range(100000000000)')
  const failed = expect(running).rejects.toMatchObject({ code: '57014' })
  await eventually(async () => {
    expect(await ask(`SELECT usename, query FROM pg_stat_activity WHERE pid = ${pid}`)).toEqual([
      ['ada', 'SELECT count(*) FROM range(100000000000)'],
    ])
    // Superset's stop button.
    expect(await ask(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid='${pid}'`)).toEqual([
      ['t'],
    ])
  })
  await failed
  expect(await ask(`SELECT pg_terminate_backend(${pid})`)).toEqual([['t']])
  await eventually(async () => {
    expect(await ask(`SELECT pid FROM pg_stat_activity WHERE pid = ${pid}`)).toEqual([])
  })
  expect(await ask('SELECT pg_terminate_backend(-1)')).toEqual([['f']])
})

it.each([
  ['SELECT pg_terminate_backend($1)', [-1], 'f'],
  ['SELECT pg_cancel_backend($1) AS ended', ['-1'], 'f'],
  ['SELECT set_config($2, $1, $3)', ['Mars', 'application_name', false], 'Mars'],
  ['SELECT set_config($1, $2, false)', ['application_name', "a 'b'"], "a 'b'"],
])('takes parameters where a function does something: %s', async (sql, values, wanted) => {
  const query = { text: sql, values, rowMode: 'array', types } as unknown as pg.QueryArrayConfig
  const { rows } = await client.query(query)
  expect(rows).toEqual([[wanted]])
})
