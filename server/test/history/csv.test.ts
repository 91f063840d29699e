import { expect, it } from 'vitest'
import { useService } from '../fixtures/useService.js'
import { bring, tryOut } from './bring.js'

const service = useService()
const rows = async (statement: string) => (await service.query(statement)).rows

const file = `Created,What,Customer,page,plan
2024-06-01 10:00:00,Ordered,c-1,/shop,pro
2024-06-01 10:00:00,Ordered,c-1,/shop,pro
1717236000000,Ordered,c-2,https://other.example/x,
1717236000,Ordered,c-3,,
1717236000000000,Ordered,c-4,,
tomorrow,Ordered,c-5,,
,Ordered,c-6,,
12024-06-01T10:00:00Z,Ordered,c-7,,
2024-06-01T10:00:00Z,,c-8,,
2024-06-01T10:00:00Z,${'x'.repeat(401)},c-9,,
`
const map = { time: 'Created', event: 'What', distinct_id: 'Customer', site: 'shop.example' }

it('is read by the columns that are named, and keeps rows that are equal', async () => {
  const { imported, done, report } = await bring(service, 'csv', file, map)
  expect({ done, map: report.map }).toEqual({
    done: 3,
    map: { time: 'Created', event: 'What', distinct_id: 'Customer', url: 'page' },
  })
  expect(
    await rows(`SELECT person_id, url, properties->>'plan', "timestamp"::VARCHAR FROM analytics.events
      WHERE imported = '${imported}' ORDER BY ALL`),
  ).toEqual([
    ['c-1', 'https://shop.example/shop', 'pro', '2024-06-01 10:00:00+00'],
    ['c-1', 'https://shop.example/shop', 'pro', '2024-06-01 10:00:00+00'],
    ['c-2', 'https://other.example/x', null, '2024-06-01 10:00:00+00'],
  ])
})

it('names each reason for which rows are refused', async () => {
  const { report } = await tryOut(service, 'csv', file, map)
  expect(Object.fromEntries(report.refused.map(({ reason, rows: count }) => [reason, count]))).toEqual({
    'a time in seconds, where milliseconds are read': 1,
    'a time in microseconds, or beyond the year 9999': 1,
    'a time that cannot be read': 1,
    'a time beyond the year 9999': 1,
    'no time': 1,
    'no name of an event': 1,
    'a name of more than 400 characters': 1,
  })
  expect(report.first_rows[0]).toEqual(['2024-06-01 10:00:00', 'Ordered', 'c-1', '/shop', 'pro'])
})

it('is read again with other columns', async () => {
  const first = await tryOut(service, 'csv', file)
  expect(first).toMatchObject({ state: 'failed', message: expect.stringContaining('say which one it is') })
})

it.each([
  [{ time: 'When' }, 'There is no column When for time; there are Created, What, Customer, page, plan.'],
  [{ event: '-', url: '-', time: 'Created' }, 'as the name of an event'],
])('says that %j fits no column', async (said, message) => {
  const { state, message: told } = await tryOut(service, 'csv', file, said)
  expect({ state, told }).toEqual({ state: 'failed', told: expect.stringContaining(message) })
})
