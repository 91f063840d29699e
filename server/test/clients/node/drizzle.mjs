import { and, count, desc, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { boolean, integer, jsonb, numeric, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { check, codeOf, known, missing, moment } from './check.mjs'

const orders = pgTable('orders', {
  id: integer('id').primaryKey(),
  total: numeric('total', { precision: 10, scale: 2 }).notNull(),
  tags: text('tags').array(),
  note: text('note'),
})
const sample = pgTable('sample', {
  event: text('event'),
  flag: boolean('flag'),
  moment: timestamp('moment', { withTimezone: true }),
  details: jsonb('details'),
})
const pool = new pg.Pool({ ...known, max: 2 })
const db = drizzle(pool, { schema: { orders, sample } })

await check(
  'asks with parameters, and by pages',
  async () => [
    await db
      .select({ id: orders.id, tags: orders.tags })
      .from(orders)
      .where(and(gt(orders.total, '0.1'), or(isNull(orders.note), inArray(orders.note, ['x', 'y']))))
      .orderBy(desc(orders.id))
      .limit(1)
      .offset(2),
    await db
      .select()
      .from(sample)
      .where(and(eq(sample.flag, true), sql`${sample.moment} < ${moment.toISOString()}`)),
    await db.select({ n: count() }).from(orders),
    await db.query.orders.findFirst({ where: eq(orders.id, 1), columns: { note: true, total: true } }),
    (await db.execute(sql`SELECT ${[1, 3]} AS nothing WHERE ${1}::int = ANY(${'{1,3}'}::int[])`)).rows.length,
  ],
  [
    [{ id: 1, tags: ['a', 'b c'] }],
    [{ event: 'x', flag: true, moment: new Date('2024-03-01T12:00:00Z'), details: { a: 'b' } }],
    [{ n: 3 }],
    { note: 'x', total: '9.90' },
    1,
  ],
)
await check(
  'reads in a transaction',
  () =>
    db.transaction(async (tx) => (await tx.select({ n: count() }).from(orders))[0].n, {
      accessMode: 'read only',
    }),
  3,
)
await check(
  'an error has a code, and the pool goes on',
  async () => [
    await codeOf(
      () => db.execute(sql.raw(missing)),
      (error) => error.cause?.code ?? error.code,
    ),
    (await db.execute(sql`SELECT 1 AS one`)).rows,
  ],
  ['42703', [{ one: 1 }]],
)
await pool.end()
