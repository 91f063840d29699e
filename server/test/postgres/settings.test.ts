import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../fixtures/eventually.js'
import { useService } from '../fixtures/useService.js'

/* Settings, transactions and what a connection shows of itself, with the values that PostgreSQL 15 gives. */

const service = useService({ postgresPort: 0 })
const open: pg.Client[] = []
const connect = async () => {
  const known = { user: 'ada', password: 'lovelace', database: 'lakehouse' }
  const client = new pg.Client({ host: '127.0.0.1', port: service.postgresPort, ...known })
  client.on('error', () => undefined)
  await client.connect()
  open.push(client)
  return client
}
let client: pg.Client
beforeEach(async () => {
  client = await connect()
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.end().catch(() => undefined)))
})

const types = { getTypeParser: () => (text: string) => text }
/** The values of all rows of some statements, each sent by itself; of one that failed the code of its error. */
const ask = async (...statements: string[]): Promise<unknown[]> => {
  const found: unknown[] = []
  for (const text of statements) {
    const query = { text, rowMode: 'array', types } as unknown as pg.QueryArrayConfig
    const { rows } = await client.query(query).catch(({ code }: pg.DatabaseError) => ({ rows: [[code]] }))
    found.push(...rows.flat())
  }
  return found
}
const timeout = 'SHOW statement_timeout'

it.each<[what: string, statements: string[], ...wanted: string[]]>([
  ['SET LOCAL ends with COMMIT', ['BEGIN', "SET LOCAL statement_timeout = '77ms'", timeout, 'COMMIT', timeout], '77ms', '0'],
  ['SET LOCAL ends with ROLLBACK', ['BEGIN', "SET LOCAL TimeZone = 'Asia/Tokyo'", `SELECT TIMESTAMPTZ '2026-07-01 12:00Z'`, 'ROLLBACK', `SELECT TIMESTAMPTZ '2026-07-01 12:00Z'`], '2026-07-01 21:00:00+09', '2026-07-01 12:00:00+00'],
  ['SET is taken back by ROLLBACK', ['BEGIN', 'SET statement_timeout = 77', 'ROLLBACK', timeout], '0'],
  ['SET stays after COMMIT', ['BEGIN', 'SET statement_timeout = 77', 'COMMIT', timeout], '77ms'],
  ['SET stays behind a SET LOCAL', ['BEGIN', 'SET statement_timeout = 77', 'SET LOCAL statement_timeout = 78', timeout, 'COMMIT', timeout], '78ms', '77ms'],
  ['SET LOCAL before SET', ['BEGIN', 'SET LOCAL statement_timeout = 78', 'SET statement_timeout = 79', 'COMMIT', timeout], '79ms'],
  ['COMMIT of what failed takes SET back', ['BEGIN', 'SET statement_timeout = 77000', 'SELECT nothing', 'COMMIT', timeout], '42703', '0'],
  ['SET LOCAL outside of a transaction', ['SET LOCAL statement_timeout = 77', timeout], '0'],
  ['statements that are sent together', ['SET statement_timeout = 77000; SELECT nothing', timeout], '42703', '0'],
  ['set_config for a transaction', ['BEGIN', `SELECT set_config('statement_timeout', '3s', true)`, timeout, 'COMMIT', timeout], '3s', '3s', '0'],
  ['set_config for a session', [`SELECT set_config('statement_timeout', '3000', 'f')`, timeout], '3s', '3s'],
  ['set_config in a statement that fails', [`SELECT set_config('statement_timeout', '3s', false), 1 / 0`, timeout], '22012', '0'],
  ['search_path is taken back', ['BEGIN', 'SET search_path TO analytics', 'SELECT current_schema', 'ROLLBACK', 'SELECT current_schema'], 'analytics', 'main'],
  ['what was set since a savepoint is taken back', ['BEGIN', 'SET lock_timeout = 5', 'SAVEPOINT a', 'SET lock_timeout = 6', 'SAVEPOINT b', 'SET lock_timeout = 7', 'ROLLBACK TO a', 'SHOW lock_timeout', 'COMMIT', 'SHOW lock_timeout'], '5ms', '5ms'],
  ['a savepoint that is forgotten takes nothing back', ['BEGIN', 'SAVEPOINT a', 'SAVEPOINT b', 'SET lock_timeout = 6', 'RELEASE b', 'SELECT nothing', 'ROLLBACK TO SAVEPOINT a', 'SHOW lock_timeout', 'ROLLBACK'], '42703', '0'],
  ['what comes behind a savepoint of the same name', ['BEGIN', 'SAVEPOINT a', 'SET lock_timeout = 6', 'SAVEPOINT a', 'SET lock_timeout = 7', 'RELEASE a', 'ROLLBACK TO a', 'SHOW lock_timeout', 'ROLLBACK'], '0'],
  ['a time zone since a savepoint', ['BEGIN', 'SAVEPOINT a', "SET TimeZone = 'Asia/Tokyo'", 'ROLLBACK TO a', `SELECT TIMESTAMPTZ '2026-07-01 12:00Z'`, 'ROLLBACK'], '2026-07-01 12:00:00+00'],
  ['savepoints outside of a transaction', ['SAVEPOINT a', 'ROLLBACK TO a', 'RELEASE a', 'SELECT nothing', 'SELECT 1'], '25P01', '25P01', '25P01', '42703', '1'],
  ['the text default', [`SET application_name = 'default'`, 'SHOW application_name', 'SET application_name TO DEFAULT', 'SHOW application_name', `SELECT set_config('application_name', 'default', false)`], 'default', '', 'default'],
  ['a text with escapes', [String.raw`SET application_name = E'a\\b\'c'`, 'SHOW application_name'], String.raw`a\b'c`],
  ['DISCARD of plans', ['SET lock_timeout = 6', 'DISCARD PLANS', 'DISCARD TEMP', 'SHOW lock_timeout', 'DISCARD ALL', 'SHOW lock_timeout'], '6ms', '0'],
])('%s', async (_, statements, ...wanted) => {
  expect(await ask(...statements)).toEqual(wanted)
}) // prettier-ignore

it('a mistake behind a parameter has its place in what was sent', async () => {
  const places = [
    `SELECT current_setting('TimeZone'), $1::text, nothing`,
    `SELECT 'ä', $1::text || 'b', nothing`,
    `SELECT set_config('a.b', $1, false), nothing`,
  ].map(async (text) => {
    const failed = client.query(text, ['x'.repeat(50)])
    await expect(failed).rejects.toMatchObject({
      code: '42703',
      position: String(text.indexOf('nothing') + 1),
    })
  })
  await Promise.all(places)
})

it('a client that binds too few values is told so, and stays', async () => {
  await expect(client.query('SELECT $1::int, $2::int', [1])).rejects.toMatchObject({ code: '08P01' })
  expect(await ask('SELECT 1')).toEqual(['1'])
})

it.each([
  'SELECT constructor FROM (SELECT 1 AS constructor) t',
  'SELECT extract(constructor FROM now())',
  'SELECT 1::constructor',
  'COPY (SELECT current_time) TO STDOUT (FORMAT binary)',
])('whatever becomes of %s, the connection goes on', async (statement) => {
  await client.query(statement).catch(({ code }: pg.DatabaseError) => expect(code).not.toBe('XX000'))
  expect(await ask('SELECT 1')).toEqual(['1'])
})

it.each([
  ['0', '0'], ['300', '300ms'], ['5000', '5s'], ['1500ms', '1500ms'], ['90s', '90s'], ['60 min', '1h'], ['1.5s', '1500ms'],
  ['24h', '1d'], ['2.5', '2ms'], ['500us', '0'],
])('lock_timeout of %s is shown as %s', async (value, shown) => {
  expect(await ask(`SET lock_timeout = '${value}'`, 'SHOW lock_timeout')).toEqual([shown])
}) // prettier-ignore

it.each(['foo', '-1', '100 parsecs', '2147483648', '1 2'])('a time is not %s', async (value) => {
  expect(await ask(`SET statement_timeout = '${value}'`, timeout)).toEqual(['22023', '0'])
})

it('work_mem is shown in its largest unit', async () => {
  const asked = ["'1024kB'", '5000', "'8192'"].flatMap((value) => [
    `SET work_mem = ${value}`,
    'SHOW work_mem',
  ])
  expect(await ask(...asked)).toEqual(['1MB', '5000kB', '8MB'])
})

const level = 'SHOW transaction_isolation'
it.each<[what: string, statements: string[], ...wanted: string[]]>([
  ['BEGIN', ['BEGIN ISOLATION LEVEL SERIALIZABLE', level, 'SHOW TRANSACTION ISOLATION LEVEL', 'COMMIT', level], 'serializable', 'serializable', 'read committed'],
  ['START TRANSACTION', ['START TRANSACTION READ ONLY, ISOLATION LEVEL READ UNCOMMITTED', level, 'ROLLBACK'], 'read uncommitted'],
  ['SET TRANSACTION', ['BEGIN', 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY', level, 'COMMIT', level], 'repeatable read', 'read committed'],
  ['the setting', ['BEGIN', `SET transaction_isolation = 'serializable'`, level, 'COMMIT', level], 'serializable', 'read committed'],
  ['a session', ['SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'SHOW default_transaction_isolation', level], 'repeatable read', 'repeatable read'],
  ['a default', [`SET default_transaction_isolation = 'serializable'`, level, 'BEGIN ISOLATION LEVEL READ COMMITTED', level, 'COMMIT', level], 'serializable', 'read committed', 'serializable'],
])('%s names the isolation level', async (_, statements, ...wanted) => {
  expect(await ask(...statements)).toEqual(wanted)
}) // prettier-ignore

it('there is no other isolation level', async () => {
  expect(await ask('BEGIN ISOLATION LEVEL SNAPSHOT')).toEqual(['22023'])
  expect(await ask('SELECT 1')).toEqual(['1'])
})

it('in a transaction that failed nothing is answered but its end', async () => {
  expect(await ask('BEGIN', 'SELECT nothing', timeout, 'BEGIN', 'SELECT 1')).toEqual([
    '42703',
    ...Array(3).fill('25P02'),
  ])
  expect(await ask('ROLLBACK', 'SELECT 1')).toEqual(['1'])
})

it('a client is told of a setting that a transaction takes back', async () => {
  const told: string[] = []
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('parameterStatus', ({ parameterValue }: { parameterValue: string }) =>
    told.push(parameterValue),
  )
  await ask('BEGIN', `SET application_name = 'mine'`, 'ROLLBACK')
  expect(told).toEqual(['mine', ''])
})

it('pg_stat_activity has what runs as active, and what waits by its transaction', async () => {
  const other = await connect()
  const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const pid = rows.map((row) => row.pid).join()
  const states = () => ask(`SELECT state FROM pg_stat_activity WHERE pid = ${pid}`)
  expect(await ask('SELECT state FROM pg_stat_activity WHERE pid = pg_backend_pid()')).toEqual(['active'])
  expect(await states()).toEqual(['idle'])
  await other.query('BEGIN')
  expect(await states()).toEqual(['idle in transaction'])
  const running = other.query('SELECT sum(a.range + b.range) FROM range(1000000) a, range(1000000) b')
  const failed = expect(running).rejects.toMatchObject({ code: '57014' })
  await eventually(async () => expect(await states()).toEqual(['active']))
  await ask(`SELECT pg_cancel_backend(${pid})`)
  await failed
  expect(await states()).toEqual(['idle in transaction (aborted)'])
})

it.each([
  ['$1::numeric', '-0.50', '-0.50'],
  ['CAST($1 AS numeric)', '1.500', '1.500'],
  ['$1::decimal', '1e-3', '0.001'],
  ['$1::numeric(10, 1)', '1.25', '1.3'],
  ['$1::text || $1::numeric', '2.50', '2.502.50'],
])('%s keeps the digits of %s', async (expression, value, wanted) => {
  const query = { text: `SELECT ${expression}`, values: [value], rowMode: 'array', types }
  expect((await client.query(query as unknown as pg.QueryArrayConfig)).rows).toEqual([[wanted]])
})

it('a list of bytes is sent and read as a text', async () => {
  const bytes = [Buffer.from([0, 1, 39, 92, 255]), null, Buffer.alloc(0)]
  const { rows } = await client.query('SELECT $1::bytea[] AS bytes', [bytes])
  expect(rows).toEqual([{ bytes }])
})
