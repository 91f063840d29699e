import { describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/core/types'
import { createWorld, withTransact } from '../world/createWorld'

type World = ReturnType<typeof createWorld>

const propertiesOf = async (world: World, waymark: Waymark) => {
  waymark.track('Read')
  await world.advance(3000)
  const { first, plan, theme } = world.service.events().findLast(({ event }) => event === 'Read')!.properties
  return { first, plan, theme }
}

const visit = async (world: World, ...changes: Parameters<World['openTab']>[1][]) => {
  const tab = world.openTab('https://shop.test/', ...changes)
  const waymark = tab.init()
  await world.advance(100)
  return { tab, waymark }
}

/** A visitor with registered properties; then a page whose database fails for as long as `disk.isBroken`. */
const createKnown = async () => {
  const world = createWorld()
  const first = await visit(world)
  first.waymark.registerOnce({ first: 'letter' })
  first.waymark.register({ plan: 'pro' })
  first.waymark.track('Earlier')
  await world.advance(3000)
  first.tab.leave()
  first.tab.crash()

  const disk = { isBroken: true }
  const failing = withTransact((database, ...asked) =>
    disk.isBroken
      ? Promise.reject(new DOMException('Internal error.', 'UnknownError'))
      : database.transact(...asked),
  )
  const { tab, waymark } = await visit(world, failing)
  waymark.registerOnce({ first: 'banner' })
  waymark.register({ theme: 'dark' })
  waymark.page()
  await world.advance(3000)
  return { world, ids: first.waymark.ids, disk, tab, waymark }
}

const all = { first: 'letter', plan: 'pro', theme: 'dark' }

describe('a first read that fails', () => {
  it('does not keep the page from sending', async () => {
    const { world, waymark } = await createKnown()
    expect(world.service.names()).toContain('$pageview')
    expect(waymark.stats().store).toBe('memory')
  })

  it('changes nothing that is stored: the next page finds the ids, and what was registered in both', async () => {
    const { world, ids, tab } = await createKnown()
    tab.leave()
    tab.crash()
    const { waymark } = await visit(world)
    expect(waymark.ids).toMatchObject({ deviceId: ids.deviceId, anonymousId: ids.anonymousId })
    expect(await propertiesOf(world, waymark)).toEqual(all)
  })

  it('leaves a login to the next page', async () => {
    const { world, ids, tab, waymark: before } = await createKnown()
    before.identify('ann')
    tab.leave()
    tab.crash()
    const { waymark } = await visit(world)
    expect(waymark.ids).toMatchObject({
      deviceId: ids.deviceId,
      anonymousId: ids.anonymousId,
      userId: 'ann',
    })
  })

  it('leaves a login to the next page but one, where the next fails, too', async () => {
    const { world, ids, tab, waymark: before } = await createKnown()
    before.identify('ann')
    tab.leave()
    tab.crash()
    const failing = withTransact(() => Promise.reject(new DOMException('Internal error.', 'UnknownError')))
    const next = await visit(world, failing)
    expect(next.waymark.ids.userId).toBe('ann')
    next.waymark.register({ theme: 'light' })
    next.tab.leave()
    next.tab.crash()
    const { waymark } = await visit(world)
    expect(waymark.ids).toMatchObject({ anonymousId: ids.anonymousId, userId: 'ann' })
    expect(await propertiesOf(world, waymark)).toEqual({ ...all, theme: 'light' })
    expect([...world.notes]).toEqual([])
  })

  it('is tried again half a minute later: the page goes on with what is stored', async () => {
    const { world, ids, disk, waymark } = await createKnown()
    disk.isBroken = false
    await world.advance(30_000)
    waymark.track('Later')
    await world.advance(3000)
    expect(waymark.stats().store).toBe('indexeddb')
    expect(waymark.ids).toMatchObject({ deviceId: ids.deviceId, anonymousId: ids.anonymousId })
    expect(await propertiesOf(world, waymark)).toEqual(all)
  })
})

it('that fails again half a minute later keeps what was done since the first time', async () => {
  const { world, disk, waymark } = await createKnown()
  await world.advance(30_000)
  waymark.track('Fails Again')
  await world.advance(3000)
  disk.isBroken = false
  await world.advance(30_000)
  waymark.track('Works')
  await world.advance(3000)
  expect(waymark.stats().store).toBe('indexeddb')
  expect(await propertiesOf(world, waymark)).toEqual(all)
})

it('and that works when the page is back from the page cache gets the ids and properties that memory kept', async () => {
  const world = createWorld()
  const disk = { isBroken: true }
  const { tab, waymark } = await visit(world, {
    ...withTransact((database, ...asked) =>
      disk.isBroken
        ? Promise.reject(new DOMException('Internal error.', 'UnknownError'))
        : database.transact(...asked),
    ),
    // A page may have no localStorage, to note there what it could not store.
    writeNote() {},
  })
  waymark.register({ plan: 'pro' })
  const { deviceId } = waymark.ids
  tab.leave()
  disk.isBroken = false
  await world.advance(60_000)
  tab.fire('pageshow')
  await world.advance(1000)
  tab.crash()
  const next = await visit(world)
  expect(next.waymark.ids.deviceId).toBe(deviceId)
  expect(await propertiesOf(world, next.waymark)).toEqual({ plan: 'pro' })
})

it('a later read that fails leaves the visitor known: what changes is told to other tabs as before', async () => {
  const world = createWorld()
  let isBroken = false
  const failing = withTransact((database, mode, work) =>
    isBroken && mode === 'readwrite'
      ? Promise.reject(new DOMException('Internal error.', 'UnknownError'))
      : database.transact(mode, work),
  )
  const { waymark } = await visit(world, failing)
  const other = await visit(world)
  waymark.track('First')
  await world.advance(40 * 60_000)
  isBroken = true
  waymark.track('Later')
  await world.advance(3000)
  waymark.register({ plan: 'pro' })
  await world.advance(100)
  expect(await propertiesOf(world, other.waymark)).toEqual({ plan: 'pro' })
})

it('where there is never a database, the next page is the same visitor all the same', async () => {
  const world = createWorld()
  const refused = withTransact(() => Promise.reject(new DOMException('denied', 'SecurityError')))
  const first = await visit(world, refused)
  first.waymark.identify('ann')
  first.waymark.register({ plan: 'pro' })
  await world.advance(3000)
  for (let page = 0; page < 3; page++) {
    first.tab.leave()
    expect(world.notes.get('waymark production pk_test')!.length).toBeLessThan(600)
    const next = await visit(world, refused)
    expect(next.waymark.ids).toEqual({ ...first.waymark.ids, sessionId: expect.any(String) })
    expect(await propertiesOf(world, next.waymark)).toEqual({ plan: 'pro' })
    Object.assign(first, next)
  }
})

it('with the persistence "memory" a page that leaves notes nothing', async () => {
  const world = createWorld()
  const tab = world.openTab()
  const waymark = tab.init({ persistence: 'memory' })
  await waymark.ready()
  waymark.identify('ann')
  waymark.register({ plan: 'pro' })
  await world.advance(3000)
  tab.leave()
  expect([...world.notes]).toEqual([])
})

describe('calls that wait for the first read', () => {
  it('come before what a listener calls that is told of the ids, and in the order of the calls', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    waymark.on('identity', ({ userId }) => waymark.track(userId ? 'Told of Ann' : 'Told'))
    waymark.on('session', () => waymark.track('Session'))
    waymark.track('First')
    waymark.identify('ann')
    waymark.track('Last')
    await world.advance(3000)
    const waited = world.service.names().filter((name) => !/Told|Session/.test(name))
    expect(waited).toEqual(['First', 'identify', 'Last'])
    expect(world.service.names().slice(0, 3)).toEqual(waited)
    expect(world.service.names()).toEqual(expect.arrayContaining(['Told', 'Told of Ann', 'Session']))
  })

  it('are counted where they make a payload', async () => {
    const world = createWorld()
    const tab = world.openSlowTab()
    const waymark = tab.init()
    waymark.register({ plan: 'pro' })
    waymark.reset()
    waymark.unregister('plan')
    waymark.track('A')
    waymark.identify('ann')
    expect(waymark.stats().queued).toBe(2)
    tab.open()
    await world.advance(100)
    expect(waymark.stats().queued).toBe(2)
    expect(await waymark.flush()).toEqual({ sent: 2, left: 0, dropped: 0 })
  })
})
