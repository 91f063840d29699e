// What node-postgres' own tests check of prepared statements and errors.
import { once } from 'node:events'
import { of, one, pg, value } from './askPg.mjs'
import { codeOf } from './check.mjs'

// Prepared names
await of(
  'a name is prepared once',
  async (c) => {
    const ask = (values) => value(c, { name: 'sum', text: 'SELECT $1::int4 + $2::int4 AS v', values })
    const found = [await ask([1, 2]), await ask([3, 4])]
    return [
      ...found,
      await value(c, "SELECT count(*)::int4 AS v FROM pg_prepared_statements WHERE name = 'sum'"),
    ]
  },
  [3, 7, 1],
)
await of(
  'a name with another text is refused',
  async (c) => {
    await c.query({ name: 'n', text: 'SELECT 1' })
    return (await codeOf(() => c.query({ name: 'n', text: 'SELECT 2' }))).includes('must be unique')
  },
  true,
)
await of(
  'a name that does not prepare can be prepared then',
  async (c) => [
    await codeOf(() => c.query({ name: 'x', text: 'SELECT nothing FROM people' })),
    await value(c, { name: 'x', text: 'SELECT 2 AS v' }),
  ],
  ['42703', 2],
)
await of(
  'a name whose parameter is wrong goes on',
  async (c) => {
    const ask = (given) => value(c, { name: 'i', text: 'SELECT $1::int4 AS v', values: [given] })
    return [await ask(1), await codeOf(() => ask('x')), await ask(2)]
  },
  [1, '22P02', 2],
)
await of(
  'a prepared statement gives some rows at a time',
  async (c) => {
    const query = new pg.Query({
      name: 'some',
      text: 'SELECT n::int4 FROM generate_series(1, 10) g(n)',
      rows: 3,
    })
    let rows = 0
    query.on('row', () => rows++)
    c.query(query)
    await once(query, 'end')
    return rows
  },
  10,
)
await of(
  'PREPARE, EXECUTE and DEALLOCATE',
  async (c) => {
    await c.query('PREPARE twice (int4) AS SELECT $1 * 2 AS v')
    const found = await value(c, 'EXECUTE twice(21)')
    await c.query('DEALLOCATE twice')
    return [found, await codeOf(() => c.query('EXECUTE twice(1)'))]
  },
  [42, '26000'],
)

// Errors
await of(
  'an error has fields',
  async (c) => {
    const error = await c.query('SELECT nothing FROM people').catch((thrown) => thrown)
    return [error instanceof Error, error.severity, error.code, error.message.includes('nothing')]
  },
  [true, 'ERROR', '42703', true],
)
await of(
  'an error says where',
  async (c) => (await c.query('SELECT eeeee').catch((error) => error)).position,
  '8',
)
for (const [code, text, ...values] of [
  ['42601', 'SELEC 1'],
  ['42601', 'SELECT FROM WHERE'],
  ['42P01', 'SELECT * FROM nowhere'],
  ['42883', 'SELECT no_function(1)'],
  ['22P02', "SELECT 'x'::int4"],
  ['22012', 'SELECT 1 / 0'],
  ['22003', 'SELECT 2147483647::int4 + 1::int4'],
  ['22P02', 'SELECT $1::int4', 'x'],
  ['22P02', 'SELECT $1::uuid', 'x'],
  ['08P01', 'SELECT $1::int4, $2::int4', 1],
  ['3F000', 'CREATE TABLE no_schema.t (a int)'],
])
  await of(
    `${code}: ${text}${values.length ? ` with ${values.join()}` : ''}`,
    (c) => codeOf(() => c.query(text, values.length ? values : undefined)),
    code,
  )
await of(
  'the connection goes on behind errors',
  async (c) => {
    const codes = []
    for (let at = 0; at < 5; at++)
      codes.push(await codeOf(() => c.query('SELECT nothing', at % 2 ? [] : undefined)))
    return [new Set(codes).size, await one(c)]
  },
  [1, 1],
)
await of(
  'a parameter that cannot be written sends nothing',
  async (c) => [
    await codeOf(() =>
      c.query('SELECT $1::text', [
        {
          toPostgres: () => {
            throw new Error('mine')
          },
        },
      ]),
    ),
    await one(c),
  ],
  ['mine', 1],
)
await of(
  'a closed client refuses',
  async (c) => {
    await c.end()
    return (await codeOf(() => c.query('SELECT 1'))).includes('closed')
  },
  true,
)
await of('COPY from a client is refused', (c) => codeOf(() => c.query('COPY people FROM STDIN')), '25006')
await of(
  'a change is refused, and says what to use',
  async (c) => [await codeOf(() => c.query('INSERT INTO people (id) VALUES (1)')), await one(c)],
  ['25006', 1],
)
await of(
  'a transaction that failed refuses until it ends',
  async (c) => {
    const status = async (text) => [
      await codeOf(() => c.query(text)).then((code) => (Array.isArray(code) ? 'ok' : code)),
      c.getTransactionStatus(),
    ]
    return [
      await status('BEGIN'),
      await status('SELECT nothing'),
      await status('SELECT 1'),
      await status('ROLLBACK'),
      await status('SELECT 1'),
    ]
  },
  [
    ['ok', 'T'],
    ['42703', 'E'],
    ['25P02', 'E'],
    ['ok', 'I'],
    ['ok', 'I'],
  ],
)
await of(
  'COMMIT of what failed is a ROLLBACK',
  async (c) => {
    await c.query('BEGIN')
    await codeOf(() => c.query('SELECT nothing'))
    return (await c.query('COMMIT')).command
  },
  'ROLLBACK',
)
await of(
  'a savepoint',
  async (c) => {
    await c.query('BEGIN')
    await c.query('SAVEPOINT s')
    await codeOf(() => c.query('SELECT nothing'))
    await c.query('ROLLBACK TO SAVEPOINT s')
    const found = await one(c)
    await c.query('COMMIT')
    return found
  },
  1,
)
await of(
  'notices',
  async (c) => {
    const notices = []
    c.on('notice', ({ severity, code, message }) => notices.push([severity, code, message.length > 0]))
    for (const text of ['COMMIT', 'BEGIN', 'BEGIN', 'ROLLBACK']) await c.query(text)
    return notices
  },
  [
    ['WARNING', '25P01', true],
    ['WARNING', '25001', true],
  ],
)
// A case that failed may have left a connection.
process.exit()
