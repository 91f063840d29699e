import { PrismaPg } from '@prisma/adapter-pg'
import { check, codeOf, moment, url } from './check.mjs'
import prisma from './prismaClient/index.js'

const db = new prisma.PrismaClient({ adapter: new PrismaPg(url, { schema: 'main' }) })
/** Decimals are objects, and counts of raw queries bigints. */
const plain = async (query) =>
  JSON.parse(JSON.stringify(await query, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
const [first, second, third] = [
  { id: 1, total: '9.9', tags: ['a', 'b c'], note: 'x' },
  { id: 2, total: '0.5', tags: [], note: null },
  { id: 3, total: '5', tags: [], note: 'y' },
]

await check(
  'finds many',
  () => plain(db.orders.findMany({ where: { total: { gt: 1 } }, orderBy: { id: 'desc' }, take: 2 })),
  [third, first],
)
await check(
  'finds by lists, texts in any case and null',
  () =>
    Promise.all([
      plain(db.orders.findMany({ where: { tags: { has: 'a' } } })),
      db.orders.count({ where: { note: { contains: 'X', mode: 'insensitive' } } }),
      plain(db.orders.findFirst({ where: { note: null } })),
      db.orders.findMany({ where: { id: { in: [1, 3] }, NOT: { note: 'x' } }, select: { id: true } }),
      db.orders.findUnique({ where: { id: 1 }, select: { note: true } }),
    ]),
  [[first], 1, second, [{ id: 3 }], { note: 'x' }],
)
await check(
  'pages by a cursor',
  () =>
    db.orders.findMany({ cursor: { id: 1 }, orderBy: { id: 'asc' }, take: 2, skip: 1, select: { id: true } }),
  [{ id: 2 }, { id: 3 }],
)
await check(
  'aggregates',
  () =>
    plain(
      db.orders.aggregate({ _sum: { total: true }, _avg: { id: true }, _max: { note: true }, _count: true }),
    ),
  { _sum: { total: '15.4' }, _avg: { id: 2 }, _max: { note: 'y' }, _count: 3 },
)
await check(
  'groups',
  () =>
    plain(
      db.orders.groupBy({
        by: ['note'],
        _count: { _all: true },
        _sum: { total: true },
        having: { id: { _count: { gte: 1 } } },
        orderBy: { note: 'asc' },
      }),
    ),
  [
    { note: 'x', _count: { _all: 1 }, _sum: { total: '9.9' } },
    { note: 'y', _count: { _all: 1 }, _sum: { total: '5' } },
    { note: null, _count: { _all: 1 }, _sum: { total: '0.5' } },
  ],
)
await check(
  'asks in SQL',
  () =>
    Promise.all([
      plain(
        db.$queryRaw`SELECT id, total, now() > ${moment}::timestamptz AS later, count(*) OVER () AS n FROM orders WHERE id = ${1}`,
      ),
      plain(db.$queryRawUnsafe('SELECT * FROM orders WHERE id = ANY($1) ORDER BY id', [1, 3])),
    ]),
  [[{ id: 1, total: '9.9', later: true, n: '1n' }], [first, third]],
)
await check(
  'reads in transactions',
  async () => [
    await plain(db.$transaction([db.orders.count(), db.orders.findFirst({ orderBy: { id: 'asc' } })])),
    await db.$transaction((tx) => tx.orders.count()),
  ],
  [[3, first], 3],
)
await check(
  'an error has a code, and a change is refused',
  async () => [
    await codeOf(
      () => db.$queryRaw`SELECT nothing FROM orders`,
      (error) => error.meta.driverAdapterError.cause.originalCode,
    ),
    await codeOf(
      () => db.orders.create({ data: { id: 9 } }),
      (error) => error.message.includes('25006'),
    ),
    await db.orders.count(),
  ],
  ['42703', true, 3],
)
await db.$disconnect()
