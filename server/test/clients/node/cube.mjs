// Cube's driver, by the calls that its schema generator, its queries and its pre-aggregations make.
import driver from '@cubejs-backend/postgres-driver'
import { check, codeOf, known, missing } from './check.mjs'

const { PostgresDriver } = driver
const db = new PostgresDriver({ ...known, max: 2 })

await check('connects', () => db.testConnection(), undefined)
await check(
  'lists schemas, tables and their columns',
  async () => {
    const schemas = await db.getSchemas()
    const tables = await db.getTablesForSpecificSchemas([{ schema_name: 'main' }])
    const all = await db.tablesSchema()
    return [
      schemas.some((each) => each.schema_name === 'analytics'),
      tables.some((each) => each.table_name === 'orders'),
      all.main.orders.map(({ name, type }) => [name, type]),
      (await db.tableColumnTypes('main.orders')).map(({ name, type }) => [name, type]),
    ]
  },
  [
    true,
    true,
    [
      ['id', 'integer'],
      ['note', 'text'],
      ['tags', 'ARRAY'],
      ['total', 'numeric'],
    ],
    [
      ['id', 'int'],
      ['total', 'decimal'],
      ['tags', 'ARRAY'],
      ['note', 'text'],
    ],
  ],
)
await check(
  'asks with parameters',
  async () => [
    await db.query('SELECT id, total FROM orders WHERE id = $1 AND note = ANY($2)', [1, ['x']]),
    (
      await db.query(
        `SELECT date_trunc('day', moment::timestamptz AT TIME ZONE 'UTC') AS day FROM sample WHERE moment >= $1::timestamptz`,
        ['2024-01-01T00:00:00.000'],
      )
    ).map(({ day }) => day),
  ],
  [[{ id: 1, total: '9.90' }], ['2024-03-01T00:00:00.000']],
)
await check(
  'reads a stream with the types of its columns',
  async () => {
    const { rowStream, types, release } = await db.stream(
      'SELECT n::int AS n, 1.5 AS half FROM generate_series(1, 1000) AS g(n)',
      [],
      { highWaterMark: 100 },
    )
    let seen = 0
    for await (const row of rowStream) seen += row.n > 0
    await release()
    return [seen, types.map(({ type }) => type)]
  },
  [1000, ['int', 'decimal']],
)
await check(
  'an error has a code, and the pool goes on',
  async () => [await codeOf(() => db.query(missing, [])), await db.query('SELECT 1 AS one', [])],
  ['42703', [{ one: 1 }]],
)
await db.release()
