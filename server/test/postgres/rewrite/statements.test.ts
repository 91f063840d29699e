import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../../fixtures/createService.js'
import { event } from '../../fixtures/events.js'

/* What tools send and people write by the Postgres protocol, and what must come back. The tools themselves run in the step `clients`. */

let service: Service
let client: pg.Client
beforeAll(async () => {
  service = await createService({ postgresPort: 0 })
  await service.query(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, total DECIMAL(10, 2) NOT NULL, tags VARCHAR[], note VARCHAR, details JSON)',
  )
  await service.query(
    `INSERT INTO orders VALUES (1, 9.90, ['a', 'b c'], 'x', '{"a":{"b":[1,2]}}'), (2, 0.5, NULL, NULL, '{"c":1}')`,
  )
  await service.query(`COMMENT ON COLUMN orders.note IS 'What was said'`)
  await service.ingest('/track?sync=true', event('Signed Up', { properties: { plan: 'pro' } }))
  client = new pg.Client({
    host: '127.0.0.1',
    port: service.postgresPort,
    user: 'ada',
    password: 'lovelace',
    database: 'lakehouse',
  })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await service.close()
})

/** The rows as text, by the simple protocol. */
const rowsOf = async (statement: string): Promise<unknown[][]> => {
  const types = { getTypeParser: () => (text: string) => text }
  const { rows } = await client.query({
    text: statement,
    rowMode: 'array',
    types,
  } as unknown as pg.QueryArrayConfig)
  return rows
}
const namesOf = async (statement: string) => (await client.query(statement)).fields.map(({ name }) => name)

it("a macro of a user's is called, from its creation to its end, in place of PostgreSQL's function", async () => {
  const asked = `SELECT initcap('ab'), round(2.4), upper('a')`
  expect(await rowsOf(asked)).toEqual([['Ab', '2', 'A']])
  await service.query(`CREATE MACRO initcap(x) AS 'mine'`)
  await service.query('CREATE MACRO round(x) AS 7')
  expect(await rowsOf(asked)).toEqual([['mine', '7', 'A']])
  await service.query('DROP MACRO initcap')
  await service.query('DROP MACRO round')
  expect(await rowsOf(asked)).toEqual([['Ab', '2', 'A']])
})

it('a plan is a column, and each of its lines a row', async () => {
  expect(await namesOf('EXPLAIN SELECT 1')).toEqual(['QUERY PLAN'])
  expect((await rowsOf('EXPLAIN SELECT 1')).length).toBeGreaterThan(5)
})

describe('a name of an object', () => {
  it.each([
    [`SELECT relname FROM pg_class WHERE oid = 'orders'::regclass`, 'orders'],
    [`SELECT relname FROM pg_class WHERE oid = cast('orders' AS regclass)`, 'orders'],
    [
      `SELECT relname FROM pg_class WHERE oid = cast(cast(format('%I.%I', 'main', 'orders') AS regclass) AS oid)`,
      'orders',
    ],
    [`SELECT relname FROM pg_class WHERE oid = (SELECT ('main.' || 'orders')::regclass::oid)`, 'orders'],
    [
      `SELECT DISTINCT attrelid::regclass FROM pg_attribute WHERE attrelid = '"main"."orders"'::pg_catalog.regclass AND attnum = 5`,
      'orders',
    ],
    [`SELECT 'orders'::regclass::text`, 'orders'],
    [`SELECT relname FROM pg_class WHERE oid = 'public.orders'::regclass`, 'orders'],
    [`SELECT col_description(quote_ident('orders')::regclass, 4)`, 'What was said'],
    [
      `SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'note'`,
      'text',
    ],
    [`SELECT pg_get_serial_sequence('orders', 'id')`, null],
  ])('%s', async (statement, wanted) => expect(await rowsOf(statement)).toEqual([[wanted]]))
})

describe('keys', () => {
  it.each([
    // SQLAlchemy, Rails, ODBC and Django, each in its own way.
    [`SELECT a.attname FROM pg_attribute a JOIN (SELECT unnest(ix.indkey) attnum, generate_subscripts(ix.indkey, 1) ord FROM pg_index ix WHERE ix.indrelid = 'orders'::regclass AND ix.indisprimary) k ON a.attnum = k.attnum WHERE a.attrelid = 'orders'::regclass ORDER BY k.ord`, 'id'],
    [`SELECT a.attname FROM (SELECT indrelid, indkey, generate_subscripts(indkey, 1) idx FROM pg_index WHERE indrelid = 'orders'::regclass) i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[i.idx]`, 'id'],
    [`SELECT ta.attname FROM pg_attribute ta, pg_attribute ia, pg_index i WHERE i.indrelid = 'orders'::regclass AND ia.attrelid = i.indexrelid AND ta.attrelid = i.indrelid AND ta.attnum = i.indkey[ia.attnum-1]`, 'id'],
    [`SELECT k.key FROM pg_index i, unnest(i.indkey, i.indoption) WITH ORDINALITY k(key, option) WHERE i.indrelid = 'orders'::regclass`, '1'],
    [`SELECT indkey FROM pg_index WHERE indrelid = 'orders'::regclass`, '1'],
    [`SELECT ix.indkey::varchar FROM pg_index ix LEFT JOIN pg_attribute a ON a.attrelid = ix.indrelid AND a.attnum = ANY(ix.indkey) WHERE ix.indrelid = 'orders'::regclass`, '1'],
  ])('%s', async (statement, wanted) => expect(await rowsOf(statement)).toEqual([[wanted]])) // prettier-ignore
})

describe('what means something else in DuckDB', () => {
  it.each<[statement: string, ...row: (string | null)[]]>([
    [`SELECT format('%s: %I = %L', 1, 'My Col', 'it''s'), format('%%'), format('{}', 1)`, "1: \"My Col\" = 'it''s'", '%', '1'],
    [`SELECT quote_ident('events'), quote_ident('Events'), quote_ident('select'), quote_literal('it''s')`, 'events', '"Events"', '"select"', "'it''s'"],
    [`SELECT sum(i), max(i + 1) FROM generate_series(1, 2) AS i`, '3', '3'],
    [`SELECT sum(i), len(generate_series(1, 2)) FROM (SELECT generate_series(3, 1, -1) AS i)`, '6', '2'],
    [`SELECT s[2] FROM string_to_array('a,b', ',') s`, 'b'],
    [`SELECT extract(epoch from now()) > 0, id IS DISTINCT FROM len(string_to_array(note, ',')) FROM orders WHERE id = 1`, 't', 'f'],
    [`SELECT 'Signed Up' ~ 'gned', 'Signed Up' ~ '^gned', 'Signed Up' ~* 'SIGN', 'Signed Up' !~ 'up', 'Signed Up' !~* 'up', 'a' ~~ 'a%', ~5, 'Signed Up' OPERATOR(pg_catalog.~*) 'GNED'`, 't', 'f', 't', 't', 'f', 't', '-6', 't'],
    [`SELECT count(*) FROM events WHERE event ~ ('U' || 'p')`, '1'],
    [`SELECT 7/2, 7//2, 1.23456::numeric, '0.10'::numeric * 3, 1.5::numeric(5, 2)`, '3', '3', '1.23456', '0.30', '1.50'],
    [`SELECT to_char(TIMESTAMP '2026-01-02 03:04:05', 'YYYY-MM-DD HH24:MI:SS'), to_char(1234567.891, 'FM999,999,990.00'), to_char(5, '990'), to_date('02.01.2026', 'DD.MM.YYYY')`, '2026-01-02 03:04:05', '1,234,567.89', '   5', '2026-01-02'],
    [`SELECT '{"a":{"b":1}}'::jsonb #>> '{a,b}', '{"a":[1,2]}'::jsonb #> array['a', '1']::text[], '{"a":[1,2]}'::jsonb #>> '{a,1}'::text[], '{"a":1,"b":2}'::jsonb @> '{"a":1}', '{"a":1}'::jsonb ? 'b'`, '1', '2', '2', 't', 'f'],
    [`SELECT count(*) FROM orders WHERE details @> '{"a":{"b":[1]}}' AND details #>> '{a,b,0}' = '1' AND tags @> ['a'] AND [1, 2] @> [1.0]`, '1'],
    [`SELECT json_agg(id) OVER (), regexp_match('a(b', '[(](b)') FROM orders LIMIT 1`, '[1,2]', '{b}'],
    [`SELECT jsonb_build_object('a', 1), json_agg(id ORDER BY id DESC), jsonb_agg(id) FILTER (WHERE id > 1), jsonb_typeof('[1]'), jsonb_array_length('[1,2]') FROM orders`, '{"a":1}', '[2,1]', '[2]', 'array', '2'],
    [`SELECT initcap('hello wORLD'), regexp_match('foobar', 'o(.)(b)'), regexp_match('foobar', 'o+'), regexp_match('x', 'y'), clock_timestamp() >= now()`, 'Hello World', '{o,b}', '{oo}', null, 't'],
    [`SELECT make_interval(days => 3, hours => 2), encode('abc', 'hex'), encode('abc'::bytea, 'base64')`, '3 days 02:00:00', '616263', 'YWJj'],
    [`SELECT 'b' = ANY('{a,b}'::text[]), 'c' <> ALL ('{a,b}'::text[]), NULL::int IS NULL`, 't', 't', 't'],
    [`SELECT catcode, (SELECT count(*) > 100 FROM pg_get_keywords()) FROM pg_get_keywords() WHERE word = 'select'`, 'R', 't'],
    [`SELECT format('%L', NULL), (SELECT sum(i) FROM generate_series(1, (SELECT max(id) FROM orders)) AS i)`, 'NULL', '3'],
    [`SELECT count(*) FROM orders WHERE now() IS DISTINCT FROM now()`, '0'],
  ])('%s', async (statement, ...row) => expect(await rowsOf(statement)).toEqual([row])) // prettier-ignore

  it.each([
    [`SELECT to_char(now(), 'RM')`, 'strftime'],
    [`SELECT to_char(now(), note) FROM orders`, 'strftime'],
    [`SELECT to_date(note, note) FROM orders`, 'strptime'],
    [`SELECT regexp_match(note, note) FROM orders`, 'regexp_extract'],
  ])('%s is refused by a sentence that says what to write', async (statement, instead) => {
    await expect(client.query(statement)).rejects.toMatchObject({
      code: '0A000',
      message: expect.stringContaining(instead),
    })
  })
})

describe('columns have the names that PostgreSQL gives them', () => {
  it.each<[statement: string, names: string]>([
    ['SELECT count(*), count(DISTINCT id), max(id) FILTER (WHERE id > 1), row_number() OVER (ORDER BY id) FROM orders GROUP BY id', 'count count max row_number'],
    ['SELECT version(), current_user, current_database(), now(), pg_catalog.format_type(23, NULL)', 'version current_user current_database now format_type'],
    [`SELECT 1, 'a', id + 1, id::text, 1::int, '1'::numeric(5, 2), cast(id AS bigint), cast('1' AS double precision) FROM orders`, '?column? ?column? ?column? id int4 numeric id float8'],
    ['SELECT CASE WHEN id > 1 THEN 1 END, coalesce(note, id::text), ARRAY[1], EXISTS (SELECT 1), (SELECT max(id) FROM orders), (id), -id FROM orders', 'case coalesce array exists max id ?column?'],
    ['SELECT o.id, o.*, count(*) OVER () FROM orders o', 'id id total tags note details count'],
    ['SELECT count(*) AS "COUNT(*)", sum(total) "sum(total)", max(id) AS most FROM orders', 'COUNT(*) sum(total) most'],
    ['WITH a AS (SELECT count(*) FROM orders) SELECT DISTINCT upper(\'a\'), tags[1] FROM orders, a', 'upper tags'],
    [`SELECT details->>'a', (details->>'a')::int, "id", id IS NULL FROM orders LIMIT 0`, '?column? int4 id ?column?'],
    ['FROM orders SELECT count(*)', 'count_star()'],
    ['SELECT count(*) FROM orders UNION ALL SELECT 1', 'count'],
  ])('%s', async (statement, names) => expect(await namesOf(statement)).toEqual(names.split(' '))) // prettier-ignore

  it('by a prepared statement too', async () => {
    const { fields } = await client.query({ text: 'SELECT count(*), $1::int + 1', values: [1] })
    expect(fields.map(({ name }) => name)).toEqual(['count', '?column?'])
  })

  it('one name for a struct, and none of a cast that stands inside a bracket', async () => {
    expect(await namesOf(`SELECT {'x': 'inf'::DOUBLE, 'y': 1} AS v, 5 AS n`)).toEqual(['v', 'n'])
    expect(await namesOf(`SELECT 'b' = ANY('{a,b}'::text[]), (id::text || 'a') FROM orders`)).toEqual([
      '?column?',
      '?column?',
    ])
  })

  it('asyncpg’s list of types is one of oids', async () => {
    const { fields } = await client.query('SELECT [23]::BIGINT[] AS attrtypoids')
    expect(fields[0]?.dataTypeID).toBe(1028)
  })
})
