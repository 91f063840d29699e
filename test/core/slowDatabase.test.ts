import { describe, expect, it } from 'vitest'
import type { InitConfig, Waymark } from '../../src/core/types'
import { createWorld, withTransact } from '../world/createWorld'

/** A visitor who has signed in on an earlier page, and has registered properties; then a page whose database is slow. */
const createKnown = async (config: Partial<InitConfig> = {}) => {
  const world = createWorld()
  const first = world.openTab()
  const earlier = first.init()
  earlier.identify('ann')
  earlier.registerOnce({ first: 'letter' })
  earlier.register({ plan: 'pro' })
  earlier.track('Earlier')
  await world.advance(3000)
  const { ids } = earlier
  first.leave()
  first.crash()
  const tab = world.openSlowTab()
  return { world, ids, tab, waymark: tab.init(config) }
}
type World = ReturnType<typeof createWorld>

const carriedBy = (world: World, name: string) => world.service.events().find(({ event }) => event === name)!
const own = ({ properties: { first, plan, theme } }: { properties: Record<string, unknown> }) => ({
  first,
  plan,
  theme,
})

/** What the next page finds. */
const visitAgain = async (world: World) => {
  const waymark = world.openTab().init()
  await waymark.ready()
  waymark.track('Next')
  await world.advance(3000)
  return { ids: waymark.ids, own: own(carriedBy(world, 'Next')) }
}

const startUp = (waymark: Waymark) => {
  waymark.registerOnce({ first: 'banner' })
  waymark.register({ theme: 'dark' })
  waymark.page()
}
const all = { first: 'letter', plan: 'pro', theme: 'dark' }

describe('a database that answers after seconds', () => {
  const seconds = 10
  it('changes neither the ids nor the session, for this page and the next', async () => {
    const { world, ids, tab, waymark } = await createKnown()
    startUp(waymark)
    await world.advance(seconds * 1000)
    tab.open()
    await world.advance(3000)
    expect(waymark.ids).toEqual(ids)
    expect(carriedBy(world, '$pageview')).toMatchObject({
      distinct_id: 'ann',
      anonymous_id: ids.anonymousId,
      device_id: ids.deviceId,
      session_id: ids.sessionId,
    })
    expect((await visitAgain(world)).ids).toEqual(ids)
  })

  it('keeps what was registered, and the first touch, and takes what is new', async () => {
    const { world, tab, waymark } = await createKnown()
    startUp(waymark)
    await world.advance(seconds * 1000)
    tab.open()
    await world.advance(3000)
    expect(own(carriedBy(world, '$pageview'))).toEqual(all)
    expect((await visitAgain(world)).own).toEqual(all)
  })

  it('lets calls wait, and counts them', async () => {
    const { world, tab, waymark } = await createKnown()
    startUp(waymark)
    waymark.track('Waits')
    await world.advance(seconds * 1000)
    expect(waymark.stats().queued).toBeGreaterThanOrEqual(2)
    expect(world.service.names()).not.toContain('$pageview')
    tab.open()
    await world.advance(3000)
    expect(waymark.stats()).toMatchObject({ store: 'indexeddb', queued: 0, dropped: {} })
    expect(world.service.names().filter((name) => /Waits|view/.test(name))).toEqual(['$pageview', 'Waits'])
  })

  it('does not keep a page waiting that asks for the ids', async () => {
    const { world, waymark } = await createKnown()
    let isReady = false
    void waymark.ready().then(() => (isReady = true))
    await world.advance(seconds * 1000)
    expect(isReady).toBe(true)
  })
})

describe('a page that goes before its database has answered', () => {
  const leave = async (seconds: number, act = startUp) => {
    const known = await createKnown()
    act(known.waymark)
    await known.world.advance(seconds * 1000)
    known.tab.leave()
    await known.world.settle()
    known.tab.crash()
    await known.world.advance(10_000)
    return known
  }

  it.each([0, 10])('after %i s hands off what was called', async (seconds) => {
    const { world, waymark } = await leave(seconds)
    expect(world.service.names()).toContain('$pageview')
    expect(waymark.stats()).toMatchObject({ handedOff: 1, queued: 0 })
  })

  it.each([0, 10])('after %i s changes none of the ids that are stored', async (seconds) => {
    const { world, ids } = await leave(seconds)
    const next = await visitAgain(world)
    expect(next.ids).toMatchObject({ deviceId: ids.deviceId, anonymousId: ids.anonymousId, userId: 'ann' })
  })

  it.each([0, 10])('after %i s overwrites nothing that was registered', async (seconds) => {
    const { world } = await leave(seconds)
    expect((await visitAgain(world)).own).toMatchObject({ first: 'letter', plan: 'pro' })
  })

  it('leaves the session that is stored to the next page', async () => {
    const { world, ids } = await leave(2)
    expect((await visitAgain(world)).ids.sessionId).toBe(ids.sessionId)
  })

  it('and signs in as the same user leaves device and anonymous id as they are stored', async () => {
    const { world, ids } = await leave(2, (waymark) => waymark.identify('ann'))
    const next = await visitAgain(world)
    expect(next.ids).toMatchObject({ deviceId: ids.deviceId, anonymousId: ids.anonymousId, userId: 'ann' })
    expect(next.own).toMatchObject({ first: 'letter', plan: 'pro' })
  })

  it('and signs in as another user is another visitor on the same device, for the next page', async () => {
    const { world, ids } = await leave(2, (waymark) => waymark.identify('bob'))
    const next = await visitAgain(world)
    expect(next.ids).toMatchObject({ deviceId: ids.deviceId, userId: 'bob' })
    expect(next.ids.anonymousId).not.toBe(ids.anonymousId)
  })

  it('and signs out is nobody’s for the next page', async () => {
    const { world, ids } = await leave(2, (waymark) => waymark.reset())
    const next = await visitAgain(world)
    expect(next.ids.userId).toBeUndefined()
    expect(next.ids.anonymousId).not.toBe(ids.anonymousId)
    expect(next.own).toEqual({ first: undefined, plan: undefined, theme: undefined })
  })
})

describe('a page that goes before its database has answered, and comes back,', () => {
  it('reads the visitor anew, when it hears only now that its first read was ended', async () => {
    const { world, ids } = await createKnown()
    let end: (() => void) | undefined
    const slow = withTransact((database, mode, work) =>
      end
        ? database.transact(mode, work)
        : new Promise((_, reject) => (end = () => reject(new DOMException('ended', 'AbortError')))),
    )
    const tab = world.openTab('https://shop.test/', slow)
    const waymark = tab.init()
    await world.settle()
    tab.leave()
    tab.fire('pageshow')
    end!()
    await world.advance(3000)
    expect(waymark.ids).toMatchObject({ deviceId: ids.deviceId, anonymousId: ids.anonymousId, userId: 'ann' })
    expect((await visitAgain(world)).ids).toMatchObject({ deviceId: ids.deviceId, userId: 'ann' })
  })

  it('hears other tabs, when the answer comes at once', async () => {
    const { world, tab, waymark } = await createKnown()
    await world.settle()
    tab.leave()
    tab.fire('pageshow')
    tab.open()
    await world.advance(1000)
    world.openTab().init().identify('bob')
    await world.advance(1000)
    expect(waymark.ids.userId).toBe('bob')
  })
})

describe('a database that answers when the page has gone on without it', () => {
  const wake = async (act = startUp) => {
    const known = await createKnown()
    act(known.waymark)
    await known.world.advance(40_000)
    known.tab.open()
    await known.world.advance(5000)
    known.waymark.track('Awake')
    await known.world.advance(3000)
    return known
  }

  it('brings the ids and the user back that are stored', async () => {
    const { world, ids, waymark } = await wake()
    expect(world.service.names()).toContain('$pageview')
    expect(waymark.ids).toMatchObject({ deviceId: ids.deviceId, anonymousId: ids.anonymousId, userId: 'ann' })
    expect((await visitAgain(world)).ids).toMatchObject({ deviceId: ids.deviceId, userId: 'ann' })
  })

  it('keeps the first touch that is stored, and what was registered', async () => {
    const { world } = await wake()
    expect(own(carriedBy(world, 'Awake'))).toEqual(all)
    expect((await visitAgain(world)).own).toEqual(all)
  })

  it('does no more than once, on top of what is stored, what was done without it', async () => {
    const { world, tab, waymark } = await wake((page) => page.identify('bob'))
    expect(waymark.ids.userId).toBe('bob')
    waymark.reset()
    // The next session is read from the database as the first was.
    await world.advance(40 * 60_000)
    waymark.track('Much later')
    await world.advance(3000)
    expect(waymark.ids.userId).toBeUndefined()
    tab.leave()
    expect([...world.notes]).toEqual([])
  })

  it('keeps a sign-out that it was late for', async () => {
    const { world, waymark } = await wake((page) => page.reset())
    expect(waymark.ids.userId).toBeUndefined()
    expect((await visitAgain(world)).own).toEqual({ first: undefined, plan: undefined, theme: undefined })
  })
})

describe('another tab, whose database is well,', () => {
  /** It is open while the slow page calls what it calls, and tracks and registers after. */
  const watch = async (
    act: (waymark: Waymark) => void,
    end: (tab: { leave(): void }) => void,
    ms: number,
  ) => {
    const { world, ids, tab, waymark } = await createKnown()
    const other = world.openTab().init()
    await other.ready()
    act(waymark)
    await world.advance(ms)
    end(tab)
    await world.advance(1000)
    const heard = other.ids
    other.register({ other: 1 })
    other.track('Other')
    await world.advance(3000)
    return { world, ids, heard, event: carriedBy(world, 'Other') }
  }
  const leave = (tab: { leave(): void }) => tab.leave()

  it.each([
    ['goes on in memory', () => {}, 32_000],
    ['leaves', leave, 2000],
  ])('learns no ids that were not read, of a page that %s', async (_, end, ms) => {
    const { heard, ids, event } = await watch((page) => page.identify('ann', { plan: 'pro' }), end, ms)
    expect(heard).toMatchObject({ deviceId: ids.deviceId, anonymousId: ids.anonymousId, userId: 'ann' })
    expect(event).toMatchObject({ device_id: ids.deviceId, anonymous_id: ids.anonymousId })
  })

  it.each([
    ['goes on in memory', () => {}, 32_000],
    ['leaves', leave, 2000],
  ])('loses nothing that was registered, by a page that %s', async (_, end, ms) => {
    const { world, event } = await watch(startUp, end, ms)
    expect(event.properties).toMatchObject({ first: 'letter', plan: 'pro' })
    expect((await visitAgain(world)).own).toMatchObject({ first: 'letter', plan: 'pro' })
  })

  it.each([
    ['goes on in memory', () => {}, 32_000],
    ['leaves', leave, 2000],
  ])('keeps the session, of a page that %s', async (_, end, ms) => {
    const { ids, event } = await watch(startUp, end, ms)
    expect(event.session_id).toBe(ids.sessionId)
  })
})

describe('a database that hangs after it has worked', () => {
  it('does not hold what is in memory', async () => {
    const world = createWorld()
    let hangs = false
    const tab = world.openTab(
      'https://shop.test/',
      withTransact((database, ...asked) => (hangs ? new Promise(() => {}) : database.transact(...asked))),
    )
    const waymark = tab.init()
    await waymark.ready()
    world.service.become({ kind: 'down' })
    waymark.track('Waits')
    await world.advance(8000)
    hangs = true
    waymark.track('Later')
    world.service.become({ kind: 'well' })
    await world.advance(60_000)
    expect(world.service.names()).toEqual(['Waits', 'Later'])
    expect(waymark.stats()).toMatchObject({ queued: 0, dropped: {} })
  })

  it('is not asked to write anything by the begin or end of a request, though an earlier write is still under way', async () => {
    const world = createWorld()
    let writes = 0
    const slow = withTransact(async (database, mode, work) => {
      if (mode === 'put') writes++
      await database.transact(mode, work)
      if (mode === 'put') await new Promise(() => {})
    })
    const waymark = world.openTab('https://shop.test/', slow).init()
    await waymark.ready()
    await world.settle()
    waymark.identify('ada')
    await world.settle()
    writes = 0
    world.service.hold()
    void waymark.flush()
    await world.settle()
    expect(world.service.arrivals).toHaveLength(1)
    expect(writes).toBe(0)
    world.service.answerNow()
    await world.settle()
    // Takes what was sent off the disk.
    expect(writes).toBe(1)
  })
})
