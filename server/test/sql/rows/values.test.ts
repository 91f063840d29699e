import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, createService, type Service } from '../../fixtures/createService.js'

/** A cast to VARIANT is refused, and no catalog holds one: it comes from a temporary table. */
const session = { session_id: 'variants' }

let service: Service
beforeAll(async () => {
  service = await createService()
  await service.query('CREATE TEMP TABLE variants (name VARCHAR, v VARIANT)', session)
  for (const [name, value] of Object.entries({
    struct: "{'a': 1, 'b': [true, NULL], 'c': 'x'}",
    text: "'x'",
    number: '5',
    nan: "'nan'::DOUBLE",
    list: "{'a': [1, NULL]}",
    nothing: 'NULL',
  })) {
    expect(await service.query(`INSERT INTO variants SELECT '${name}', ${value}`, session)).toMatchObject({
      status: 200,
    })
  }
})
afterAll(() => service.close())

const variant = (name: string) => `(SELECT v FROM variants WHERE name = '${name}')`

describe('values', () => {
  it.each([
    ['NULL', null],
    ['true', true],
    ['1.5::DOUBLE', 1.5],
    ['1.10::DECIMAL(10,2)', 1.1],
    ["'a\"b\n😀'", 'a"b\n😀'],
    ["'nan'::DOUBLE", null],
    ["'-inf'::FLOAT", null],
    ["['nan'::DOUBLE, 1.5]", [null, 1.5]],
    ["{'x': 'inf'::DOUBLE, 'y': 'NaN'}", { x: null, y: 'NaN' }],
    ['[1, NULL]', [1, null]],
    ["MAP {'k': 2}", { k: 2 }],
    [`'{"a":[1,2.50]}'::JSON`, { a: [1, 2.5] }],
    [variant('struct'), { a: 1, b: [true, null], c: 'x' }],
    [variant('text'), 'x'],
    [variant('number'), 5],
    [`{'v': ${variant('nan')}, 'w': [${variant('number')}, ${variant('text')}]}`, { v: null, w: [5, 'x'] }],
    [`row(1, ${variant('struct')})`, [1, { a: 1, b: [true, null], c: 'x' }]],
    [variant('nothing'), null],
    ['union_value(n := [1, 2])', { n: [1, 2] }],
    ["DATE '2026-01-02'", '2026-01-02'],
    ["TIMESTAMP '2026-01-02 03:04:05.678'", '2026-01-02 03:04:05.678'],
    ["TIMESTAMPTZ '2026-01-02 03:04:05+00'", '2026-01-02T03:04:05+00:00'],
    ['INTERVAL 3 DAY', '3 days'],
    ["'ab'::BLOB", 'ab'],
    ["'6b29fc40-ca47-1067-b31d-00dd010662da'::UUID", '6b29fc40-ca47-1067-b31d-00dd010662da'],
  ])('writes %s', async (sql, value) => {
    expect((await service.query(`SELECT ${sql} AS v`, session)).rows).toEqual([[value]])
  })

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['170141183460469231731687303715884105727', '170141183460469231731687303715884105727'],
    ['[9007199254740993]', ['9007199254740993']],
    [`'{"n":9007199254740993}'::JSON`, { n: '9007199254740993' }],
    ["'9007199254740993'", '9007199254740993'],
    ['0.1::DOUBLE + 0.2::DOUBLE', 0.1 + 0.2],
    ['1234567890123456789.25::DECIMAL(38,2)', '1234567890123456789.25'],
    ['12345678901.1234567890::DECIMAL(38,10)', '12345678901.1234567890'],
    ['{"x": 1.5::DOUBLE, "y": 9007199254740993}', { x: 1.5, y: '9007199254740993' }],
    ['1/7', 1 / 7],
  ])('never lets JavaScript read %s wrongly', async (sql, value) => {
    expect((await service.query(`SELECT ${sql} AS v`)).rows).toEqual([[value]])
  })

  it.each([
    ['1e20::DOUBLE', 1e20],
    ['123456789012345680::DOUBLE', 123456789012345680],
    ['100.0::DECIMAL(38,10)', 100],
    ['1234567890123456789.25::DECIMAL(38,2)', '1234567890123456789.25'],
    [
      `'{"n":12345678901234567890,"d":0.1234567890123456}'::JSON`,
      { n: '12345678901234567890', d: 0.1234567890123456 },
    ],
  ])('writes %s the same whatever stands beside it', async (sql, value) => {
    for (const beside of ['NULL', '5::BIGINT', `'nan'::DOUBLE`, '1.5::DECIMAL(38,20)', '9007199254740993']) {
      expect((await service.query(`SELECT ${sql} AS v, ${beside}`)).rows[0]?.[0]).toEqual(value)
    }
  })

  it.each([
    ["{'a': 1, 'b': 'x,\"y\"'}", { a: 1, b: 'x,"y"' }],
    ["[1.5::DOUBLE, 'nan'::DOUBLE, '-inf'::DOUBLE]", [1.5, null, null]],
    ["{'a': 'NaN, \"Infinity\"', 'b': 'inf'::FLOAT}", { a: 'NaN, "Infinity"', b: null }],
    ["MAP {'k': {'v': DATE '2026-01-02'}}", { k: { v: '2026-01-02' } }],
    [variant('list'), { a: [1, null] }],
    ["[row(1, 'x')]", [[1, 'x']]],
    [`'{"a": [1.50]}'::JSON`, { a: [1.5] }],
    ["union_value(s := 'x')", { s: 'x' }],
  ])('writes %s in csv as JSON', async (sql, value) => {
    const { bytes } = await service.download(`SELECT ${sql} AS v, 5 AS n`, { ...session, format: 'csv' })
    const [, cell = ''] = /^v,n\n(.*),5\n$/.exec(bytes.toString()) ?? []
    const text = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
    expect(JSON.parse(text)).toEqual(value)
  })

  it('writes a nested NULL in csv as nothing', async () => {
    const { bytes } = await service.download(`SELECT NULL::INT[] AS l, ${variant('nothing')} AS v, 1 AS n`, {
      ...session,
      format: 'csv',
    })
    expect(bytes.toString()).toBe('l,v,n\n,,1\n')
  })

  it('keeps one type in a column of jsonl, so that a file of it can be brought in again', async () => {
    const statement = `SELECT * FROM (VALUES
      (1::BIGINT, 1::HUGEINT, 1.5::DECIMAL(38,2), [1::BIGINT], 1.5::DOUBLE),
      (9007199254740993, 170141183460469231731687303715884105727, 1234567890123456789.25, [9007199254740993], 'nan')
    ) t(b, h, d, l, f)`
    const { bytes } = await service.download(statement, { format: 'jsonl' })
    expect(bytes.toString()).toBe(
      '{"b":1,"h":1,"d":1.50,"l":[1],"f":1.5}\n' +
        '{"b":9007199254740993,"h":170141183460469231731687303715884105727,"d":1234567890123456789.25,"l":[9007199254740993],"f":null}\n',
    )
    const place = 'catalog=lakehouse&schema=main&table=again&mode=overwrite&format=json'
    const headers = { authorization: basic }
    const small = await service.download('SELECT b FROM (VALUES (1::BIGINT), (9007199254740993)) t(b)', {
      format: 'jsonl',
    })
    expect((await service.send('POST', `/upload?${place}`, small.bytes, headers)).status).toBe(200)
    expect((await service.query('SELECT typeof(b), b::VARCHAR FROM again ORDER BY b')).rows).toEqual([
      ['BIGINT', '1'],
      ['BIGINT', '9007199254740993'],
    ])
  })

  it.each([
    ['row(1, 2)', [1, 2]],
    ["[row(1, row(2, 'x')), NULL]", [[1, [2, 'x']], null]],
  ])('writes %s, whose fields have no names, as an array', async (sql, value) => {
    expect((await service.query(`SELECT ${sql} AS v`)).rows).toEqual([[value]])
    const { bytes } = await service.download(`SELECT ${sql} AS v`, { format: 'jsonl' })
    expect(JSON.parse(bytes.toString())).toEqual({ v: value })
  })

  it.each(['default', 'jsonl', 'csv'])(
    'writes what a change gives back as a SELECT would, in %s',
    async (format) => {
      await service.query(`CREATE OR REPLACE TABLE gives (a INT)`)
      const values = `TIMESTAMPTZ '2026-01-02 03:04:05+00' AS z, 'infinity'::DATE AS d, union_value(n := 2) AS u,
        [1, 2] AS l, {'a': 'x,"y"'} AS s, 'nan'::DOUBLE AS n, '{"a": [1.50]}'::JSON AS j, 1e20::DOUBLE AS e,
        '' AS t, NULL::INT AS o, MAP {'k': [2]} AS m, 'x'::ENUM('x', 'y') AS en, 9007199254740993 AS b, 1 AS d`
      const rowsOf = async (statement: string) => {
        const { bytes } = await service.download(statement, { format, timezone: 'Asia/Tokyo' })
        return bytes
          .toString()
          .split('\n')
          .slice(format === 'default' ? 2 : 0)
      }
      const selected = await rowsOf(`SELECT ${values}`)
      expect(selected.join('')).toContain('2026-01-02T12:04:05+09:00')
      expect(await rowsOf(`INSERT INTO gives VALUES (1) RETURNING ${values}`)).toEqual(selected)
      expect(await rowsOf(`SELECT ${values} FROM (PIVOT (SELECT 'k' AS k) ON k USING count(*))`)).toEqual(
        selected,
      )
    },
  )

  it('names the types, JSON by its own name', async () => {
    const { columns } = await service.query(
      `SELECT 1::BIGINT AS a, '{}'::JSON AS b, [1] AS c, 1.5::DECIMAL(5,1) AS d, now() AS e`,
    )
    expect(columns.map(({ type }) => type)).toEqual([
      'BIGINT',
      'JSON',
      'INTEGER[]',
      'DECIMAL(5,1)',
      'TIMESTAMP WITH TIME ZONE',
    ])
  })
})
