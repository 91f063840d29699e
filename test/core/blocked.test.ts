import { describe, expect, it, vi } from 'vitest'
import { createWorld } from '../world/createWorld'

const minuteMs = 60_000

/** A visitor whose browser lets no request out, until `isBlocked` is taken back. */
const visit = () => {
  const world = createWorld()
  const visitor = {
    ...world,
    isBlocked: true,
    requests: 0,
    /** Random numbers of the pages: 0 is the unluckiest. */
    luck: 0.5,
    open() {
      const tab = world.openTab('https://shop.test/', {
        random: () => visitor.luck,
        async fetch(to, init) {
          visitor.requests++
          if (visitor.isBlocked) throw new TypeError('Failed to fetch')
          return world.service.fetch(to, init, tab)
        },
      })
      return Object.assign(tab, { waymark: tab.init({ endpoint: '/w' }) })
    },
    /** An event every ten seconds. */
    async use({ waymark }: { waymark: { track(name: string): unknown } }, minutes: number) {
      for (let tens = 0; tens < minutes * 6; tens++) {
        waymark.track('Tick')
        await world.advance(10_000)
      }
    },
  }
  return visitor
}

describe('a visitor whose requests are blocked', () => {
  it.each([0, 0.5, 0.999])('costs six requests a session at most, with luck %d', async (luck) => {
    const visitor = visit()
    visitor.luck = luck
    const tab = visitor.open()
    await visitor.use(tab, 50)
    expect(visitor.requests).toBeGreaterThan(4)
    expect(visitor.requests).toBeLessThanOrEqual(6)
    expect(tab.waymark.stats()).toMatchObject({ state: 'waiting', sent: 0, handedOff: 0, dropped: {} })
    expect(tab.warnings).toEqual([])
  })

  it('sets no timer for an event while it leaves the service alone', async () => {
    const visitor = visit()
    const tab = visitor.open()
    await visitor.use(tab, 2)
    const timers = vi.spyOn(tab.browser, 'after')
    for (let n = 0; n < 30; n++) tab.waymark.track('Burst')
    await visitor.settle()
    expect(timers).not.toHaveBeenCalled()
  })

  it('costs no more of them on many pages, in several tabs, by switches of tabs or bursts', async () => {
    const visitor = visit()
    for (let page = 0; page < 12; page++) {
      const [one, two] = [visitor.open(), visitor.open()]
      await visitor.use(one, 0.5)
      one.fire('hidden')
      for (let n = 0; n < 30; n++) one.waymark.track('Burst')
      await visitor.advance(1000)
      one.leave()
      await visitor.use(two, 0.5)
      two.leave()
    }
    expect(visitor.requests).toBeLessThanOrEqual(6)
  })

  it('is not one whom the service has answered before: that one waits as in any outage, also on the next page', async () => {
    const visitor = visit()
    visitor.isBlocked = false
    const first = visitor.open()
    await visitor.use(first, 0.5)
    first.leave()
    visitor.isBlocked = true
    const second = visitor.open()
    visitor.requests = 0
    await visitor.use(second, 20)
    expect(visitor.requests).toBeGreaterThan(8)
  })

  it('loses nothing: the next session asks once more, in a new page or in the same', async () => {
    for (const isSame of [true, false]) {
      const visitor = visit()
      const first = visitor.open()
      await visitor.use(first, 5)
      if (!isSame) first.leave()
      const before = visitor.requests
      await visitor.advance(31 * minuteMs)
      visitor.isBlocked = false
      const next = isSame ? first : visitor.open()
      next.waymark.track('Back')
      await visitor.advance(20_000)
      expect(visitor.requests).toBeGreaterThan(before)
      const names = visitor.service.names()
      expect(names.toSorted()).toEqual(['Back', ...Array(30).fill('Tick')])
    }
  })

  it('is not taken for one who is offline, or whose service fails after it has answered', async () => {
    const offline = visit()
    const tab = offline.open()
    tab.isOnline = false
    await offline.use(tab, 4)
    offline.isBlocked = false
    tab.fire('online')
    await offline.settle()
    expect(offline.service.names()).toHaveLength(24)

    const outage = visit()
    outage.isBlocked = false
    const page = outage.open()
    await outage.use(page, 1)
    outage.isBlocked = true
    await outage.use(page, 30)
    expect(outage.requests).toBeGreaterThan(12)
  })

  it('is one also after a request that failed because the browser was offline', async () => {
    const visitor = visit()
    const tab = visitor.open()
    tab.isOnline = false
    await visitor.use(tab, 1)
    tab.isOnline = true
    const before = visitor.requests
    await visitor.use(tab, 60)
    expect(visitor.requests - before).toBeLessThanOrEqual(6)
    await visitor.advance(31 * minuteMs)
    visitor.isBlocked = false
    tab.waymark.track('Back')
    await visitor.advance(20_000)
    expect(visitor.service.names()).toContain('Back')
  })

  it('asks at once when the page says so by flush()', async () => {
    const visitor = visit()
    const { waymark } = visitor.open()
    waymark.track('A')
    await visitor.advance(30_000)
    visitor.isBlocked = false
    expect(await waymark.flush()).toEqual({ sent: 1, left: 0, dropped: 0 })
    waymark.track('B')
    await visitor.advance(2000)
    expect(visitor.service.names()).toEqual(['A', 'B'])
  })
})
