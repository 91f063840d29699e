import { describe, expect, it } from 'vitest'
import { scan } from '../../src/core/claim'
import type { Instance } from '../../src/core/instance'
import { createWorld, openDatabase, withTransact } from '../world/createWorld'
import { leaveBehind } from '../world/leaveBehind'
import { openQueue } from '../world/openQueue'

describe('records of others', () => {
  it('are claimed by a transaction that commits in words, which a kill of the browser cannot undo', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const gone = world.openTab()
    const first = gone.init()
    for (const name of ['Gone', 'Gone too', 'And this']) {
      first.track(name)
      await world.advance(100)
    }
    gone.crash()
    await world.advance(10_000)
    const commits = { wanted: 0, made: 0 }
    const counted = withTransact((database, mode, work) => {
      if (mode === 'readwrite') commits.wanted++
      return database.transact(mode, (store, commit) =>
        work(store, () => {
          if (mode === 'readwrite') commits.made++
          commit()
        }),
      )
    })
    const waymark = world.openTab('https://shop.test/', counted).init()
    await world.advance(3000)
    expect(waymark.stats().queued).toBe(3)
    expect(commits).toEqual({ wanted: 2, made: 2 })
  })

  it.each<[string, Partial<Instance>, number]>([
    ['by a page that is open', {}, 1],
    ['not by one that has left', { pageState: 'away' }, 0],
    ['not by one that is looking already', { isScanning: true }, 0],
    ['not where the database does not work', { brokenUntil: Infinity }, 0],
  ])('are looked for %s', async (_, state, reads) => {
    const world = createWorld()
    let count = 0
    const database = openDatabase('q')
    const transact: typeof database.transact = (...asked) => {
      count++
      return database.transact(...asked)
    }
    await scan(
      Object.assign(openQueue(world), { database: { ...database, transact }, brokenUntil: 0 }, state),
      () => {},
    )
    expect(count).toBe(reads)
  })

  it('are claimed, and the disk is left alone, after the clock was set back', async () => {
    const world = createWorld()
    await leaveBehind(world)
    world.setClock(world.now() - 3_600_000)
    world.service.become({ kind: 'well' })
    let reads = 0
    const counted = withTransact((database, mode, work) => {
      if (mode === 'readonly') reads++
      return database.transact(mode, work)
    })
    world.openTab('https://shop.test/', counted).init()
    await world.advance(3_600_000)
    expect(world.service.names()).toEqual(['Gone'])
    expect(reads).toBeLessThan(12)
  })

  it('are looked for by a page that is back, whatever became of the look during which it left', async () => {
    const world = createWorld()
    await leaveBehind(world)
    await world.advance(10_000)
    let isStuck = true
    // Firefox tells a page that is back nothing of a transaction that it ended when it left.
    const stuck = withTransact((database, mode, work) =>
      isStuck && mode === 'readonly' ? new Promise(() => {}) : database.transact(mode, work),
    )
    const tab = world.openTab('https://shop.test/', stuck)
    const waymark = tab.init()
    await waymark.ready()
    tab.leave()
    isStuck = false
    tab.fire('pageshow')
    await world.advance(3000)
    expect(waymark.stats().queued).toBe(1)
  })

  it('are found also of a page that has answered before, and is gone since', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const tab = world.openTab()
    tab.init().track('Of the other')
    const waymark = world.openTab().init()
    await world.advance(10_000)
    tab.crash()
    for (const _ of [1, 2]) {
      await world.advance(70_000)
      world.service.become({ kind: 'well' })
      waymark.track('Mine')
    }
    await world.advance(10_000)
    expect(world.service.names()).toContain('Of the other')
  })

  it('are sent once, where the page left while it claimed them, and is back', async () => {
    const world = createWorld()
    await leaveBehind(world)
    await world.advance(10_000)
    let writes = 0
    let release = () => {}
    const tab = world.openTab(
      'https://shop.test/',
      withTransact(async (database, mode, work) => {
        const result = await database.transact(mode, work)
        if (mode === 'readwrite' && ++writes === 2) await new Promise<void>((resolve) => (release = resolve))
        return result
      }),
    )
    const waymark = tab.init()
    await world.advance(3000)
    expect(writes).toBe(2)
    tab.leave()
    tab.fire('pageshow')
    release()
    await world.settle()
    expect(waymark.stats().queued).toBe(0)
    world.service.become({ kind: 'well' })
    await world.advance(60_000)
    expect(world.service.names()).toEqual(['Gone'])
  })

  it('are not taken from a live tab by a page that left while it looked, and is back', async () => {
    const world = createWorld()
    await leaveBehind(world)
    await world.advance(10_000)
    const tab = world.openTab()
    const waymark = tab.init()
    await waymark.ready()
    await world.advance(100)
    tab.leave()
    tab.sleep()
    const owner = world.openTab().init()
    await owner.ready()
    owner.track('Mine')
    await world.advance(6000)
    tab.fire('pageshow')
    tab.wake()
    await world.advance(5000)
    expect([owner.stats().queued, waymark.stats().queued]).toEqual([2, 0])
  })
})
