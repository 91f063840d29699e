import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

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

describe('what BI tools ask', () => {
  it('of columns, as Metabase does', async () => {
    const rows = await rowsOf(`SELECT c.column_name AS name,
        CASE WHEN c.udt_schema IN ('public', 'pg_catalog') THEN FORMAT('%s', c.udt_name) ELSE FORMAT('"%s"."%s"', c.udt_schema, c.udt_name) END AS "database-type",
        c.ordinal_position - 1 AS "database-position", pk.column_name IS NOT NULL AS "pk?",
        COL_DESCRIPTION(CAST(CAST(FORMAT('%I.%I', CAST(c.table_schema AS TEXT), CAST(c.table_name AS TEXT)) AS REGCLASS) AS OID), c.ordinal_position) AS "field-comment"
      FROM information_schema.columns AS c
      LEFT JOIN (SELECT tc.table_schema, tc.table_name, kc.column_name FROM information_schema.table_constraints AS tc
        JOIN information_schema.key_column_usage AS kc ON tc.constraint_name = kc.constraint_name AND tc.table_schema = kc.table_schema AND tc.table_name = kc.table_name
        WHERE tc.constraint_type = 'PRIMARY KEY') AS pk ON c.table_schema = pk.table_schema AND c.table_name = pk.table_name AND c.column_name = pk.column_name
      WHERE c.table_schema !~ '^information_schema|catalog_history|pg_' AND c.table_name = 'orders' ORDER BY 3`)
    expect(rows).toEqual([
      ['id', 'int4', '0', 't', null],
      ['total', 'numeric', '1', 'f', null],
      ['tags', '_text', '2', 'f', null],
      ['note', 'text', '3', 'f', 'What was said'],
      ['details', 'json', '4', 'f', null],
    ])
  })

  const isOnPath = `quote_ident(table_schema) IN (SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
    FROM generate_series(array_lower(string_to_array(current_setting('search_path'), ','), 1), array_upper(string_to_array(current_setting('search_path'), ','), 1)) AS i,
      string_to_array(current_setting('search_path'), ',') s)`

  it('of tables and columns, as Grafana does', async () => {
    const tables =
      await rowsOf(`SELECT CASE WHEN ${isOnPath} THEN quote_ident(table_name) ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table"
      FROM information_schema.tables WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog')
      ORDER BY CASE WHEN ${isOnPath} THEN 0 ELSE 1 END, 1`)
    expect(tables.slice(0, 2)).toEqual([['orders'], ['rejected']])
    expect(tables).toContainEqual(['analytics.events'])
    const columnsOf = (table: string) =>
      rowsOf(`SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns
        WHERE CASE WHEN array_length(parse_ident('${table}'), 1) = 2
          THEN quote_ident(table_schema) = (parse_ident('${table}'))[1] AND quote_ident(table_name) = (parse_ident('${table}'))[2]
          ELSE quote_ident(table_name) = '${table}' AND ${isOnPath} END`)
    expect(await columnsOf('orders')).toContainEqual(['total', 'numeric'])
    expect(await columnsOf('analytics.events')).toContainEqual(['properties', 'json'])
    expect(await rowsOf(`SELECT current_setting('server_version_num')::int / 100 AS version`)).toEqual([
      ['1400.0'],
    ])
  })

  it('of types, as .NET’s driver for Power BI does', async () => {
    const rows =
      await rowsOf(`SELECT t.typname, CASE WHEN proc.proname = 'array_recv' THEN 'a' ELSE t.typtype END, elem.typname
      FROM pg_type AS t LEFT JOIN pg_class AS cls ON cls.oid = t.typrelid LEFT JOIN pg_proc AS proc ON proc.oid = t.typreceive
        LEFT JOIN pg_range ON pg_range.rngtypid = t.oid LEFT JOIN pg_type AS elem ON elem.oid = t.typelem
      WHERE t.typname IN ('int4', '_int4') ORDER BY 1`)
    expect(rows).toEqual([
      ['_int4', 'a', 'int4'],
      ['int4', 'b', null],
    ])
  })

  it('of tables, and copies them, as DuckDB’s own client does', async () => {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const columns =
      await rowsOf(`SELECT pg_namespace.oid AS namespace_id, relname, relpages, attname, pg_type.typname type_name, atttypmod, attnum, pg_attribute.attnotnull AS notnull, NULL constraint_key
      FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid JOIN pg_attribute ON pg_class.oid = pg_attribute.attrelid JOIN pg_type ON atttypid = pg_type.oid
      WHERE attnum > 0 AND relkind IN ('r', 'v') AND pg_namespace.nspname = 'main' AND relname = 'orders'
      UNION ALL SELECT pg_namespace.oid, relname, NULL, NULL, NULL, NULL, NULL, NULL, conkey FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid
        JOIN pg_constraint ON pg_class.oid = pg_constraint.conrelid WHERE contype IN ('p', 'u') AND relname = 'orders' ORDER BY namespace_id, relname, attnum NULLS LAST`)
    expect(columns.map((row) => row[3])).toEqual(['id', 'total', 'tags', 'note', 'details', null])
    expect(columns.at(-1)!.at(-1)).toBe('{1}')
    expect(
      await rowsOf(
        'SELECT pg_is_in_recovery(), pg_export_snapshot(), (SELECT count(*) FROM pg_stat_wal_receiver)',
      ),
    ).toEqual([['f', '', '0']])
    expect(await rowsOf('SELECT tableoid, oid FROM pg_class WHERE false')).toEqual([])
    await client.query('COMMIT')
  })
})

describe('what means something else in DuckDB', () => {
  it.each<[statement: string, ...row: (string | null)[]]>([
    [`SELECT format('%s: %I = %L', 1, 'My Col', 'it''s'), format('%%'), format('{}', 1)`, "1: \"My Col\" = 'it''s'", '%', '1'],
    [`SELECT quote_ident('events'), quote_ident('Events'), quote_ident('select'), quote_literal('it''s')`, 'events', '"Events"', '"select"', "'it''s'"],
    [`SELECT sum(i), max(i + 1) FROM generate_series(1, 2) AS i`, '3', '3'],
    [`SELECT sum(i), len(generate_series(1, 2)) FROM (SELECT generate_series(3, 1, -1) AS i)`, '6', '2'],
    [`SELECT s[2] FROM string_to_array('a,b', ',') s`, 'b'],
    [`SELECT 'Signed Up' ~ 'gned', 'Signed Up' ~ '^gned', 'Signed Up' ~* 'SIGN', 'Signed Up' !~ 'up', 'Signed Up' !~* 'up', 'a' ~~ 'a%', ~5`, 't', 'f', 't', 't', 'f', 't', '-6'],
    [`SELECT count(*) FROM events WHERE event ~ ('U' || 'p')`, '1'],
    [`SELECT 7/2, 7//2, 1.23456::numeric, '0.10'::numeric * 3, 1.5::numeric(5, 2)`, '3.5', '3', '1.23456', '0.3', '1.50'],
    [`SELECT to_char(TIMESTAMP '2026-01-02 03:04:05', 'YYYY-MM-DD HH24:MI:SS'), to_char(1234567.891, 'FM999,999,990.00'), to_char(5, '990'), to_date('02.01.2026', 'DD.MM.YYYY')`, '2026-01-02 03:04:05', '1,234,567.89', '   5', '2026-01-02'],
    [`SELECT '{"a":{"b":1}}'::jsonb #>> '{a,b}', '{"a":[1,2]}'::jsonb #> '{a,1}', '{"a":1,"b":2}'::jsonb @> '{"a":1}', '{"a":1}'::jsonb ? 'b'`, '1', '2', 't', 'f'],
    [`SELECT count(*) FROM orders WHERE details @> '{"a":{"b":[1]}}' AND details #>> '{a,b,0}' = '1' AND tags @> ['a']`, '1'],
    [`SELECT jsonb_build_object('a', 1), json_agg(id ORDER BY id DESC), jsonb_agg(id) FILTER (WHERE id > 1), jsonb_typeof('[1]'), jsonb_array_length('[1,2]') FROM orders`, '{"a":1}', '[2,1]', '[2]', 'array', '2'],
    [`SELECT initcap('hello wORLD'), regexp_match('foobar', 'o(.)(b)'), regexp_match('foobar', 'o+'), regexp_match('x', 'y'), clock_timestamp() >= now()`, 'Hello World', '{"o","b"}', '{"oo"}', null, 't'],
    [`SELECT make_interval(days => 3, hours => 2), encode('abc', 'hex'), encode('abc'::bytea, 'base64')`, '3 days 02:00:00', '616263', 'YWJj'],
    [`SELECT 'b' = ANY('{a,b}'::text[]), 'c' <> ALL ('{a,b}'::text[]), NULL::int IS NULL`, 't', 't', 't'],
    [`SELECT count(*) > 100 FROM pg_get_keywords() WHERE catcode = 'R' OR word <> 'all'`, 't'],
  ])('%s', async (statement, ...row) => expect(await rowsOf(statement)).toEqual([row])) // prettier-ignore

  it.each([
    [`SELECT to_char(now(), 'FMDay')`, 'strftime'],
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
})
