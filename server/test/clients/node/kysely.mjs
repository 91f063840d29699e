import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import Cursor from 'pg-cursor'
import { check, codeOf, known, missing, moment } from './check.mjs'

const db = new Kysely({
  dialect: new PostgresDialect({ pool: new pg.Pool({ ...known, max: 2 }), cursor: Cursor }),
})

await check(
  'lists schemas, tables and columns',
  async () => {
    const schemas = await db.introspection.getSchemas()
    const tables = await db.introspection.getTables()
    const orders = tables.find(({ name }) => name === 'orders')
    return [
      schemas.some(({ name }) => name === 'analytics'),
      tables.some(({ name, isView }) => name === 'events' && isView),
      orders?.columns.map(({ name, dataType, isNullable, comment }) => [name, dataType, isNullable, comment]),
    ]
  },
  [
    true,
    true,
    [
      ['id', 'int4', false, undefined],
      ['total', 'numeric', false, undefined],
      ['tags', '_text', true, undefined],
      ['note', 'text', true, 'What was said'],
    ],
  ],
)
await check(
  'asks with parameters, and by pages',
  async () => [
    await db
      .selectFrom('orders')
      .select(['id', 'note'])
      .where('total', '>', 0.1)
      .where('note', 'in', ['x', 'y'])
      .orderBy('id')
      .limit(1)
      .offset(1)
      .execute(),
    await db
      .selectFrom('sample')
      .select('event')
      .where('moment', '<', moment)
      .where('flag', '=', true)
      .execute(),
    await db
      .selectFrom('orders')
      .select((eb) => [eb.fn.countAll().as('n'), eb.fn.max('total').as('most')])
      .executeTakeFirst(),
    (await sql`SELECT ${[1, 3]}::int[] AS ids, ${{ a: 1 }}::jsonb AS details`.execute(db)).rows,
  ],
  [[{ id: 3, note: 'y' }], [{ event: 'x' }], { n: '3', most: '9.90' }, [{ ids: [1, 3], details: { a: 1 } }]],
)
await check(
  'reads some rows at a time',
  async () => {
    let seen = 0
    const rows = db
      .selectFrom(sql`generate_series(1, 1000)`.as('g'))
      .selectAll()
      .stream(100)
    for await (const row of rows) seen += row === undefined ? 0 : 1
    return seen
  },
  1000,
)
await check(
  'an error has a code, and the pool goes on',
  async () => [
    await codeOf(() => sql.raw(missing).execute(db)),
    (await sql`SELECT 1 AS one`.execute(db)).rows,
  ],
  ['42703', [{ one: 1 }]],
)
await db.destroy()
