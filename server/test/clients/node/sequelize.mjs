import { DataTypes, Op, QueryTypes, Sequelize } from 'sequelize'
import { byName, check, codeOf, missing, moment, url } from './check.mjs'

const db = new Sequelize(url, { logging: false, timezone: '+02:00', schema: 'main' })
const Order = db.define(
  'orders',
  {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    total: DataTypes.DECIMAL(10, 2),
    tags: DataTypes.ARRAY(DataTypes.TEXT),
    note: DataTypes.TEXT,
  },
  { timestamps: false },
)
const Sample = db.define(
  'sample',
  {
    big: { type: DataTypes.BIGINT, primaryKey: true },
    moment: DataTypes.DATE,
    flag: DataTypes.BOOLEAN,
    details: DataTypes.JSON,
  },
  { timestamps: false, freezeTableName: true },
)

await check('connects, with a zone of its own', () => db.authenticate(), undefined)
await check(
  'lists tables, and describes one',
  async () => {
    const about = db.getQueryInterface()
    const tables = await about.showAllTables()
    const columns = await about.describeTable('orders', 'main')
    return [
      tables.includes('orders'),
      Object.entries(columns)
        .map(([name, { type, allowNull, primaryKey, comment }]) => [
          name,
          type,
          allowNull,
          primaryKey,
          comment,
        ])
        .sort(byName),
    ]
  },
  [
    true,
    [
      ['id', 'INTEGER', false, true, null],
      ['note', 'TEXT', true, false, null],
      ['tags', 'ARRAY', true, false, null],
      ['total', 'NUMERIC', false, false, null],
    ],
  ],
)
await check(
  'asks with parameters, and by pages',
  async () => [
    (
      await Order.findAll({
        where: { total: { [Op.gt]: 0.1 }, note: { [Op.or]: [null, 'x', 'y'] } },
        order: [['id', 'DESC']],
        limit: 1,
        offset: 2,
        raw: true,
      })
    )[0],
    (await Order.findAndCountAll({ where: { tags: { [Op.contains]: ['b c'] } } })).count,
    (await Sample.findOne({ where: { flag: true } })).moment,
    (
      await db.query('SELECT event FROM sample WHERE moment < $1', {
        bind: [moment],
        type: QueryTypes.SELECT,
      })
    )[0].event,
    await Order.max('total'),
    await db.query('SELECT $1::int + $2::int AS three', { bind: [1, 2], type: QueryTypes.SELECT }),
    await db.query('SELECT id FROM orders WHERE id IN (:ids) ORDER BY id', {
      replacements: { ids: [1, 3] },
      type: QueryTypes.SELECT,
    }),
  ],
  [
    { id: 1, total: '9.90', tags: ['a', 'b c'], note: 'x' },
    1,
    new Date('2024-03-01T12:00:00Z'),
    'x',
    9.9,
    [{ three: 3 }],
    [{ id: 1 }, { id: 3 }],
  ],
)
await check('reads in a transaction', () => db.transaction((transaction) => Order.count({ transaction })), 3)
await check(
  'an error has a code, and the pool goes on',
  async () => [
    await codeOf(
      () => db.query(missing),
      (error) => error.original.code,
    ),
    (await db.query('SELECT 1 AS one'))[0],
  ],
  ['42703', [{ one: 1 }]],
)
await db.close()
