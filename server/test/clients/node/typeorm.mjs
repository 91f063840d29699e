import 'reflect-metadata'
import { DataSource, EntitySchema, In, IsNull, LessThan, MoreThan } from 'typeorm'
import { byName, check, codeOf, known, missing, moment } from './check.mjs'

const orders = new EntitySchema({
  name: 'orders',
  columns: {
    id: { type: 'int', primary: true },
    total: { type: 'numeric', precision: 10, scale: 2 },
    tags: { type: 'text', array: true, nullable: true },
    note: { type: 'text', nullable: true, comment: 'What was said' },
  },
})
const sample = new EntitySchema({
  name: 'sample',
  columns: {
    big: { type: 'bigint', primary: true },
    flag: { type: 'boolean' },
    moment: { type: 'timestamptz' },
    ids: { type: 'int', array: true },
    details: { type: 'json' },
  },
})
const { user: username, ...others } = known
const db = new DataSource({
  type: 'postgres',
  username,
  ...others,
  schema: 'main',
  installExtensions: false,
  entities: [orders, sample],
})

await check('connects', async () => (await db.initialize()).isInitialized, true)
await check(
  'describes a table',
  async () => {
    const runner = db.createQueryRunner()
    const { columns } = await runner.getTable('main.orders')
    await runner.release()
    return columns
      .map(({ name, type, isNullable, isPrimary, isArray, comment }) => [
        name,
        type,
        isNullable,
        isPrimary,
        isArray,
        comment ?? null,
      ])
      .sort(byName)
  },
  [
    ['id', 'integer', false, true, false, null],
    ['note', 'text', true, false, false, 'What was said'],
    ['tags', 'text', true, false, true, null],
    ['total', 'numeric', false, false, false, null],
  ],
)
await check(
  'asks with parameters, and by pages',
  async () => [
    await db.getRepository('orders').find({
      where: [{ total: MoreThan(0.1), note: In(['x', 'y']) }, { note: IsNull() }],
      order: { id: 'DESC' },
      skip: 2,
      take: 1,
    }),
    (await db.getRepository('sample').findOneByOrFail({ flag: true, moment: LessThan(moment) })).ids,
    await db
      .getRepository('orders')
      .createQueryBuilder('o')
      .select('max(o.total)', 'most')
      .where('o.id IN (:...ids)', { ids: [1, 3] })
      .getRawOne(),
    await db.getRepository('orders').findAndCount({ take: 1, order: { id: 'ASC' }, select: { id: true } }),
  ],
  [[{ id: 1, total: '9.90', tags: ['a', 'b c'], note: 'x' }], [1, 2], { most: '9.90' }, [[{ id: 1 }], 3]],
)
await check(
  'reads a stream',
  async () => {
    let seen = 0
    for await (const row of await db.getRepository('orders').createQueryBuilder('o').stream())
      seen += row.o_id > 0
    return seen
  },
  3,
)
await check('reads in a transaction', () => db.transaction((manager) => manager.count('orders')), 3)
await check(
  'an error has a code, and the pool goes on',
  async () => [
    await codeOf(
      () => db.query(missing),
      (error) => error.driverError.code,
    ),
    await db.query('SELECT 1 AS one'),
  ],
  ['42703', [{ one: 1 }]],
)
await db.destroy()
