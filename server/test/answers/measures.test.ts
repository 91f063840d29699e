import { beforeAll, describe, expect, it } from 'vitest'
import { askRaw } from '../fixtures/askRaw.js'
import type { Body } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const at = (day: string) => Date.parse(`${day}T12:00:00Z`)
const order = (person: string, day: string, properties: Body) => ({
  environment: 'production',
  event: 'Ordered',
  distinct_id: person,
  session_id: `${person} ${day}`,
  timestamp: at(day),
  properties,
})
const visit = (person: string, day: string, properties: Body = {}) => ({
  ...order(person, day, properties),
  event: '$pageview',
})

beforeAll(async () => {
  await service.ingest('/track?sync=true', [
    order('ann', '2026-10-05', { total: 30, currency: 'EUR', product: 'map' }),
    order('ann', '2026-10-06', { total: 10, currency: 'eur ', product: 'globe' }),
    order('ben', '2026-10-06', { total: 50, currency: 'USD', product: 'map' }),
    order('ben', '2026-10-06', { total: 7, product: 'pin' }),
    visit('ann', '2026-10-05', { product: 'map' }),
    visit('ben', '2026-10-06', { product: 'map' }),
    visit('cid', '2026-10-06', { product: 'globe' }),
    // A year before, on the same weekday.
    order('ann', '2025-10-07', { total: 8, currency: 'EUR', product: 'map' }),
  ])
})

const time = { from: '2026-10-05', until: '2026-10-12' }
const post = async (asked: Body) => {
  const body = { name: 'explore', ...time, columns: 'labels', ...asked }
  const { status, body: text } = await askRaw(service.url, {
    method: 'POST',
    path: '/answer',
    headers: {},
    body,
  })
  return {
    status,
    lines: text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown),
  }
}
const rowsOf = async (asked: Body) => {
  const { status, lines } = await post(asked)
  expect([asked, status, lines[0]]).toEqual([asked, 200, expect.anything()])
  return lines.slice(1)
}
const total = { measure: 'sum', property: 'total', event: 'Ordered' }
const before = { from: '2025-10-06', until: '2025-10-13' }

describe('explore', () => {
  it('never adds amounts in several currencies: each has a row', async () => {
    const asked = { ...total, currency_property: 'currency' }
    const [, columns, ...rows] = (await post(asked)).lines
    expect(columns).toEqual(['value', 'figure', 'rows'])
    expect(rows).toEqual([
      ['USD', 50, 1],
      ['EUR', 40, 2],
      [null, 7, 1],
    ])
    expect((await post({ ...asked, by: 'prop.product' })).lines.slice(1)).toEqual([
      ['value', 'figure', 'rows', 'currency'],
      ['map', 30, 1, 'EUR'],
      ['globe', 10, 1, 'EUR'],
      ['map', 50, 1, 'USD'],
      ['pin', 7, 1, null],
    ])
    expect((await post({ ...asked, currency: 'EUR' })).lines.slice(2)).toEqual([[40]])
  })

  it('tells what one event is for each of another, also where there is none of the first', async () => {
    const asked = { event: 'Ordered', per: 'people', per_event: '$pageview' }
    expect((await post(asked)).lines.slice(2)).toEqual([[4 / 3]])
    expect((await post({ ...asked, by: 'prop.product', highest_first: true })).lines.slice(2)).toEqual([
      ['map', 1, 2],
      ['globe', 1, 1],
      ['pin', null, 1],
    ])
    const revenue = { ...total, per: 'people', currency: 'EUR', currency_property: 'currency' }
    expect((await post(revenue)).lines.slice(2)).toEqual([[40 / 3]])
  })

  it('tells the highest values, and all others as one', async () => {
    const asked = { ...total, by: 'prop.product', highest_first: true, rest: true }
    expect((await post({ ...asked, most: 1 })).lines.slice(1)).toEqual([
      ['value', 'figure', 'rows', 'values'],
      ['map', 80, 2, 1],
      [null, 17, 2, 2],
    ])
    // A single other value is told by its name.
    expect((await post({ ...asked, most: 2 })).lines.at(-1)).toEqual(['pin', 7, 1, 1])
  })

  it('compares with another time', async () => {
    expect((await post({ ...total, before })).lines.slice(1)).toEqual([
      ['figure', 'before'],
      [97, 8],
    ])
    expect((await post({ ...total, before, by: 'prop.product' })).lines.slice(1)).toEqual([
      ['value', 'figure', 'rows', 'before'],
      ['map', 80, 2, 8],
      ['globe', 10, 1, null],
      ['pin', 7, 1, null],
    ])
    expect((await post({ ...total, before, interval: 'weekday' })).lines.slice(1)).toEqual([
      ['time', 'figure', 'period'],
      [1, 30, 'now'],
      [2, 67, 'now'],
      [2, 8, 'before'],
    ])
  })

  it('counts days where they begin', async () => {
    const asked = { measure: 'dau', event: 'Ordered', interval: 'day', timezone: 'Pacific/Kiritimati' }
    expect(
      (await rowsOf({ ...asked, from: '2026-10-06T00:00:00+14:00', until: '2026-10-07T00:00:00+14:00' })).at(
        -1,
      ),
    ).toEqual([expect.stringContaining('2026-10-06'), 1])
  })

  it.each<[string, Body]>([
    ['property must be given', { measure: 'p90' }],
    ['currency_property', { currency_property: 'currency' }],
    [
      'amounts in several currencies are never added',
      { ...total, per: 'people', currency_property: 'currency' },
    ],
    ['currency must match', { ...total, currency: 'euro' }],
    ['per must not be given for bounce_rate', { measure: 'bounce_rate', per: 'people' }],
    ['per must not be given for dau', { measure: 'dau', per: 'people' }],
    ['per_event must not be given', { per_event: 'Ordered' }],
    ['interval must be day', { measure: 'mau', interval: 'week' }],
    ['rest must not be given', { measure: 'dau_mau', by: 'browser', rest: true }],
    ['before must not be given', { by: 'browser', interval: 'day', before }],
  ])('names %s when that is wrong', async (named, asked) => {
    const { status, lines } = await post(asked)
    expect([status, (lines[0] as Body)['message']]).toEqual([400, expect.stringContaining(named)])
  })
})
