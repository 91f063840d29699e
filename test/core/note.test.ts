import { describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/core/types'
import { createWorld, withTransact } from '../world/createWorld'

type World = ReturnType<typeof createWorld>

/** A tab of WebKit's: what it puts from `goes` on is dropped with the page. Deletes are kept. */
const openTab = (world: World) => {
  const page = { isGoing: false }
  const dropping = withTransact((database, mode, work) =>
    page.isGoing && mode === 'put' ? new Promise(() => {}) : database.transact(mode, work),
  )
  const tab = world.openTab('https://shop.test/', dropping)
  return Object.assign(tab, {
    /** Calls something, and leaves: in the same task, or before the transaction is done. */
    async callAndLeave(act: () => void, isOtherTask = false) {
      page.isGoing = true
      act()
      if (isOtherTask) await new Promise((resolve) => setImmediate(resolve))
      tab.leave()
      tab.crash()
      await world.advance(6000)
    },
    /** Calls something in a handler that runs after the last of ours. */
    async leaveAndCall(act: () => void) {
      page.isGoing = true
      tab.leave()
      act()
      tab.crash()
      await world.advance(6000)
    },
  })
}

const visit = async (world: World) => {
  const tab = world.openTab()
  const waymark = tab.init()
  await waymark.ready()
  return { tab, waymark }
}

const createKnown = async (act: (waymark: Waymark) => void = () => {}) => {
  const world = createWorld()
  const tab = openTab(world)
  const waymark = tab.init()
  await waymark.ready()
  act(waymark)
  waymark.track('Earlier')
  await world.advance(3000)
  return { world, tab, waymark }
}

const planOf = async (world: World, waymark: Waymark) => {
  waymark.track('Plan')
  await world.advance(3000)
  return world.service.events().findLast(({ event }) => event === 'Plan')!.properties['plan']
}

describe.each([
  ['in the task in which the page goes', false],
  ['in the task before', true],
])('what was put %s, and dropped with it', (_, isOtherTask) => {
  it('as a login is known to the next page', async () => {
    const { world, tab, waymark } = await createKnown()
    await tab.callAndLeave(() => {
      waymark.identify('ann')
      waymark.track('Signed In')
    }, isOtherTask)
    const next = await visit(world)
    expect(next.waymark.ids).toEqual({ ...waymark.ids, sessionId: expect.any(String) })
    expect(next.waymark.ids.userId).toBe('ann')
  })

  it('as a login is known to a next page that is told of a consent at once', async () => {
    const { world, tab, waymark } = await createKnown()
    await tab.callAndLeave(() => waymark.identify('ann'), isOtherTask)
    const next = world.openTab().create()
    next.optIn()
    next.init('pk_test', { endpoint: 'https://api.test', consent: 'pending' })
    await world.advance(1000)
    expect(next.ids.userId).toBe('ann')
    expect([...world.notes]).toEqual([])
  })

  it('as a login leaves what was registered before', async () => {
    const { world, tab, waymark } = await createKnown((page) => page.register({ plan: 'pro' }))
    await tab.callAndLeave(() => waymark.identify('ann'), isOtherTask)
    const { waymark: next } = await visit(world)
    expect(await planOf(world, next)).toBe('pro')
  })

  it('as a sign-out is known to the next page', async () => {
    const { world, tab, waymark } = await createKnown((page) => {
      page.identify('ann')
      page.register({ plan: 'pro' })
    })
    await tab.callAndLeave(() => waymark.reset(), isOtherTask)
    const { waymark: next } = await visit(world)
    expect(next.ids.userId).toBeUndefined()
    expect(next.ids.anonymousId).toBe(waymark.ids.anonymousId)
    expect(await planOf(world, next)).toBeUndefined()
  })

  it('as a registered property is known to the next page', async () => {
    const { world, tab, waymark } = await createKnown()
    await tab.callAndLeave(() => waymark.register({ plan: 'pro' }), isOtherTask)
    const { waymark: next } = await visit(world)
    expect(await planOf(world, next)).toBe('pro')
  })

  it('is stored by the next page, and noted no longer', async () => {
    const { world, tab, waymark } = await createKnown()
    await tab.callAndLeave(() => waymark.identify('ann'), isOtherTask)
    const second = await visit(world)
    await world.advance(3000)
    second.tab.leave()
    second.tab.crash()
    expect([...world.notes]).toEqual([])
    const third = await visit(world)
    expect(third.waymark.ids.userId).toBe('ann')
  })
})

describe('what a page noted as it went', () => {
  it('is nothing when all is on disk', async () => {
    const { world, tab } = await createKnown((waymark) => {
      waymark.identify('ann')
      waymark.register({ plan: 'pro' })
    })
    tab.leave()
    await world.settle()
    expect([...world.notes]).toEqual([])
  })

  it('is the session that has begun with an event of its handler', async () => {
    const { world, tab, waymark } = await createKnown()
    await world.advance(3_600_000)
    await tab.callAndLeave(() => {
      tab.fire('pagehide')
      waymark.track('Last')
    })
    const next = await visit(world)
    next.waymark.track('Next')
    await world.advance(3000)
    const [before, last, after] = world.service.events().map(({ session_id: id }) => id)
    expect(last).not.toBe(before)
    expect(after).toBe(last)
  })

  it('is what is called in a handler behind its own, too', async () => {
    const { world, tab, waymark } = await createKnown()
    waymark.identify('ann')
    await world.advance(3000)
    await tab.leaveAndCall(() => waymark.reset())
    const next = await visit(world)
    expect(next.waymark.ids.userId).toBeUndefined()
  })

  it('is nothing for an event alone', async () => {
    const { world, tab, waymark } = await createKnown()
    await tab.callAndLeave(() => void waymark.track('Last'))
    expect([...world.notes]).toEqual([])
  })

  it.each(['identify', 'reset'] as const)(
    'as a login is not brought back after a later %s in another tab',
    async (change) => {
      const { world, tab, waymark } = await createKnown()
      const other = await visit(world)
      await tab.callAndLeave(() => waymark.identify('ann'))
      if (change === 'reset') other.waymark.reset()
      else other.waymark.identify('bob')
      await world.advance(1000)
      const { ids } = other.waymark
      other.tab.crash()
      const next = await visit(world)
      expect(next.waymark.ids).toMatchObject({ anonymousId: ids.anonymousId, distinctId: ids.distinctId })
      expect(next.waymark.ids.userId).toBe(change === 'reset' ? undefined : 'bob')
    },
  )

  it('as a property is not brought back after a later change in another tab', async () => {
    const { world, tab, waymark } = await createKnown()
    const other = await visit(world)
    await tab.callAndLeave(() => waymark.register({ plan: 'old' }))
    other.waymark.register({ plan: 'new' })
    await world.advance(1000)
    other.tab.crash()
    const { waymark: next } = await visit(world)
    expect(await planOf(world, next)).toBe('new')
  })

  it('is not brought back by pages long after', async () => {
    const { world, tab, waymark } = await createKnown()
    await tab.callAndLeave(() => {
      waymark.identify('ann')
      waymark.register({ plan: 'old' })
    })
    const second = await visit(world)
    await world.advance(1000)
    second.waymark.register({ plan: 'new' })
    await world.advance(1000)
    second.tab.leave()
    second.tab.crash()
    const third = await visit(world)
    expect(await planOf(world, third.waymark)).toBe('new')
    third.waymark.unregister('plan')
    await world.advance(1000)
    third.tab.crash()
    const fourth = await visit(world)
    expect(await planOf(world, fourth.waymark)).toBeUndefined()
  })

  it('does not bring an old session back', async () => {
    const { world, tab, waymark } = await createKnown()
    await tab.callAndLeave(() => {
      waymark.identify('ann')
      waymark.track('Signed In')
    })
    await world.advance(31 * 60_000)
    const second = await visit(world)
    second.waymark.track('A')
    await world.advance(1000)
    second.tab.leave()
    second.tab.crash()
    const { waymark: third } = await visit(world)
    third.track('B')
    await world.advance(3000)
    expect(third.ids.sessionId).toBe(second.waymark.ids.sessionId)
    expect(third.ids.sessionId).not.toBe(waymark.ids.sessionId)
  })

  it('does not end a session that another tab has kept alive since', async () => {
    const { world, tab, waymark } = await createKnown()
    const other = await visit(world)
    await tab.callAndLeave(() => {
      waymark.identify('ann')
      waymark.track('Signed In')
    })
    await world.advance(20 * 60_000)
    other.waymark.track('A')
    await world.advance(20 * 60_000)
    const { waymark: next } = await visit(world)
    next.track('B')
    await world.advance(3000)
    expect(next.ids.sessionId).toBe(other.waymark.ids.sessionId)
    expect(next.ids.userId).toBe('ann')
  })

  it.each([
    ['and holds nothing but that then', false],
    ['also when a consent follows', true],
  ])('of a page whose database does not answer is wiped by a refusal, %s', async (_, isTakenBack) => {
    const world = createWorld()
    const tab = world.openSlowTab()
    const waymark = tab.init()
    waymark.identify('ann')
    waymark.register({ plan: 'pro' })
    await world.advance(40_000)
    waymark.optOut()
    if (isTakenBack) waymark.optIn()
    await world.advance(40_000)
    tab.leave()
    const notes = [...world.notes.values()].join()
    expect(notes).not.toMatch(/ann|plan/)
    expect(JSON.parse(notes)).toMatchObject({ consent: isTakenBack ? 'granted' : 'denied' })
  })

  it('is wiped by a refusal, and holds nothing but that then', async () => {
    const { world, tab, waymark } = await createKnown()
    await tab.callAndLeave(() => waymark.identify('ann'))
    const next = await visit(world)
    next.waymark.optOut()
    await world.advance(1000)
    expect([...world.notes.values()].join()).not.toContain('ann')
    next.waymark.optIn()
    await world.advance(1000)
    expect(next.waymark.ids.userId).toBeUndefined()
  })
})
