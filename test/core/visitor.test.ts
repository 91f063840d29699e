import { describe, expect, it } from 'vitest'
import { createWorld, openDatabase } from '../world/createWorld'

describe('identity', () => {
  it('gives a new browser ids, and the same ones ever after', async () => {
    const world = createWorld()
    const first = world.openTab().init()
    await first.ready()
    const { deviceId, anonymousId, distinctId, userId } = first.ids
    expect(deviceId).toMatch(/^device-[\w-]{21}$/)
    expect(anonymousId).toMatch(/^anonymous-[\w-]{21}$/)
    expect(distinctId).toBe(anonymousId)
    expect(userId).toBeUndefined()
    const second = world.openTab().init()
    await second.ready()
    expect(second.ids).toEqual(first.ids)
  })

  it('lets tabs that start together agree', async () => {
    const world = createWorld()
    const tabs = [1, 2, 3].map(() => world.openTab().init())
    await Promise.all(tabs.map((tab) => tab.ready()))
    expect(new Set(tabs.map(({ ids }) => ids.deviceId + ids.anonymousId)).size).toBe(1)
  })

  it('sends the anonymous id alone before identify, and beside the user after it', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    waymark.track('Before')
    waymark.identify('ann', { plan: 'pro' })
    waymark.track('After')
    await world.advance(3000)
    const { anonymousId, deviceId } = waymark.ids
    const [before, identify, after] = world.service.events()
    expect(before).toMatchObject({ distinct_id: anonymousId, device_id: deviceId })
    expect(before).not.toHaveProperty('anonymous_id')
    expect(identify).toEqual({
      environment: 'production',
      timestamp: expect.any(String),
      distinct_id: 'ann',
      anonymous_id: anonymousId,
      traits: { plan: 'pro' },
    })
    expect(after).toMatchObject({ distinct_id: 'ann', anonymous_id: anonymousId, device_id: deviceId })
  })

  it('makes another visitor of another user', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    waymark.identify('ann')
    await waymark.ready()
    const before = waymark.ids
    waymark.identify('bob')
    expect(waymark.ids).toMatchObject({ deviceId: before.deviceId, userId: 'bob', distinctId: 'bob' })
    expect(waymark.ids.anonymousId).not.toBe(before.anonymousId)
  })

  it('forgets the user at reset, keeps the device unless asked, and lets what is queued keep its ids', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    waymark.identify('ann')
    waymark.track('Hers')
    waymark.reset()
    waymark.track('Nobody’s')
    await world.advance(3000)
    const [, hers, nobodys] = world.service.events()
    expect(hers).toMatchObject({ distinct_id: 'ann' })
    expect(nobodys).toMatchObject({ distinct_id: waymark.ids.anonymousId, device_id: hers!.device_id })
    expect(nobodys!.session_id).not.toBe(hers!.session_id)
    expect(waymark.ids.userId).toBeUndefined()
    const { deviceId } = waymark.ids
    waymark.reset({ deviceId: true })
    expect(waymark.ids.deviceId).not.toBe(deviceId)
  })

  it('adds traits to the user it knows, and refuses when it knows none', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    const codes: string[] = []
    waymark.on('error', ({ code }) => codes.push(code))
    await waymark.ready()
    expect(await waymark.updateTraits({ plan: 'pro' }).outcome).toMatchObject({ errorCode: 'not-identified' })
    waymark.identify('ann')
    waymark.updateTraits({ plan: 'pro' })
    await world.advance(3000)
    expect(codes).toEqual(['not-identified'])
    expect(world.service.events()[1]).toMatchObject({ distinct_id: 'ann', traits: { plan: 'pro' } })
  })

  it('takes the ids that the server knows for a browser that has none, and its user always', async () => {
    const world = createWorld()
    const bootstrap = { deviceId: 'device-s', anonymousId: 'anonymous-s', userId: 'ann' }
    const first = world.openTab().init({ bootstrap })
    await first.ready()
    expect(first.ids).toMatchObject({ deviceId: 'device-s', anonymousId: 'anonymous-s', userId: 'ann' })
    const second = world.openTab().init({ bootstrap: { deviceId: 'device-t', anonymousId: 'anonymous-t' } })
    await second.ready()
    expect(second.ids).toMatchObject({ deviceId: 'device-s', userId: 'ann' })
  })

  it('is the same in every tab within a moment', async () => {
    const world = createWorld()
    const [one, two] = [world.openTab().init(), world.openTab().init()]
    await Promise.all([one.ready(), two.ready()])
    one.identify('ann')
    await world.settle()
    expect(two.ids).toEqual(one.ids)
    two.reset()
    await world.settle()
    expect(one.ids).toEqual(two.ids)
    expect(one.ids.userId).toBeUndefined()
  })

  it('is told when it is known and when it changes, and by no other change', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    const users: unknown[] = []
    waymark.on('identity', ({ userId }) => users.push(userId))
    await waymark.ready()
    waymark.identify('ann')
    const before = users.length
    waymark.register({ plan: 'pro' })
    await world.advance(40 * 60_000)
    waymark.track('In Another Session')
    await world.advance(1000)
    expect(users.slice(0, before)).toEqual([undefined, undefined, 'ann'])
    expect(users.slice(before)).toEqual(['ann'])
  })

  it('of a page that was in the page cache is read again before it tracks', async () => {
    const world = createWorld()
    const stale = world.openTab()
    const sleeper = stale.init()
    await sleeper.ready()
    stale.leave()
    const other = world.openTab().init()
    other.identify('ann')
    await world.settle()
    stale.fire('pageshow')
    sleeper.track('Back')
    await world.advance(3000)
    expect(sleeper.ids.userId).toBe('ann')
    expect(world.service.events().find(({ event }) => event === 'Back')).toMatchObject({ distinct_id: 'ann' })
  })

  it('keeps what changes while it is read: a login, a sign-out', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    await waymark.ready()
    await world.settle()
    waymark.optIn()
    waymark.identify('ann')
    await world.settle()
    expect(waymark.ids.userId).toBe('ann')
    waymark.optIn()
    waymark.reset()
    await world.settle()
    expect(waymark.ids.userId).toBeUndefined()
  })

  it('is that of another tab that signs in while this one starts', async () => {
    for (let turns = 0; turns < 20; turns++) {
      const world = createWorld()
      const first = world.openTab().init()
      await first.ready()
      await world.settle()
      const second = world.openTab().init()
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      first.identify('ann')
      await world.advance(1000)
      const third = world.openTab().init()
      await third.ready()
      const users = [first, second, third].map(({ ids }) => ids.userId)
      expect(users, `after ${turns} turns`).toEqual(['ann', 'ann', 'ann'])
    }
  })

  it.each(['', 'ann'])('that had to be assumed where the database is slow is kept (%j)', async (user) => {
    const world = createWorld()
    const tab = world.openSlowTab()
    const waymark = tab.init()
    waymark.track('A')
    await world.advance(31_500)
    if (user) waymark.identify(user)
    const { deviceId, distinctId } = waymark.ids
    tab.open()
    await world.advance(5000)
    const next = world.openTab().init()
    await next.ready()
    expect(next.ids).toMatchObject({ deviceId, distinctId })
    expect(waymark.ids).toMatchObject({ deviceId, distinctId })
  })

  it('is not signed in by the server again where someone has signed out, or in', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init({ bootstrap: { userId: 'ann' } })
    await waymark.ready()
    tab.fire('freeze')
    world.openTab().init().identify('bob')
    await world.advance(1000)
    tab.fire('resume')
    await world.advance(1000)
    expect(waymark.ids.userId).toBe('bob')
    waymark.reset()
    tab.leave()
    tab.fire('pageshow')
    await world.advance(1000)
    expect(waymark.ids.userId).toBeUndefined()
  })

  it('is no user whom a bug in the server names', async () => {
    const waymark = createWorld()
      .openTab()
      .init({ bootstrap: { userId: 'undefined' } })
    await waymark.ready()
    expect(waymark.ids.userId).toBeUndefined()
  })
})

describe('a page out of the page cache that went before it heard that its last changes were stored', () => {
  /** Its promises stand still from the moment on in which it is put into the page cache. */
  const openFrozenTab = (world: ReturnType<typeof createWorld>) => {
    let stays = 0
    let isAway = false
    const tab = world.openTab('https://shop.test/a', {
      openDatabase: (name) => {
        const database = openDatabase(name)
        return {
          ...database,
          async transact(mode, work) {
            const stay = stays
            const result = await database.transact(mode, work)
            return stay === stays && !isAway ? result : new Promise(() => {})
          },
        }
      },
    })
    const leave = async () => {
      await Promise.resolve()
      isAway = true
      tab.leave()
      await world.advance(1000)
    }
    const comeBack = async () => {
      isAway = false
      stays++
      tab.fire('pageshow')
      await world.advance(3000)
    }
    return { tab, leave, comeBack }
  }

  it('knows of a sign-out on the page after it', async () => {
    const world = createWorld()
    const { tab, leave, comeBack } = openFrozenTab(world)
    const waymark = tab.init()
    await waymark.ready()
    waymark.identify('ann')
    await leave()
    const next = world.openTab()
    const other = next.init()
    await other.ready()
    expect(other.ids.userId).toBe('ann')
    other.reset()
    await world.advance(1000)
    next.leave()
    await comeBack()
    expect(waymark.ids).toEqual(other.ids)
  })

  it('goes on with the session of the page after it', async () => {
    const world = createWorld()
    const { tab, leave, comeBack } = openFrozenTab(world)
    const waymark = tab.init()
    await waymark.ready()
    await world.advance(2000)
    waymark.track('A')
    await leave()
    const next = world.openTab()
    const other = next.init()
    for (let times = 3; times > 0; times--) {
      await world.advance(15 * 60_000)
      other.track('B')
      await world.settle()
    }
    await world.advance(1000)
    next.leave()
    const { sessionId } = other.ids
    await comeBack()
    expect(waymark.ids.sessionId).toBe(sessionId)
  })
})
