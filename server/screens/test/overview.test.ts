// @vitest-environment node
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groups } from '../src/pages/overview/dimensions'
import { askOf, beforeOf, type Asking } from '../src/data/asks'
import { readTimeRange } from '../src/address/timeRange'
import { createStore, did } from './fixtures/askStore'

const view = (person: string, path: string, daysAgo: number, more: object = {}) =>
  did(person, '$pageview', { daysAgo, $url: `https://shop.example${path}`, ...more })

let store: Awaited<ReturnType<typeof createStore>>
beforeAll(async () => {
  store = await createStore([
    view('ada', '/', 1, { $release: '1.1' }),
    view('bob', '/', 2, { $release: '1.0' }),
    view('eve', '/maps', 2, { $release: '1.1' }),
    view('ada', '/', 8, { $release: '1.0' }),
    view('bob', '/old', 9),
  ])
})
afterAll(() => store.close())

const asked = (search: string) => ({
  environment: 'production',
  bots: false,
  range: readTimeRange(new URLSearchParams(search), new Date()),
  filters: [],
})
const ranking = (asking: Asking, by: string | undefined, most: number, goal?: string) =>
  askOf('ranking', asking, { ...beforeOf(asking), by, most, goal })
const totals = (asking: Asking, name = 'totals', more: object = {}) =>
  askOf(name, asking, { ...beforeOf(asking), ...more })
const [pages, sources] = groups.map(({ dimensions }) => dimensions[0]!)

describe('the overview’s answers', () => {
  it('tell each row’s count of the time that is compared with', async () => {
    expect(await store.ask(ranking(asked('range=7d'), pages?.name, 10))).toEqual([
      ['/', 2, 2, 1],
      ['/maps', 1, 1, 0],
    ])
    expect(await store.ask(ranking(asked('range=7d'), sources?.name, 10))).toEqual([['direct', 3, 3, 1, 2]])
    expect(await store.ask(ranking(asked('range=7d&vs=none'), pages?.name, 1))).toEqual([['/', 2, 2]])
  })

  it('count each row as they do without a goal, and say how many sessions reached it', async () => {
    await store.saveGoal('Maps', { event: '/maps' })
    for (const dimension of groups.flatMap(({ dimensions }) => dimensions)) {
      const ask = (goal?: string) => store.ask(ranking(asked('range=7d'), dimension.name, 10, goal))
      const rows = await ask('Maps')
      expect(rows.map((row) => row.toSpliced(-2, 1))).toEqual(await ask())
    }
    const rows = await store.ask(ranking(asked('range=7d'), pages?.name, 10, 'Maps'))
    expect(rows.map((row) => row.at(-2))).toEqual([0, 1])
    expect(await store.ask(totals(asked('range=7d'), 'goal_totals', { goal: 'Maps' }))).toEqual([
      ['now', 1, 1, 3, 3],
      ['before', 0, 0, 2, 2],
    ])
  })

  it('compare the totals, or leave that out', async () => {
    const read = async (search: string) =>
      (await store.ask(totals(asked(search))))
        .map((row) => row.slice(0, 4))
        .toSorted(([a], [b]) => String(a).localeCompare(String(b)))
    expect(await read('range=7d')).toEqual([
      ['before', 2, 2, 2],
      ['now', 3, 3, 3],
    ])
    expect(await read('range=all')).toEqual([['now', 3, 5, 5]])
  })

  it('count by week and month', async () => {
    for (const each of ['week', 'month']) {
      const rows = await store.ask(totals(asked(`range=90d&vs=none&each=${each}`), 'series', { unit: each }))
      expect(rows.reduce((sum, row) => sum + Number(row[5]), 0)).toBe(5)
      expect(rows.length).toBeLessThan(5)
    }
  })
})

it('a release is marked where it was seen for the first time ever', async () => {
  const names = async (search: string) =>
    (await store.ask(askOf('releases', asked(search)))).map(([release]) => release)
  expect(await names('range=7d')).toEqual(['1.1'])
  expect(await names('range=30d')).toEqual(['1.1', '1.0'])
})
