import { beforeAll, expect, it } from 'vitest'
import { askRaw } from '../fixtures/askRaw.js'
import type { Body } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { seedShop } from '../fixtures/seedShop.js'
import { useService } from '../fixtures/useService.js'

const service = useService()
const dayMs = 86_400_000
const midnight = Math.floor(Date.now() / dayMs) * dayMs
const at = (ms: number) => new Date(ms).toISOString()
// The day may end while the tests run.
const time = { from: at(midnight - 10 * dayMs), until: at(midnight + 2 * dayMs) }

beforeAll(async () => {
  await seedShop(service)
  // A session across midnight, and somebody of whom only traits are known.
  const across = { distinct_id: 'night', session_id: 'night' }
  await service.ingest('/track?sync=true', [
    event('Map Viewed', {
      ...across,
      timestamp: midnight - 2 * dayMs - 60_000,
      properties: { theme: 'dark' },
    }),
    event('Order Placed', {
      ...across,
      timestamp: midnight - 2 * dayMs + 60_000,
      properties: { theme: 'light' },
    }),
  ])
  await service.ingest('/identify?sync=true', [
    {
      environment: 'production',
      distinct_id: 'silent',
      traits: { plan: 'pro' },
      timestamp: midnight - 3 * dayMs,
    },
  ])
})

const rowsOf = async (asked: Body): Promise<unknown[][]> => {
  const { status, body } = await askRaw(service.url, { path: '/answer', body: { ...time, ...asked } })
  expect([asked, status, status === 200 ? '' : body]).toEqual([asked, 200, ''])
  return body
    .split('\n')
    .filter(Boolean)
    .slice(2)
    .map((line) => JSON.parse(line) as unknown[])
}
/** How many people the list has, and says that there are. */
const listed = async (of: Body, more: Body) => {
  const rows = await rowsOf({ name: 'people', of, ...more, most: null })
  if (rows.length > 0) expect(Number(rows[0]?.[7])).toBe(rows.length)
  return rows.length
}

/** As many as a test has time for: the first, the last and some between. */
const some = <T>(all: readonly T[]): readonly T[] =>
  all.filter((_, place) => place === 0 || place === all.length - 1 || place === Math.floor(all.length / 2))

const is = (field: string, value: string, more: Body = {}) => ({
  field,
  operator: 'is',
  values: [value],
  ...more,
})
const segments: Body[][] = [
  [],
  [is('browser', 'Firefox')],
  [is('prop.theme', 'dark'), is('event', 'Order Placed')],
  [is('event', 'Order Placed'), is('utm_source', 'newsletter', { join: 'or' })],
  [{ field: 'event', operator: 'did', values: ['Map Viewed'] }, is('prop.theme', 'dark', { join: 'with' })],
  [is('trait.plan', 'free')],
]

it.each(segments)('a point of a chart over time has as many people as the list of it', async (...where) => {
  const series = (await rowsOf({ name: 'series', unit: 'day', where })).map(([, day, people]) => [
    day,
    people,
  ])
  for (const done of [null, 'Order Placed']) {
    const explored = await rowsOf({ name: 'explore', measure: 'people', interval: 'day', event: done, where })
    const points = [
      ...(done === null ? series.map(([day, people]) => [{ name: 'series' }, day, people] as const) : []),
      ...explored.map(([day, people]) => [{ name: 'explore', event: done }, day, people] as const),
    ]
    for (const [of, day, people] of some(points)) {
      const from = Date.parse(String(day))
      const part = { from: at(from), until: at(from + dayMs) }
      expect([of, day, await listed({ ...of, at: part }, { where })]).toEqual([of, day, Number(people)])
    }
  }
})

it.each(segments)(
  'a cohort and each of its periods has as many people as the list of it',
  async (...where) => {
    let seen = 0
    for (const unit of ['day', 'week'])
      for (const asked of [{}, { first_event: 'Map Viewed', return_event: '/maps/1', everybody: true }]) {
        const question = { unit, timezone: 'UTC', ...asked }
        for (const [cohort, size, period, people] of await rowsOf({
          name: 'retention',
          ...question,
          where,
        })) {
          seen++
          const of = { name: 'retention', ...question, cohort }
          expect([of, await listed(of, { where })]).toEqual([of, Number(size)])
          expect([of, period, await listed({ ...of, period }, { where })]).toEqual([
            of,
            period,
            Number(people),
          ])
        }
      }
    expect(seen).toBeGreaterThan(0)
  },
)

it.each(segments)(
  'a step of a funnel has as many people as the list of it, of each value',
  async (...where) => {
    const question = { steps: ['Map Viewed', 'Order Placed'], within_hours: 24 * 7 }
    for (const breakdown of [null, 'theme', 'nothing']) {
      const rows = await rowsOf({ name: 'funnel', ...question, breakdown, where })
      for (const [value, step, , people] of some(rows)) {
        const of = { name: 'funnel', ...question, breakdown, value, step: Number(step) }
        expect([of, await listed(of, { where })]).toEqual([of, Number(people)])
        const after = rows.find((row) => row[0] === value && Number(row[1]) === Number(step) + 1)
        const lost = Number(people) - Number(after?.[3] ?? 0)
        expect([of, 'lost', await listed({ ...of, dropped: true }, { where })]).toEqual([of, 'lost', lost])
      }
    }
  },
)

it.each(segments)('a page on the way has as many people as the list of it', async (...where) => {
  // As the segments of funnel and retention, people are picked: all of their views count.
  const picked = await rowsOf({ name: 'people', where, most: null })
  const who = new Set(picked.map(([id]) => id))
  const { rows } = await service.query(`SELECT session_id, person_id, path FROM events
    WHERE event = '$pageview' AND session_id IS NOT NULL AND bot IS NULL AND path IS NOT NULL
      AND "timestamp" >= '${time.from}' AND "timestamp" < '${time.until}' ORDER BY "timestamp", event_id`)
  const views = new Map<string, [string, string, string][]>()
  for (const row of rows as [string, string, string][]) views.set(row[0], [...(views.get(row[0]) ?? []), row])
  let seen = 0
  for (const start of [null, '/maps/1']) {
    const ways = [...views.values()].flatMap((all) => {
      const way = all.filter(([, id, path], nth) => who.has(id) && path !== all[nth - 1]?.[2])
      const first = start === null ? 0 : way.findIndex(([, , path]) => path === start)
      return first < 0 || way.length === 0 ? [] : [way.slice(first)]
    })
    for (const place of [0, 1, 2]) {
      const people = (of: readonly string[][]) => new Set(of.map(([, id]) => id)).size
      const there = ways.flatMap((way) => way.slice(place, place + 1))
      for (const path of some([...new Set(there.map((view) => view[2]))])) {
        const of = { name: 'flows', start, place, path }
        seen++
        expect([of, await listed(of, { where })]).toEqual([
          of,
          people(there.filter((view) => view[2] === path)),
        ])
      }
      const ended = ways.flatMap((way) => (way.length === place ? way.slice(-1) : []))
      const of = { name: 'flows', start, place, path: null }
      expect([of, await listed(of, { where })]).toEqual([of, people(ended)])
    }
  }
  expect(seen).toBeGreaterThan(0)
})

it.each<[string, Body]>([
  ['place', { name: 'flows', place: -1 }],
  ['of.name', { name: 'totals' }],
  ['cohort', { name: 'retention' }],
  ['cohort', { name: 'retention', cohort: 'no day' }],
  ['steps', { name: 'funnel', step: 1 }],
  ['at.from', { name: 'series', at: { from: 'x', until: 'y' } }],
  ['no parameter', { name: 'series', by: 'browser' }],
])('names %s where that is wrong', async (named, of) => {
  const { status, body } = await askRaw(service.url, { path: '/answer', body: { name: 'people', of } })
  expect([status, body]).toEqual([400, expect.stringContaining(named)])
})
