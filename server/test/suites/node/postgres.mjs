// What postgres.js' own tests check, in words of our own: its package has no tests. Left out is what writes (inserts,
// large objects, COPY from a client), listens (replication) or needs another server (TLS, MD5, several hosts).
import { castOf, codes, first, numbers, of, one, postgres } from './askPostgres.mjs'
import { codeOf, moment, nameOf, shared } from './check.mjs'

// Types
for (const [type, given, wanted = given] of [
  ...shared,
  ['int4', null],
  ['date', '2024-02-29', new Date('2024-02-29')],
  ['timestamp', '2024-01-01 01:02:03.004', new Date(2024, 0, 1, 1, 2, 3, 4)],
  ['interval', '1 day 02:03:04', '1 day 02:03:04'],
  ['json', { a: [1, null, 'é'], b: { c: true } }],
  ['jsonb', [1, 'two', { three: 3 }]],
  ['jsonb', 'text'],
  ['int4[]', [1, -3]],
  ['int4[]', []],
  ['text[]', ['a', 'b,c', 'd"e', '', '\\', '{}', ' x ']],
  ['float8[]', [0.5, -1]],
  ['uuid[]', ['12345678-1234-5678-1234-567812345679']],
]) {
  await of(`${nameOf(type, given)} as a parameter`, (sql) => first(castOf(sql, type, given)), wanted)
}
await of(
  'what is written in the statement',
  (sql) =>
    sql`SELECT 1::int4 AS a, 2::int8 AS b, 1.50 AS c, true AS d, NULL AS e, ARRAY['x'] AS f, '{{1,2},{3,4}}'::int4[] AS g, '\\x00ff'::bytea AS h`
      .values()
      .then(([row]) => [...row]),
  [
    1,
    '2',
    '1.50',
    true,
    null,
    ['x'],
    [
      [1, 2],
      [3, 4],
    ],
    Buffer.from([0, 255]),
  ],
)
await of('a text without a cast', (sql) => first(sql`SELECT ${'x'} AS v`), 'x')
await of('a date without a cast', (sql) => first(sql`SELECT ${moment} AS v`), moment)
await of(
  'lists with their types',
  async (sql) => {
    // Types of lists are known from the first connection on.
    await one(sql)
    const [row] =
      await sql`SELECT ${sql.array([1, 2], 1007)} AS a, ${sql.array([true, false], 1000)} AS b, ${sql.array([moment], 1185)} AS c`.values()
    return [...row]
  },
  [[1, 2], [true, false], [moment]],
)
await of('typed by hand', (sql) => first(sql`SELECT ${sql.typed('7', 23)} AS v`), 7)
await of('JSON by hand', (sql) => first(sql`SELECT ${sql.json({ a: 1 })} AS v`), { a: 1 })
await of(
  'a type of its own',
  (sql) => first(sql`SELECT ${sql.types.bigint(9007199254740993n)} AS v`),
  9007199254740993n,
  { types: { bigint: postgres.BigInt } },
)
await of('a bigint as a bigint', (sql) => first(sql`SELECT 9007199254740993::int8 AS v`), 9007199254740993n, {
  types: { bigint: postgres.BigInt },
})
await of('a JSON value within a list', (sql) => first(sql`SELECT ARRAY['{"a":1}'::json] AS v`), [{ a: 1 }])
await of('undefined is refused', (sql) => codes(sql`SELECT ${undefined}::text`), ['UNDEFINED_VALUE'])
await of('undefined is turned into null', (sql) => first(sql`SELECT ${undefined}::text AS v`), null, {
  transform: { undefined: null },
})
await of(
  'a parser that throws',
  async (sql) => [await codeOf(() => sql`SELECT 'x'::text AS v`), await first(sql`SELECT 2 AS v`)],
  ['mine', 2],
  {
    types: {
      text: {
        to: 25,
        from: [25],
        parse: () => {
          throw new Error('mine')
        },
        serialize: String,
      },
    },
  },
)

// Results
await of(
  'a result is a list with command, count and columns',
  async (sql) => {
    const found = await sql`SELECT id, name FROM people WHERE id <= ${2} ORDER BY id`
    return [
      Array.isArray(found),
      found.count,
      found.command,
      found.columns.map(({ name, type }) => [name, type]),
      found.length,
    ]
  },
  [
    true,
    2,
    'SELECT',
    [
      ['id', 23],
      ['name', 25],
    ],
    2,
  ],
)
await of(
  'columns name their table',
  async (sql) => {
    const { columns } = await sql`SELECT id, name FROM people`
    const oid = await first(sql`SELECT 'people'::regclass::oid AS v`)
    return columns.map(({ table, number }) => [table === oid, number])
  },
  [
    [true, 1],
    [true, 2],
  ],
)
await of('rows as lists', (sql) => sql`SELECT 1 AS a, 2 AS a`.values().then((rows) => [...rows]), [[1, 2]])
await of(
  'rows as bytes',
  async (sql) => (await sql`SELECT 1 AS a, 'é' AS b`.raw()).map((row) => row.map(String)),
  [['1', 'é']],
)
await of(
  'rows one by one',
  async (sql) => {
    let sum = 0
    await numbers(sql, 100).forEach(({ n }) => (sum += n))
    return sum
  },
  5050,
)
await of(
  'rows one by one, with their result',
  async (sql) => {
    let names
    await sql`SELECT 1 AS x`.forEach((row, result) => (names = result.columns.map(({ name }) => name)))
    return names
  },
  ['x'],
)
await of(
  'no rows one by one',
  async (sql) => (await sql`SELECT 1 WHERE false`.forEach(() => undefined)).length,
  0,
)
await of('100,000 rows', async (sql) => (await numbers(sql, 100_000)).at(-1).n, 100_000)
await of(
  'a statement of 1 MB',
  async (sql) => (await first(sql`SELECT ${'x'.repeat(1_000_000)}::text AS v`)).length,
  1_000_000,
)
await of(
  'a thousand parameters',
  (sql) =>
    first(
      sql`SELECT count(*)::int4 AS v FROM people WHERE id IN ${sql(Array.from({ length: 1000 }, (_, at) => at))}`,
    ),
  26,
)
await of(
  'too many parameters are refused',
  (sql) => codes(sql`SELECT ${sql.unsafe('1')} WHERE 1 IN ${sql(Array(65_535).fill(1))}`),
  ['MAX_PARAMETERS_EXCEEDED'],
)
await of(
  'columns in camelCase',
  async (sql) => Object.keys((await sql`SELECT 1 AS a_long_name`)[0]),
  ['aLongName'],
  { transform: postgres.camel },
)
await of(
  'columns in PascalCase',
  async (sql) => Object.keys((await sql`SELECT 1 AS a_long_name`)[0]),
  ['ALongName'],
  { transform: postgres.pascal },
)
await of('values are transformed', (sql) => first(sql`SELECT 1 AS v`), 2, {
  fetch_types: false,
  transform: { value: (value) => value + 1 },
})
await of('rows are transformed', async (sql) => [...(await sql`SELECT 1 AS v`)], [1], {
  fetch_types: false,
  transform: { row: (row) => row.v },
})

// Parts of statements
await of(
  'names of tables, schemas and columns',
  (sql) => first(sql`SELECT ${sql('name')} FROM ${sql('main.people')} WHERE ${sql('id')} = ${3}`),
  'c',
)
await of(
  'columns by a list',
  async (sql) => ({ ...(await sql`SELECT ${sql(['id', 'name'])} FROM people WHERE id = 1`)[0] }),
  { id: 1, name: 'a' },
)
await of(
  'IN a list',
  async (sql) =>
    (await sql`SELECT id FROM people WHERE name IN ${sql(['a', 'c'])} ORDER BY id`).map(({ id }) => id),
  [1, 3],
)
await of(
  'IN an empty list',
  async (sql) => (await sql`SELECT id FROM people WHERE name IN ${sql([])}`).length,
  0,
)
await of(
  'ANY of a list',
  async (sql) => (await sql`SELECT id FROM people WHERE id = ANY(${[1, 3]}) ORDER BY id`).map(({ id }) => id),
  [1, 3],
)
await of(
  'VALUES',
  async (sql) =>
    (
      await sql`SELECT a::int4, b FROM (VALUES ${sql([
        [1, 'x'],
        [2, 'y'],
      ])}) AS t(a, b) ORDER BY 1`
    ).map((row) => ({ ...row })),
  [
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ],
)
await of(
  'parts in parts',
  (sql) =>
    first(
      sql`SELECT count(*)::int4 AS v FROM people ${sql`WHERE ${sql`id > ${20}`} AND ${sql`id < ${25}`}`}`,
    ),
  4,
)
await of(
  'a list of parts',
  (sql) =>
    first(
      sql`SELECT count(*)::int4 AS v FROM people WHERE ${[sql`id > ${20}`, sql` AND `, sql`name <> ${'z'}`]}`,
    ),
  5,
)
await of(
  'a value is never a part',
  async (sql) => [
    (await sql`SELECT id FROM people WHERE name = ${"Robert'); DROP TABLE people;--"}`).length,
    await first(sql`SELECT count(*)::int4 AS v FROM people`),
  ],
  [0, 26],
)
await of(
  'unsafe',
  async (sql) => [...(await sql.unsafe('SELECT $1::int4 AS v', [5]))].map((row) => ({ ...row })),
  [{ v: 5 }],
)
await of(
  'unsafe with several statements',
  async (sql) => (await sql.unsafe('SELECT 1 AS a; SELECT 2 AS b')).map(([row]) => ({ ...row })),
  [{ a: 1 }, { b: 2 }],
)
await of(
  'simple with several statements',
  async (sql) => (await sql`SELECT 1 AS a; SELECT 2 AS b`.simple()).map(([row]) => ({ ...row })),
  [{ a: 1 }, { b: 2 }],
)
await of(
  'unsafe has columns',
  async (sql) =>
    (await sql.unsafe("SELECT 1::int4 AS a, 'x'::text AS b")).columns.map(({ name, type }) => [name, type]),
  [
    ['a', 23],
    ['b', 25],
  ],
)
await of(
  'unsafe is described',
  async (sql) => {
    const { types, columns } = await sql.unsafe('SELECT $1::int4 AS v', [1]).describe()
    return [types, columns.map(({ type }) => type)]
  },
  [[23], [23]],
)
await of(
  'described, and not run',
  async (sql) => {
    const { string, types, columns } =
      await sql`SELECT id, name FROM people WHERE id = ${1} AND name = ${'x'}`.describe()
    return [string, types, columns.map(({ name, type }) => [name, type])]
  },
  [
    'SELECT id, name FROM people WHERE id = $1 AND name = $2',
    [23, 25],
    [
      ['id', 23],
      ['name', 25],
    ],
  ],
)
await of(
  'described without parameters',
  async (sql) => {
    const { types, columns } = await sql`SELECT 1::int8 AS n`.describe()
    return [types, columns.map(({ type }) => type)]
  },
  [[], [20]],
)
await of(
  'described without columns',
  async (sql) => {
    const { types, columns } = await sql`SET timezone TO 'UTC'`.describe()
    return [types, columns]
  },
  [[], []],
)
await of('several statements with parameters are refused', (sql) => codes(sql`SELECT ${1}::int4; SELECT 2`), [
  '42601',
])
await of(
  'statements are prepared',
  (sql) =>
    sql.reserve().then(async (own) => {
      await own`SELECT ${'a'}::text AS own`
      const found =
        await own`SELECT count(*)::int4 AS v FROM pg_prepared_statements WHERE statement LIKE '%AS own'`
      own.release()
      return found[0].v
    }),
  1,
)
await of(
  'statements are not prepared',
  async (sql) => {
    await sql`SELECT ${'a'}::text AS own`
    return first(sql`SELECT count(*)::int4 AS v FROM pg_prepared_statements WHERE statement LIKE '%AS own'`)
  },
  0,
  { prepare: false, max: 1 },
)
// A case that failed may have left a connection.
process.exit()
