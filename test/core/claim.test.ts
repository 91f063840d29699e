import { describe, expect, it } from 'vitest'
import { createWorld, withTransact } from '../world/createWorld'
import { names } from '../world/openPage'
import { leaveBehind } from '../world/leaveBehind'
import { readRecords } from '../world/readStore'

describe('records', () => {
  it('of three tabs are each sent by their own tab, once, through an outage', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const tabs = [1, 2, 3].map((n) => {
      const tab = world.openTab()
      const waymark = tab.init()
      for (let e = 0; e < 200; e++) waymark.track(`Tab ${n} event ${e}`)
      return tab
    })
    await world.advance(30_000)
    world.service.become({ kind: 'well' })
    for (const tab of tabs) tab.fire('online')
    await world.advance(60_000)
    const got = world.service.names()
    expect(got).toHaveLength(600)
    expect(new Set(got).size).toBe(600)
  })

  it('of closed tabs are adopted by one that opens, oldest first, once', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    for (const n of [1, 2, 3]) {
      const tab = world.openTab()
      const waymark = tab.init()
      await waymark.ready()
      for (const name of names(250, `Tab ${n} event `)) waymark.track(name)
      await world.advance(1000)
      tab.leave()
      tab.crash()
    }
    await world.advance(6000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(60_000)
    expect(world.service.names()).toEqual([1, 2, 3].flatMap((n) => names(250, `Tab ${n} event `)))
  })

  it('are safe while they are claimed, when what lay around them is delivered and deleted', async () => {
    const world = createWorld()
    let isHeld = false
    const held = withTransact(async (database, mode, work) => {
      const result = await database.transact(mode, work)
      return isHeld && mode === 'readwrite' ? new Promise(() => {}) : result
    })
    const tab = world.openTab('https://shop.test/', held)
    const waymark = tab.init()
    await waymark.ready()
    const other = world.openTab()
    const gone = other.init()
    await gone.ready()
    world.service.become({ kind: 'down' })
    for (const [from, name] of [
      [waymark, 'Before'],
      [gone, 'Between'],
      [waymark, 'After'],
    ] as const) {
      from.track(name)
      await world.advance(100)
    }
    other.crash()
    await world.advance(10_000)
    isHeld = true
    tab.fire('online')
    await world.advance(1000)
    world.service.become({ kind: 'well' })
    await world.advance(60_000)
    expect(world.service.names()).toEqual(['Before', 'After'])
    tab.crash()
    await world.advance(10_000)
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['Before', 'After', 'Between'])
  })

  it('of a page that has just gone are taken a few seconds later', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const tab = world.openTab()
    tab.init().track('A')
    await world.advance(2500)
    tab.leave()
    tab.crash()
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(1000)
    expect(world.service.names()).toEqual([])
    await world.advance(6000)
    expect(world.service.names()).toEqual(['A'])
    expect(world.timers()).toBe(0)
  })

  it('of a live tab are left alone, however old', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const owner = world.openTab().init()
    owner.track('A')
    await world.advance(60_000)
    const other = world.openTab().init()
    const codes: string[] = []
    for (const waymark of [owner, other]) waymark.on('error', ({ code }) => codes.push(code))
    await world.advance(20_000)
    expect(codes).not.toContain('internal')
    expect(other.stats().queued).toBe(0)
    expect(owner.stats().queued).toBe(1)
  })

  it('of a live tab that was told of a consent before init are left alone while its request is under way', async () => {
    const world = createWorld()
    const owner = world.openTab().create()
    owner.optIn()
    owner.init('pk_test', { endpoint: 'https://api.test', consent: 'pending' })
    world.service.hold()
    owner.track('A')
    await world.advance(6000)
    world.openTab().init()
    await world.advance(3000)
    world.service.answerNow()
    await world.advance(3000)
    expect(world.service.names()).toEqual(['A'])
  })

  it('of a tab that slept are not sent by it when another has claimed them', async () => {
    const world = createWorld()
    const sleeper = world.openTab()
    const waymark = sleeper.init()
    await waymark.ready()
    world.service.become({ kind: 'down' })
    for (const name of names(20)) waymark.track(name)
    await world.advance(100)
    sleeper.sleep()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(names(20))

    sleeper.wake()
    await world.advance(60_000)
    expect(world.service.names()).toEqual(names(20))
    expect(waymark.stats().queued).toBe(0)
  })

  it('of a tab that slept are not missed by it: what it tracks next is sent in its time', async () => {
    const world = createWorld()
    const sleeper = world.openTab()
    const waymark = sleeper.init()
    waymark.track('Before')
    await world.advance(3000)
    world.service.become({ kind: 'down' })
    waymark.track('A')
    await world.advance(3000)
    sleeper.sleep()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    sleeper.wake()
    await world.advance(60_000)
    waymark.track('After')
    await world.advance(3000)
    expect(world.service.names()).toEqual(['Before', 'A', 'After'])
  })

  it('of a tab that lived at the last look are taken when it has gone since', async () => {
    const world = createWorld()
    const gone = world.openTab('https://shop.test/', {
      fetch: () => Promise.reject(new TypeError('offline')),
    })
    const other = gone.init()
    await other.ready()
    other.track('Gone')
    await world.advance(100)
    const waymark = world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual([])
    gone.crash()
    await world.advance(70_000)
    waymark.track('Mine')
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['Mine', 'Gone'])
  })

  describe('that were claimed as the page left', () => {
    /** A page that leaves while its claim of a record `Gone` is carried out, and hears of that only by `tellClaimed`. */
    const leaveWhileClaiming = async () => {
      const world = createWorld()
      await leaveBehind(world)
      await world.advance(10_000)
      world.service.become({ kind: 'well' })
      const disk = { isClaiming: false, isStuck: false }
      let tellClaimed = () => {}
      const claimed = new Promise<void>((resolve) => (tellClaimed = resolve))
      const late = withTransact(async (database, mode, work) => {
        if (disk.isStuck && mode === 'readonly') return new Promise(() => {})
        const result = await database.transact(mode, work)
        if (disk.isClaiming && mode === 'readwrite') await claimed
        return result
      })
      const tab = world.openTab('https://shop.test/', late)
      await tab.init().ready()
      disk.isClaiming = true
      await world.advance(3000)
      tab.fire('pagehide')
      disk.isClaiming = false
      return { world, tab, disk, tellClaimed }
    }

    it('are not handed off by it: the next page may send them at any time', async () => {
      const { world, tab, tellClaimed } = await leaveWhileClaiming()
      tellClaimed()
      await world.settle()
      tab.fire('hidden')
      expect(world.service.arrivals).toEqual([])
      tab.crash()
      world.openTab().init()
      await world.advance(10_000)
      expect(world.service.names()).toEqual(['Gone'])
    })

    it('are not taken for its own when it is back, also where the disk does not say whose they are', async () => {
      const { world, tab, disk, tellClaimed } = await leaveWhileClaiming()
      disk.isStuck = true
      tab.fire('pageshow')
      await world.advance(300)
      tellClaimed()
      await world.advance(20_000)
      expect(world.service.arrivals).toEqual([])
      tab.crash()
      world.openTab().init()
      await world.advance(10_000)
      expect(world.service.names()).toEqual(['Gone'])
    })
  })

  it('of the same millisecond as one of this page are sent with it', async () => {
    for (let n = 0; n < 8; n++) {
      const world = createWorld()
      const gone = world.openTab()
      const other = gone.init()
      const tab = world.openTab()
      const waymark = tab.init()
      await world.advance(1000)
      world.service.become({ kind: 'down' })
      waymark.track('First')
      await world.advance(1)
      other.track('A')
      waymark.track('B')
      await world.advance(1000)
      gone.crash()
      await world.advance(10_000)
      tab.fire('online')
      await world.advance(10_000)
      world.service.become({ kind: 'well' })
      await world.advance(300_000)
      expect(world.service.names().toSorted()).toEqual(['A', 'B', 'First'])
    }
  })

  it('are claimed by one of two tabs that find them together', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const tab = world.openTab()
    const waymark = tab.init()
    for (const name of names(60)) waymark.track(name)
    await world.advance(1000)
    tab.crash()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    world.openTab().init()
    await world.advance(30_000)
    expect(world.service.names().toSorted()).toEqual(names(60).toSorted())
  })

  it('are not asked for in a page that has left, and are again when it is back', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.init()
    await world.settle()
    expect(world.channels()).toBe(1)
    tab.leave()
    expect(world.channels()).toBe(0)
    tab.fire('pageshow')
    await world.advance(300)
    expect(world.channels()).toBe(1)
  })

  it('that are over the limits lose their oldest, and it is counted', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    for (const n of [1, 2]) {
      const tab = world.openTab()
      const waymark = tab.init()
      for (const name of names(60, `Tab ${n} event `)) waymark.track(name)
      await world.advance(1000)
      tab.crash()
    }
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    const waymark = world.openTab().init({ queue: { maxEvents: 60 } })
    await world.advance(20_000)
    expect(waymark.stats().dropped).toEqual({ 'too-many': 60 })
    expect(world.service.names()).toEqual(names(60, 'Tab 2 event '))
    expect(await readRecords()).toEqual([])
  })

  it('that are too old are dropped, and it is counted', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const tab = world.openTab()
    tab.init().track('Ancient')
    await world.advance(3000)
    tab.crash()
    await world.advance(15 * 86_400_000)
    world.service.become({ kind: 'well' })
    const waymark = world.openTab().init()
    await world.advance(20_000)
    expect(world.service.names()).toEqual([])
    expect(waymark.stats().dropped).toEqual({ 'too-old': 1 })
  })

  it('of many records are moved a hundred at a time', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const tab = world.openTab()
    const waymark = tab.init()
    await waymark.ready()
    for (const name of names(350)) {
      waymark.track(name)
      await Promise.resolve()
      await Promise.resolve()
    }
    await world.advance(3000)
    tab.crash()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    for (let second = 0; second < 10; second++) await world.advance(1000)
    expect(world.service.names()).toEqual(names(350))
  })
})
