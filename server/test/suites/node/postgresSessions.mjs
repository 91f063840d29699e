// What postgres.js' own tests check of errors, cursors, transactions and connections.
import { codes, first, numbers, of, one, postgres, withSql } from './askPostgres.mjs'
import { codeOf, endless, known, tell, until } from './check.mjs'

// Errors
await of(
  'an error is of the driver, with fields',
  async (sql) => {
    const error = await sql`SELECT nothing FROM people`.catch((thrown) => thrown)
    return [error instanceof postgres.PostgresError, error.name, error.severity, error.code]
  },
  [true, 'PostgresError', 'ERROR', '42703'],
)
await of(
  'an error says where',
  async (sql) => (await sql`SELECT eeeee`.catch((error) => error)).position,
  '8',
)
await of(
  'an error has its statement and values',
  async (sql) => {
    const { query, parameters } = await sql`SELECT ${'x'}::int4`.catch((error) => error)
    return [query, parameters]
  },
  ['SELECT $1::int4', ['x']],
)
await of(
  'codes of errors',
  (sql) =>
    codes(
      sql`SELEC 1`,
      sql`SELECT * FROM nowhere`,
      sql`SELECT no_function(1)`,
      sql`SELECT ${'x'}::int4`,
      sql`SELECT 1 / 0`,
      sql`SELECT 'x'::uuid`,
      sql`INSERT INTO people (id) VALUES (1)`,
    ),
  ['42601', '42P01', '42883', '22P02', '22012', '22P02', '25006'],
)
await of(
  'a COPY from a client is refused',
  async (sql) => [await codeOf(() => sql`COPY people FROM STDIN`.writable()), await one(sql)],
  ['25006', 1],
)
await of(
  'COPY to a client',
  async (sql) => {
    const parts = []
    for await (const part of await sql`COPY (SELECT id, name FROM people WHERE id < 3 ORDER BY id) TO STDOUT`.readable())
      parts.push(part)
    return Buffer.concat(parts).toString()
  },
  '1\ta\n2\tb\n',
)
await of(
  'an error of COPY',
  async (sql) => [await codeOf(() => sql`COPY (SELECT nothing) TO STDOUT`.readable()), await one(sql)],
  ['42703', 1],
)
await of('a query that is not tagged is refused', (sql) => codeOf(() => sql('SELECT 1')), 'NOT_TAGGED_CALL')
await tell(
  'a wrong password',
  () => codeOf(() => withSql(one, { pass: 'wrong', password: 'wrong' })),
  '28P01',
)
await tell('an unknown database', () => codeOf(() => withSql(one, { database: 'nowhere' })), '3D000')
await tell(
  'an address',
  () => {
    const { host, port, user, password, database } = known
    const sql = postgres(`postgres://${user}:${password}@${host}:${port}/${database}`)
    return one(sql).finally(() => sql.end())
  },
  1,
)
await of('a password that is asked for', one, 1, { password: () => Promise.resolve('lovelace') })
await of(
  'application_name, and other settings of a connection',
  async (sql) => [await first(sql`SHOW application_name`), await first(sql`SHOW statement_timeout`)],
  ['cases', '5s'],
  { connection: { application_name: 'cases', statement_timeout: 5000 } },
)
await of(
  'what the service is',
  async (sql) => {
    await one(sql)
    return [
      sql.parameters.server_encoding,
      sql.parameters.client_encoding,
      sql.parameters.integer_datetimes,
      sql.parameters.standard_conforming_strings,
    ]
  },
  ['UTF8', 'UTF8', 'on', 'on'],
)
await tell(
  'notices',
  async () => {
    const notices = []
    await withSql(
      async (sql) => {
        await sql`COMMIT`.catch(() => undefined)
        await sql`COMMIT`.simple()
      },
      { max: 1, onnotice: ({ code }) => notices.push(code) },
    )
    return new Set(notices)
  },
  new Set(['25P01']),
)

// Cursors
const sizesOf = async (cursor) => {
  const found = []
  for await (const rows of cursor) found.push(rows.length)
  return found
}
await of('a cursor of single rows', (sql) => sizesOf(numbers(sql, 3).cursor()), [1, 1, 1])
await of('a cursor of some rows', (sql) => sizesOf(numbers(sql, 20).cursor(10)), [10, 10])
await of('a cursor with a rest', (sql) => sizesOf(numbers(sql, 25).cursor(10)), [10, 10, 5])
await of('a cursor of fewer rows than wanted', (sql) => sizesOf(numbers(sql, 3).cursor(10)), [3])
await of('a cursor of no rows', (sql) => sizesOf(numbers(sql, 0).cursor(10)), [])
await of(
  'a cursor by callback',
  async (sql) => {
    const found = []
    await numbers(sql, 25).cursor(10, (rows) => {
      found.push(rows.length)
    })
    return found
  },
  [10, 10, 5],
)
await of(
  'a cursor is ended by its reader',
  async (sql) => {
    const found = []
    await numbers(sql, 100_000).cursor(10, (rows) => {
      found.push(rows.length)
      return found.length === 2 ? sql.CLOSE : undefined
    })
    return [found, await one(sql)]
  },
  [[10, 10], 1],
)
await of(
  'a cursor whose reader throws',
  async (sql) => [
    await codeOf(() =>
      numbers(sql, 100).cursor(10, () => {
        throw new Error('mine')
      }),
    ),
    await one(sql),
  ],
  ['mine', 1],
)
await of(
  'a cursor that is left early',
  async (sql) => {
    for await (const [row] of numbers(sql, 100_000).cursor(10)) if (row.n > 20) break
    return one(sql)
  },
  1,
  { max: 1 },
)
await of(
  'a cursor of a wrong statement',
  async (sql) => [await codeOf(() => sizesOf(sql`SELECT nothing`.cursor(10))), await one(sql)],
  ['42703', 1],
)
await of(
  'an unsafe cursor',
  (sql) => sizesOf(sql.unsafe('SELECT n::int4 FROM generate_series(1, 5) g(n)').cursor(2)),
  [2, 2, 1],
)
await of(
  'cursors side by side',
  (sql) => Promise.all([10, 20, 30].map((count) => sizesOf(numbers(sql, count).cursor(10)))),
  [[10], [10, 10], [10, 10, 10]],
  { max: 2 },
)
await of(
  'cursors in a transaction',
  (sql) =>
    sql.begin(async (tx) => [
      await sizesOf(numbers(tx, 3).cursor(2)),
      await sizesOf(numbers(tx, 2).cursor(1)),
    ]),
  [
    [2, 1],
    [1, 1],
  ],
)

// Transactions and connections
await of('a transaction', (sql) => sql.begin(async (tx) => first(tx`SELECT 2 AS v`)), 2)
await of(
  'a transaction that reads only',
  (sql) => sql.begin('READ ONLY', (tx) => first(tx`SHOW transaction_read_only`)),
  'on',
)
await of(
  'an isolation level',
  (sql) => sql.begin('ISOLATION LEVEL SERIALIZABLE', (tx) => first(tx`SHOW transaction_isolation`)),
  'serializable',
)
await of(
  'a transaction throws what its work throws',
  async (sql) => [
    await codeOf(() =>
      sql.begin(() => {
        throw new Error('mine')
      }),
    ),
    await one(sql),
  ],
  ['mine', 1],
)
await of(
  'a transaction throws an error of the service',
  async (sql) => [await codeOf(() => sql.begin((tx) => tx`SELECT nothing`)), await one(sql)],
  ['42703', 1],
)
await of(
  'a savepoint that failed is taken back',
  (sql) =>
    sql.begin(async (tx) => [await codeOf(() => tx.savepoint((own) => own`SELECT nothing`)), await one(tx)]),
  ['42703', 1],
)
await of(
  'a savepoint gives its result',
  (sql) => sql.begin((tx) => tx.savepoint('named', async (own) => first(own`SELECT 3 AS v`))),
  3,
)
await of(
  'a list of queries in a transaction',
  (sql) =>
    sql
      .begin((tx) => [tx`SELECT 1 AS v`, tx`SELECT 2 AS v`])
      .then((results) => results.map(([row]) => row.v)),
  [1, 2],
)
await of('BEGIN outside of a transaction is refused', (sql) => codes(sql`BEGIN`), ['UNSAFE_TRANSACTION'])
await of(
  'transactions side by side',
  (sql) => Promise.all([1, 2, 3, 4].map((n) => sql.begin((tx) => first(tx`SELECT ${n}::int4 AS v`)))),
  [1, 2, 3, 4],
)
await of(
  'queries wait for one another',
  async (sql) =>
    (await Promise.all(Array.from({ length: 50 }, (_, n) => first(sql`SELECT ${n}::int4 AS v`)))).at(-1),
  49,
  { max: 1 },
)
await of(
  'queries before the connection',
  (sql) => Promise.all([first(sql`SELECT 1 AS v`), first(sql`SELECT 2 AS v`)]),
  [1, 2],
)
await of(
  'a reserved connection',
  async (sql) => {
    const own = await sql.reserve()
    const pids = await Promise.all([1, 2, 3].map(() => first(own`SELECT pg_backend_pid() AS v`)))
    own.release()
    return new Set(pids).size
  },
  1,
)
await of(
  'cancelling a query',
  async (sql) => {
    const query = sql.unsafe(endless).execute()
    await until(() =>
      first(
        sql`SELECT count(*)::int4 AS v FROM pg_stat_activity WHERE query LIKE 'SELECT sum(a.n%' AND pid <> pg_backend_pid()`,
      ),
    )
    query.cancel()
    return [await codeOf(() => query), await one(sql)]
  },
  ['57014', 1],
)
await of(
  'a connection lives only so long',
  async (sql) => {
    const pid = () => first(sql`SELECT pg_backend_pid() AS v`)
    const before = await pid()
    return until(async () => (await pid()) !== before)
  },
  undefined,
  { max: 1, max_lifetime: 0.1 },
)
await of(
  'an ended pool refuses',
  async (sql) => {
    await sql.end()
    return codes(sql`SELECT 1`)
  },
  ['CONNECTION_ENDED'],
)
await of(
  'LISTEN is taken',
  async (sql) => {
    const { unlisten, state } = await sql.listen('news', () => undefined)
    await unlisten()
    return state.pid > 0
  },
  true,
)
// A case that failed may have left a connection.
process.exit()
