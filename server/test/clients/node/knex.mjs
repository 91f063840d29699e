import knex from 'knex'
import { byName, check, codeOf, missing, moment, url } from './check.mjs'

const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 } })

await check(
  'finds a table and its columns',
  async () => [
    await db.schema.hasTable('orders'),
    await db.schema.hasColumn('orders', 'note'),
    Object.entries(await db('orders').columnInfo())
      .map(([name, { type, nullable }]) => [name, type, nullable])
      .sort(byName),
  ],
  [
    true,
    true,
    [
      ['id', 'integer', false],
      ['note', 'text', true],
      ['tags', 'ARRAY', true],
      ['total', 'numeric', false],
    ],
  ],
)
await check(
  'asks with parameters, and by pages',
  async () => [
    await db('orders')
      .select('id')
      .where('total', '>', 0.1)
      .whereIn('note', ['x', 'y'])
      .orderBy('id', 'desc'),
    await db('orders')
      .pluck('id')
      .whereRaw('id = ANY(?)', [[1, 3]])
      .orderBy('id')
      .limit(1)
      .offset(1),
    (await db('sample').where('moment', '<', moment).where({ flag: true }).first('event', 'details')).event,
    await db('orders').max('total as most').count('* as n').first(),
  ],
  [[{ id: 3 }, { id: 1 }], [3], 'x', { most: '9.90', n: '3' }],
)
await check(
  'reads a stream',
  async () => {
    let seen = 0
    for await (const row of db.raw('SELECT n::int FROM generate_series(1, 1000) AS g(n)').stream())
      seen += row.n > 0
    return seen
  },
  1000,
)
await check(
  'joins, groups and reads in a transaction',
  () =>
    db.transaction((trx) =>
      trx
        .with('big', trx('orders').where('total', '>=', 1))
        .select('big.note')
        .from('big')
        .leftJoin('sample', 'sample.event', 'big.note')
        .groupBy('big.note')
        .havingRaw('count(sample.small) = ?', [1]),
    ),
  [{ note: 'x' }],
)
await check(
  'an error has a code, and the pool goes on',
  async () => [await codeOf(() => db.raw(missing)), (await db.raw('SELECT 1 AS one')).rows],
  ['42703', [{ one: 1 }]],
)
await db.destroy()
