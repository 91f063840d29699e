// What node-postgres' own tests check, in words of our own: its package has no tests. Sessions, cursors, streams and pools
// are in pgSessions.mjs.
import { once } from 'node:events'
import { of, one, pg, value } from './askPg.mjs'
import { bytes, codeOf, moment, nameOf, shared } from './check.mjs'

// Types
for (const [type, given, wanted = given] of [
  ...shared,
  ['date', '2024-02-29', new Date(2024, 1, 29)],
  ['date', 'infinity', Infinity],
  ['timestamp', '2024-01-01 01:02:03.004', new Date(2024, 0, 1, 1, 2, 3, 4)],
  ['json', { a: [1, null, 'é'], b: { c: true } }],
  ['jsonb', JSON.stringify([1, 'two', { three: 3 }]), [1, 'two', { three: 3 }]],
  ['json', JSON.stringify('text'), 'text'],
  ['json', 'null', null],
  ['int4[]', [1, null, -3]],
  ['int8[]', ['9007199254740993']],
  ['float8[]', [0.5, Infinity]],
  ['numeric[]', ['1.5'], [1.5]],
  ['text[]', ['a', 'b,c', 'd"e', '', 'NULL', null, '\\', '{}', ' x ']],
  ['bool[]', [true, null]],
  ['bytea[]', [bytes]],
  ['uuid[]', ['12345678-1234-5678-1234-567812345679']],
  ['timestamptz[]', [moment]],
  ['text[]', []],
]) {
  await of(
    `${nameOf(type, given)} as a parameter`,
    (c) => value(c, `SELECT $1::${String(type)} AS v`, [given]),
    wanted,
  )
}
await of(
  'an interval',
  async (c) => (await value(c, 'SELECT $1::interval AS v', ['1 day 02:03:04.5'])).toISO(),
  'P0Y0M1DT2H3M4.5S',
)
await of('null as a parameter', (c) => value(c, 'SELECT $1::text AS v', [null]), null)
await of('undefined is null', (c) => value(c, 'SELECT $1::text AS v', [undefined]), null)
await of(
  'an object says what it is sent as',
  (c) => {
    const given = { toPostgres: (prepare) => prepare(['a', 1]) }
    return value(c, 'SELECT $1::text[] AS v', [given])
  },
  ['a', '1'],
)
await of('a nested list', (c) => value(c, "SELECT '{{1,2},{3,4}}'::int4[] AS v"), [
  [1, 2],
  [3, 4],
])
await of(
  'what is written in the statement',
  async (c) => {
    const { rows } = await c.query(
      "SELECT 1::int2 a, 2::int8 b, 1.50 c, 'x'::text d, true e, '2024-03-31T00:59:59.123Z'::timestamptz f, '\\x00ff'::bytea g, ARRAY['a', NULL] h, NULL i",
    )
    return Object.values(rows[0])
  },
  [1, '2', '1.50', 'x', true, moment, Buffer.from([0, 255]), ['a', null], null],
)
await of(
  'in binary',
  async (c) => {
    const text = 'SELECT $1::int4 a, $2::text b, $3::bool c'
    return Object.values((await c.query({ text, values: [7, 'é', true], binary: true })).rows[0])
  },
  [7, 'é', true],
)
await of(
  'a parser of its own for a type',
  async (c) => {
    c.setTypeParser(20, 'text', BigInt)
    return value(c, 'SELECT 9007199254740993::int8 AS v')
  },
  9007199254740993n,
)
await of(
  'a parser of its own for a statement',
  (c) => {
    const types = { getTypeParser: () => (text) => `<${text}>` }
    return value(c, { text: 'SELECT 5::int4 AS v', types })
  },
  '<5>',
)
await of(
  'a moment in the zone of the session',
  async (c) => {
    await c.query("SET TIME ZONE 'America/New_York'")
    return [await value(c, "SELECT '2024-01-01 12:00'::timestamptz AS v"), await value(c, 'SHOW timezone')]
  },
  [new Date('2024-01-01T17:00:00Z'), 'America/New_York'],
)
await of(
  'big integers are exact',
  (c) => value(c, 'SELECT $1::numeric + 1 AS v', ['99999999999999999999']),
  '100000000000000000000',
)

// Results
await of(
  'fields say name and type',
  async (c) => {
    const { fields } = await c.query(
      "SELECT 1::int4 AS a, 'x'::text AS b, now() AS c, 1.5 AS d, '{}'::json AS e, ARRAY[1] AS f",
    )
    return fields.map(({ name, dataTypeID }) => [name, dataTypeID])
  },
  [
    ['a', 23],
    ['b', 25],
    ['c', 1184],
    ['d', 1700],
    ['e', 114],
    ['f', 1007],
  ],
)
await of(
  'fields name their table',
  async (c) => {
    const { fields } = await c.query('SELECT id, name FROM people')
    const oid = await value(c, "SELECT 'people'::regclass::oid AS v")
    return fields.map(({ tableID, columnID }) => [tableID === oid, columnID])
  },
  [
    [true, 1],
    [true, 2],
  ],
)
await of(
  'fields are there without rows',
  async (c) => {
    const { fields, rows, rowCount } = await c.query('SELECT id, name FROM people WHERE id < 0')
    return [fields.map(({ name }) => name), rows, rowCount]
  },
  [['id', 'name'], [], 0],
)
await of(
  'fields are there with a prepared name',
  async (c) => {
    const asked = { name: 'fields', text: 'SELECT 1 AS num' }
    await c.query(asked)
    return (await c.query(asked)).fields.map(({ name }) => name)
  },
  ['num'],
)
await of(
  'command and count',
  async (c) => {
    const found = []
    for (const text of [
      'SELECT * FROM people',
      'BEGIN',
      'SHOW timezone',
      "SET timezone TO 'UTC'",
      'COMMIT',
    ]) {
      const { command, rowCount } = await c.query(text)
      found.push([command, rowCount])
    }
    return found
  },
  [
    ['SELECT', 26],
    ['BEGIN', null],
    ['SHOW', null],
    ['SET', null],
    ['COMMIT', null],
  ],
)
await of(
  'rows as lists',
  async (c) => (await c.query({ text: 'SELECT 1 AS a, 2 AS a', rowMode: 'array' })).rows,
  [[1, 2]],
)
await of(
  'of columns with one name the last counts',
  async (c) => (await c.query('SELECT NULL AS a, 10 AS a')).rows,
  [{ a: 10 }],
)
await of(
  'names of columns with any characters',
  async (c) =>
    Object.keys(
      (
        await c.query(String.raw`SELECT 1 AS "\'/*", 2 AS "a ""b""", 3 AS "é
x", 4 AS "__proto__x"`)
      ).rows[0],
    ),
  [String.raw`\'/*`, 'a "b"', 'é\nx', '__proto__x'],
)
await of(
  'several statements in one',
  async (c) =>
    (await c.query("SELECT 1 AS a; SELECT 'x' AS b; SELECT 2 AS c WHERE false")).map(({ rows }) => rows),
  [[{ a: 1 }], [{ b: 'x' }], []],
)
await of(
  'several statements with parameters are refused',
  (c) => codeOf(() => c.query('SELECT $1::int; SELECT 2', [1])),
  '42601',
)
await of(
  'an error ends several statements',
  async (c) => [await codeOf(() => c.query('SELECT 1; SELECT nothing; SELECT 2')), await one(c)],
  ['42703', 1],
)
await of(
  'an empty statement',
  async (c) => {
    const found = []
    for (const asked of [
      '',
      ';',
      { text: '', values: [] },
      { name: 'empty', text: '' },
      { text: '-- nothing', values: [] },
    ])
      found.push((await c.query(asked)).rows)
    return found
  },
  [[], [], [], [], []],
)
await of('a row of 1 MB', async (c) => (await value(c, "SELECT repeat('é', 500000) AS v")).length, 500_000)
await of(
  'a statement of 1 MB',
  async (c) => (await value(c, `SELECT '${'x'.repeat(1_000_000)}' AS v`)).length,
  1_000_000,
)
await of(
  '20,000 rows',
  async (c) =>
    (await c.query('SELECT n::int4, n::text AS t FROM generate_series(1, 20000) g(n)')).rows.at(-1),
  { n: 20_000, t: '20000' },
)
await of(
  'a hundred columns',
  async (c) =>
    Object.values(
      (await c.query(`SELECT ${Array.from({ length: 100 }, (_, at) => `${at} AS c${at}`).join()}`)).rows[0],
    ).length,
  100,
)
await of(
  'a thousand parameters',
  (c) =>
    value(
      c,
      `SELECT ${Array.from({ length: 1000 }, (_, at) => `$${at + 1}::int4`).join('+')} AS v`,
      Array(1000).fill(1),
    ),
  1000,
)
await of(
  'rows come one by one',
  async (c) => {
    const query = new pg.Query('SELECT n::int4 FROM generate_series(1, 100) g(n)')
    let sum = 0
    query.on('row', ({ n }) => (sum += n))
    c.query(query)
    await once(query, 'end')
    return sum
  },
  5050,
)
await of(
  'by callback',
  (c) =>
    new Promise((resolve) =>
      c.query('SELECT $1::text AS v', ['x'], (error, answer) => resolve([error, answer.rows])),
    ),
  [null, [{ v: 'x' }]],
)
await of(
  'queries wait for one another',
  async (c) => await Promise.all([1, 2, 3].map((n) => value(c, 'SELECT $1::int4 AS v', [n]))),
  [1, 2, 3],
)
await of(
  'queries that do not wait for one another',
  async (c) =>
    Promise.all([
      value(c, 'SELECT 1 AS v'),
      value(c, 'SELECT $1::text AS v', ['x']),
      codeOf(() => c.query('SELECT nothing')),
      value(c, { name: 'p', text: 'SELECT $1::int4 AS v', values: [4] }),
      value(c, { name: 'p', text: 'SELECT $1::int4 AS v', values: [5] }),
    ]),
  [1, 'x', '42703', 4, 5],
  { pipeline: true },
)
// A case that failed may have left a connection.
process.exit()
