// @vitest-environment node
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askPaths, openName, readPaths, toPattern } from '../src/pages/paths/pathsSearch'
import { drawBand, toFlow } from '../src/pages/paths/toFlow'
import { readTimeRange } from '../src/address/timeRange'
import { createStore, did } from './fixtures/askStore'

const asking = {
  environment: 'production',
  bots: false,
  range: readTimeRange(new URLSearchParams('range=7d'), new Date()),
}
/** Six maps, two users and ten pages of one view each; the later a letter, the fewer views. */
const visits: string[][] = [
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((map) => ['/', `/maps/${map}`, '/basket']),
  ['/', '/user/1/orders'],
  ['/', '/user/2/orders'],
  ['/join_us'],
]
let store: Awaited<ReturnType<typeof createStore>>
beforeAll(async () => {
  store = await createStore(
    visits.flatMap((pages, visitor) =>
      pages.map((path, order) =>
        did(`visitor-${visitor}`, '$pageview', { order, $url: `https://shop.example${path}` }),
      ),
    ),
  )
})
afterAll(() => store.close())

const ask = (search: string, more: object = {}) =>
  store.ask(askPaths(asking, { ...readPaths(new URLSearchParams(search)), ...more }))

describe('the ways', () => {
  it('have a folder of many pages as one, with how many there are', async () => {
    expect(await ask('')).toEqual([
      [1, '/', 1, '/maps/*', 6, 6],
      [1, '/', 1, '/user/1/orders', 1, 1],
      [1, '/', 1, '/user/2/orders', 1, 1],
      [1, '/join_us', 1, null, null, 1],
      [2, '/maps/*', 6, '/basket', 1, 6],
      [2, '/user/1/orders', 1, null, null, 1],
      [2, '/user/2/orders', 1, null, null, 1],
      [3, '/basket', 1, null, null, 6],
    ])
  })

  it('have the pages of an opened folder apart, and those of a pattern as one', async () => {
    const names = (await ask('open=/maps/&fold=/user/*')).map(([, , , to]) => to)
    expect(names).toContain('/maps/f')
    expect(names).toContain('/user/*')
    expect(names).not.toContain('/maps/*')
    expect((await ask('fold=/user/*/orders&depth=1')).find(([, , , to]) => to === '/user/*/orders')).toEqual([
      1,
      '/',
      1,
      '/user/*/orders',
      2,
      2,
    ])
    // What is special in a pattern of SQL is a letter like any other.
    expect((await ask('fold=/user_1*&depth=1')).map(([, , , to]) => to)).not.toContain('/user_1*')
    expect((await ask('fold=/join_*&depth=1')).map(([, from]) => from)).toContain('/join_*')
  })

  it('never fold the page from which they begin', async () => {
    expect(await ask('start=/maps/a&fold=/maps/*')).toEqual([
      [1, '/maps/a', 1, '/basket', 1, 1],
      [2, '/basket', 1, null, null, 1],
    ])
  })

  it('have all but the most frequent pages of a place as others', async () => {
    expect(await ask('open=/maps/&depth=1', { most: 2 })).toEqual([
      [1, '/', 1, '', 6, 6],
      [1, '/', 1, '/maps/a', 1, 1],
      [1, '/', 1, '/maps/b', 1, 1],
      [1, '/join_us', 1, null, null, 1],
    ])
  })
})

describe('the flow', () => {
  it('counts each session once at every place, where it is or where it ended', async () => {
    const { columns, bands, sessions } = toFlow(await ask(''))
    expect(sessions).toBe(visits.length)
    const names = columns.map((nodes) => nodes.map(({ name, sessions: count }) => [name, count]))
    expect(names).toEqual([
      [
        ['/', 8],
        ['/join_us', 1],
      ],
      [
        ['/maps/*', 6],
        ['/user/1/orders', 1],
        ['/user/2/orders', 1],
        [null, 1],
      ],
      [
        ['/basket', 6],
        [null, 2],
      ],
      [[null, 6]],
    ])
    for (const node of columns.flat()) {
      const out = bands.filter(({ from }) => from === node)
      const sum = out.reduce((total, band) => total + band.sessions, 0)
      if (node.name !== null) expect(sum).toBe(node.sessions)
    }
  })

  it('lays nothing over another thing', async () => {
    const { columns, bands, height } = toFlow(await ask('open=/maps/'))
    for (const nodes of columns)
      for (const [at, node] of nodes.entries()) {
        expect(node.top).toBeGreaterThanOrEqual((nodes[at - 1]?.top ?? 0) + (nodes[at - 1]?.height ?? 0))
        expect(node.top + node.height).toBeLessThanOrEqual(height)
        const ins = bands.filter(({ to }) => to === node).toSorted((a, b) => a.toTop - b.toTop)
        for (const [place, { toTop, thickness }] of ins.entries()) {
          expect(toTop + thickness).toBeLessThanOrEqual(node.top + node.bar + 0.001)
          if (ins[place + 1])
            expect(toTop + thickness).toBeLessThanOrEqual((ins[place + 1]?.toTop ?? 0) + 0.001)
        }
      }
    const [band] = bands
    if (band)
      expect(drawBand({ ...band, fromTop: 0, toTop: 10, thickness: 5 }, 8, 108)).toBe(
        'M8,0C58,0 58,10 108,10V15C58,15 58,5 8,5Z',
      )
  })
})

describe('the address', () => {
  it.each([
    ['maps', '/maps/*'],
    ['/user/', '/user/*'],
    ['/user/*/orders', '/user/*/orders'],
    ['/', undefined],
    ['*', undefined],
  ])('takes %s for the pattern %s', (text, pattern) => expect(toPattern(text)).toBe(pattern))

  it('opens a folder, or takes back a pattern', () => {
    const question = readPaths(new URLSearchParams('fold=/a/*&open=/b/'))
    expect(openName(question, '/c/*')).toEqual({ open: ['/b/', '/c/'] })
    expect(openName(question, '/a/*')).toEqual({ fold: [] })
  })
})
