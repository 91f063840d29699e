import { expect, it } from 'vitest'
import { basic } from '../../fixtures/createService.js'
import { useService } from '../../fixtures/useService.js'

const service = useService()

const exportOf = (statement: string) => service.download(statement, { format: 'parquet' })

/** Brings the file in as a table of its own, and tells what came. */
const bringIn = async (statement: string) => {
  const { bytes } = await exportOf(statement)
  const place = 'catalog=lakehouse&schema=main&table=came&mode=overwrite&format=parquet'
  await service.send('POST', `/upload?${place}`, bytes, { authorization: basic })
  const { rows } = await service.query('DESCRIBE came')
  return { types: rows.map(([, type]) => type), rows: (await service.query('FROM came')).rows }
}

it('a sum, which is an integer of 128 bits, keeps every digit', async () => {
  const { types, rows } =
    await bringIn(`SELECT sum(i) AS s, 99999999999999999999999999999999999999::HUGEINT AS h,
    7::UHUGEINT AS u FROM (VALUES (9007199254740993::BIGINT), (9007199254740993)) t(i)`)
  expect(types).toEqual(['DECIMAL(38,0)', 'DECIMAL(38,0)', 'DECIMAL(38,0)'])
  expect(rows).toEqual([['18014398509481986', '99999999999999999999999999999999999999', 7]])
})

it('so does one inside lists, structs and maps, and what stands beside it stays', async () => {
  const { types, rows } = await bringIn(`SELECT [9007199254740993::HUGEINT] AS l,
    {'HUGEINT': 1::HUGEINT, 'a"b': 'x', 'j': '{"k":1}'::JSON} AS s, MAP {'k': 2::HUGEINT} AS m, 5 AS n`)
  expect(types).toEqual([
    'DECIMAL(38,0)[]',
    'STRUCT(HUGEINT DECIMAL(38,0), "a""b" VARCHAR, j JSON)',
    'MAP(VARCHAR, DECIMAL(38,0))',
    'INTEGER',
  ])
  expect(rows).toEqual([[['9007199254740993'], { HUGEINT: 1, 'a"b': 'x', j: { k: 1 } }, { k: 2 }, 5]])
})

it('one beyond 38 digits is refused by its value', async () => {
  const { type, bytes } = await exportOf('SELECT 170141183460469231731687303715884105727::HUGEINT AS h')
  expect(type).toBe('application/json')
  expect(bytes.toString()).toContain('170141183460469231731687303715884105727')
})
