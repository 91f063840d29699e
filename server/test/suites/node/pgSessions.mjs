// What node-postgres' own tests check of sessions, and those of pg-cursor, pg-query-stream and pg-pool.
import { once } from 'node:events'
import { of, ofPool, one, pg, value, withClient, withPool } from './askPg.mjs'
import { codeOf, endless, known, load, tell, until } from './check.mjs'

const Cursor = load('pg-cursor')
const QueryStream = load('pg-query-stream')

// Sessions
await of('application_name', (c) => value(c, 'SHOW application_name'), 'cases', { application_name: 'cases' })
await of('fallback_application_name', (c) => value(c, 'SHOW application_name'), 'back', {
  fallback_application_name: 'back',
})
await of('options of a connection', (c) => value(c, 'SHOW search_path'), 'analytics', {
  options: '-c search_path=analytics',
})
await of(
  'statement_timeout',
  async (c) => [await codeOf(() => c.query(endless)), await one(c)],
  ['57014', 1],
  { statement_timeout: 100 },
)
await of(
  'SET LOCAL statement_timeout ends with its transaction',
  async (c) => {
    await c.query('BEGIN')
    await c.query("SET LOCAL statement_timeout TO '50ms'")
    const code = await codeOf(() => c.query(endless))
    await c.query('ROLLBACK')
    return [code, await value(c, 'SHOW statement_timeout')]
  },
  ['57014', '0'],
)
await of('query_timeout', async (c) => codeOf(() => c.query(endless)), 'Query read timeout', {
  query_timeout: 50,
})
await of('lock_timeout', (c) => value(c, 'SHOW lock_timeout'), '300ms', { lock_timeout: 300 })
await of(
  'process ids differ',
  (c) =>
    withClient(async (other) => [
      c.processID !== other.processID,
      c.processID === (await value(c, 'SELECT pg_backend_pid() AS v')),
    ]),
  [true, true],
)
await of(
  'cancelling a query',
  (c) =>
    withClient(async (other) => {
      const code = codeOf(() => c.query(endless))
      const running = 'SELECT count(*)::int4 FROM pg_stat_activity WHERE pid = $1 AND query = $2'
      await until(() => value(other, running, [c.processID, endless]))
      await value(other, 'SELECT pg_cancel_backend($1)', [c.processID])
      return [await code, await one(c)]
    }),
  ['57014', 1],
)
await of(
  "one's own statement is active",
  (c) => value(c, 'SELECT state FROM pg_stat_activity WHERE pid = pg_backend_pid()'),
  'active',
)
await of(
  'an ended session is told',
  (c) =>
    withClient(async (other) => {
      const ended = once(c, 'error')
      await value(other, 'SELECT pg_terminate_backend($1)', [c.processID])
      return (await ended)[0].code
    }),
  '57P01',
)
await tell('a wrong password', () => codeOf(() => withClient(one, { password: 'wrong' })), '28P01')
await tell('an unknown user', () => codeOf(() => withClient(one, { user: 'nobody' })), '28P01')
await tell('an unknown database', () => codeOf(() => withClient(one, { database: 'nowhere' })), '3D000')
await tell(
  'an address',
  () => {
    const { host, port, user, password, database } = known
    return withClient(one, {
      connectionString: `postgres://${user}:${password}@${host}:${port}/${database}?application_name=x`,
    })
  },
  1,
)
await tell(
  'a password that is asked for',
  () => withClient(one, { password: () => Promise.resolve('lovelace') }),
  1,
)
await tell(
  'TLS that is not there',
  () => codeOf(() => withClient(one, { ssl: true })),
  'The server does not support SSL connections',
)
await of('LISTEN is taken', async (c) => (await c.query('LISTEN news')).command, 'LISTEN')

// Cursors
const numbers = 'SELECT n::int4 FROM generate_series(1, $1::int4) g(n)'
const inCursor = (name, work, wanted, [text, values] = [numbers, [10]], config = {}) =>
  of(name, async (c) => work(c.query(new Cursor(text, values, config)), c), wanted)
const sizes = async (cursor, ...asked) => {
  const found = []
  for (const size of asked) found.push((await cursor.read(size)).length)
  return found
}
await inCursor(
  'a cursor reads some rows at a time',
  (cursor) => sizes(cursor, 3, 3, 3, 3, 3),
  [3, 3, 3, 1, 0],
)
await inCursor('a cursor reads all, then nothing', (cursor) => sizes(cursor, 10, 1), [10, 0])
await inCursor('a cursor of no rows', (cursor) => sizes(cursor, 5, 5), [0, 0], [numbers, [0]])
await inCursor(
  'a cursor is closed early',
  async (cursor, c) => {
    await cursor.read(1)
    await cursor.close()
    return [await one(c), (await cursor.read(1)).length]
  },
  [1, 0],
)
await inCursor(
  'a cursor is closed unread',
  async (cursor, c) => {
    await cursor.close()
    return one(c)
  },
  1,
)
await inCursor(
  'a cursor ends with a wrong statement',
  async (cursor, c) => [await codeOf(() => cursor.read(1)), await one(c)],
  ['42703', 1],
  ['SELECT nothing', []],
)
await inCursor(
  'a cursor ends within its rows',
  async (cursor, c) => [
    (await cursor.read(2)).length,
    await codeOf(async () => {
      for (let at = 0; at < 2000; at++) await cursor.read(100)
    }),
    await one(c),
  ],
  [2, '22012', 1],
  ['SELECT 10 / (n - 100000) AS v FROM generate_series(1, 100001) g(n)', []],
)
await inCursor('a cursor gives lists', (cursor) => cursor.read(2), [[1], [2]], undefined, {
  rowMode: 'array',
})
await inCursor(
  'a cursor tells its result',
  async (cursor) => {
    await cursor.read(1)
    const [, result] = await new Promise((resolve) =>
      cursor.read(1, (error, rows, whole) => resolve([error, whole])),
    )
    return result.fields.map(({ name, dataTypeID }) => [name, dataTypeID])
  },
  [['n', 23]],
)
await of(
  'cursors follow one another',
  async (c) => {
    const cursors = [3, 2].map((count) => c.query(new Cursor(numbers, [count])))
    const found = []
    for (const cursor of cursors) {
      found.push((await cursor.read(10)).length)
      await cursor.close()
    }
    return found
  },
  [3, 2],
)
await of(
  'cursors in a transaction',
  async (c) => {
    await c.query('BEGIN')
    const cursor = c.query(new Cursor(numbers, [250]))
    const found = await sizes(cursor, 100, 100, 100)
    await cursor.close()
    await c.query('COMMIT')
    return found
  },
  [100, 100, 50],
)
await of(
  'DECLARE, FETCH, MOVE and CLOSE',
  async (c) => {
    await c.query('BEGIN')
    await c.query('DECLARE rows CURSOR FOR SELECT n::int4 FROM generate_series(1, 10) g(n)')
    const first = (await c.query('FETCH 3 FROM rows')).rows.map(({ n }) => n)
    await c.query('MOVE 2 FROM rows')
    const next = (await c.query('FETCH NEXT FROM rows')).rows[0].n
    await c.query('CLOSE rows')
    await c.query('COMMIT')
    return [first, next, await codeOf(() => c.query('FETCH 1 FROM rows'))]
  },
  [[1, 2, 3], 6, '34000'],
)

// Streams
const streamed = async (c, text, values, config) => {
  let found = []
  for await (const row of c.query(new QueryStream(text, values, config))) found.push(row)
  return found
}
await of('a stream gives all rows', async (c) => (await streamed(c, numbers, [5000])).length, 5000)
await of(
  'a stream in small batches',
  async (c) => (await streamed(c, numbers, [101], { batchSize: 7 })).at(-1),
  { n: 101 },
)
await of('a stream of no rows', (c) => streamed(c, numbers, [0]), [])
await of('a stream of an empty statement', (c) => streamed(c, '-- nothing', []), [])
await of('a stream of lists', (c) => streamed(c, numbers, [2], { rowMode: 'array' }), [[1], [2]])
await of(
  'a stream that is left early',
  async (c) => {
    for await (const { n } of c.query(new QueryStream(numbers, [100_000], { batchSize: 10 })))
      if (n > 20) break
    return one(c)
  },
  1,
)
await of(
  'a stream that fails',
  async (c) => [await codeOf(() => streamed(c, 'SELECT nothing', [])), await one(c)],
  ['42703', 1],
)
await of(
  'a stream whose reader rests',
  async (c) => {
    const stream = c.query(new QueryStream(numbers, [300], { highWaterMark: 5 }))
    let sum = 0
    for await (const { n } of stream) {
      await new Promise(setImmediate)
      sum += n
    }
    return sum
  },
  45_150,
)
await of(
  'streams side by side',
  async () =>
    withPool((pool) =>
      Promise.all(
        [10, 20].map(async (count) => {
          const client = await pool.connect()
          const rows = await streamed(client, numbers, [count])
          client.release()
          return rows.length
        }),
      ),
    ),
  [10, 20],
)

// Pools
await ofPool('a pool asks', async (pool) => (await pool.query('SELECT $1::text AS v', ['x'])).rows, [
  { v: 'x' },
])
await ofPool(
  'a pool gives more askers than clients',
  async (pool) => [
    (
      await Promise.all(Array.from({ length: 40 }, (_, n) => value(pool, 'SELECT $1::int4 AS v', [n])))
    ).reduce((a, b) => a + b),
    pool.totalCount,
  ],
  [780, 3],
  { max: 3 },
)
await ofPool(
  'a client that is released is used again',
  async (pool) => {
    const pid = () => value(pool, 'SELECT pg_backend_pid() AS v')
    return (await pid()) === (await pid())
  },
  true,
  { max: 1 },
)
await ofPool(
  'a client that is released with an error is not',
  async (pool) => {
    const ask = async (isBad) => {
      const client = await pool.connect()
      const pid = client.processID
      client.release(isBad)
      return pid
    }
    return (await ask(true)) === (await ask(false))
  },
  false,
  { max: 1 },
)
await ofPool(
  'a client with so many uses is not',
  async (pool) => {
    const pid = () => value(pool, 'SELECT pg_backend_pid() AS v')
    return (await pid()) === (await pid())
  },
  false,
  { max: 1, maxUses: 1 },
)
await ofPool(
  'an error of a pool leaves it whole',
  async (pool) => [await codeOf(() => pool.query('SELECT nothing')), await one(pool), pool.totalCount],
  ['42703', 1, 1],
)
await ofPool(
  'a pool tells of a client that ended',
  async (pool) => {
    const told = once(pool, 'error')
    const pid = await value(pool, 'SELECT pg_backend_pid() AS v')
    await withClient((c) => value(c, 'SELECT pg_terminate_backend($1)', [pid]))
    return [(await told)[0].code, await one(pool)]
  },
  ['57P01', 1],
)
await ofPool('a pool sets a session up', (pool) => value(pool, 'SHOW timezone'), 'Asia/Tokyo', {
  onConnect: (client) => client.query("SET timezone TO 'Asia/Tokyo'"),
})
await tell(
  'a pool ends while its queries run',
  async () => {
    const pool = new pg.Pool(known)
    const found = value(pool, 'SELECT 7 AS v')
    await found
    await pool.end()
    return found
  },
  7,
)
// A case that failed may have left a connection.
process.exit()
