import postgres from 'postgres'
import { check, codeOf, known, moment } from './check.mjs'

const sql = postgres({ ...known, max: 2, onnotice: () => undefined })

await check(
  'lists tables with parameters',
  async () =>
    (
      await sql`SELECT table_name FROM information_schema.tables WHERE table_schema = ${'main'} AND table_name = ANY(${['orders', 'sample']}) ORDER BY 1`
    ).map((row) => row.table_name),
  ['orders', 'sample'],
)
await check(
  'describes a statement',
  async () => {
    const { columns, types } = await sql`SELECT * FROM orders WHERE id = ${1} AND total > ${1.5}`.describe()
    return [columns.map(({ name, type }) => [name, type]), types]
  },
  [
    [
      ['id', 23],
      ['total', 1700],
      ['tags', 1009],
      ['note', 25],
    ],
    [23, 1700],
  ],
)
await check(
  'parameters of each type come back as they were',
  async () => [
    ...(
      await sql`SELECT ${7}::int, ${'9007199254740993'}::bigint, ${'1.5'}::numeric, ${0.1}::float8, ${"a 'b' ü"}::text, ${true}::bool, ${moment}::timestamptz, ${[1, 3]}::int[], ${['a,b', '']}::text[], ${sql.json({ a: [1] })}::jsonb, ${Buffer.from([0, 255])}::bytea, ${null}::text`.values()
    )[0],
  ],
  [
    7,
    '9007199254740993',
    '1.5',
    0.1,
    "a 'b' ü",
    true,
    moment,
    [1, 3],
    ['a,b', ''],
    { a: [1] },
    Buffer.from([0, 255]),
    null,
  ],
)
await check(
  'a cursor gives some rows at a time, and no empty one at the end',
  async () => {
    const sizes = []
    for await (const rows of sql`SELECT n::int FROM generate_series(1, 900) AS g(n)`.cursor(300))
      sizes.push(rows.length)
    return sizes
  },
  [300, 300, 300],
)
await check(
  'a cursor is left early',
  async () => {
    for await (const [row] of sql`SELECT n::int FROM generate_series(1, 100000) AS g(n)`.cursor(10))
      if (row.n > 20) break
    return (await sql`SELECT 1 AS one`)[0].one
  },
  1,
)
await check(
  'rows come one after the other, and as a copy',
  async () => {
    let sum = 0
    await sql`SELECT n::int FROM generate_series(1, 1000) AS g(n)`.forEach((row) => (sum += row.n))
    const parts = []
    for await (const part of await sql`COPY (SELECT id, note FROM orders ORDER BY id) TO STDOUT`.readable())
      parts.push(part)
    return [sum, Buffer.concat(parts).toString()]
  },
  [500500, '1\tx\n2\t\\N\n3\ty\n'],
)
await check(
  'reads in a transaction',
  () => sql.begin('READ ONLY', async (tx) => (await tx`SELECT count(*)::int AS n FROM orders`)[0].n),
  3,
)
await check(
  'an error has a code, and the connection goes on',
  async () => [
    await codeOf(() => sql`SELECT nothing FROM orders`),
    await codeOf(() => sql`SELECT ${'x'}::text::int`),
    await codeOf(() => sql.begin((tx) => tx`SELECT * FROM nowhere`)),
    (await sql`SELECT 1 AS one`)[0].one,
  ],
  ['42703', '22P02', '42P01', 1],
)
await check(
  'connects anew when a connection has ended',
  async () => {
    const one = postgres({ ...known, max: 1 })
    const [{ pid }] = await one`SELECT pg_backend_pid() AS pid`
    const [{ ended }] = await sql`SELECT pg_terminate_backend(${pid}) AS ended`
    // What is sent before the end is known fails, as it does beside any server.
    while ((await codeOf(() => one`SELECT 1`)) !== 'no error');
    const [{ n }] = await one`SELECT count(*)::int AS n FROM orders`
    await one.end()
    return [ended, n]
  },
  [true, 3],
)
await sql.end()
