import { describe, expect, it } from 'vitest'
import { createInstance } from '../../src/core/instance'
import { follow } from '../../src/core/page'
import type { Waymark } from '../../src/core/types'
import { createWorld, withTransact } from '../world/createWorld'
import { names } from '../world/openPage'
import { leaveBehind } from '../world/leaveBehind'
import { readRecords } from '../world/readStore'

describe('a page that goes', () => {
  it.each(['pagehide', 'freeze'] as const)(
    'by %s knows so before anything else is read, called or changed',
    async (event) => {
      const world = createWorld()
      const tab = world.openTab()
      const order: string[] = []
      const watch = <T extends object>(target: T, name: string): T =>
        new Proxy(target, {
          get(_, key) {
            order.push(`${name}.${String(key)}`)
            return Reflect.get(target, key) as unknown
          },
          set(_, key, value) {
            order.push(`${name}.${String(key)} = ${value}`)
            return Reflect.set(target, key, value)
          },
        })
      follow(watch(createInstance(watch(tab.browser, 'browser'), {} as Waymark), 'instance'))
      await world.settle()
      order.length = 0
      tab.fire(event)
      expect(order[0]).toBe('instance.pageState = leaving')
      expect(order.at(-1)).toBe('instance.pageState = away')
    },
  )

  it('leaves no timer, also where it waits for the queue of another that has just gone', async () => {
    const world = createWorld()
    await leaveBehind(world)
    const tab = world.openTab()
    tab.init()
    await world.advance(1000)
    expect(world.timers()).toBe(1)
    tab.leave()
    expect(world.timers()).toBe(0)
  })

  it('while it was only believed to be online again leaves everything on disk', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    await waymark.ready()
    waymark.track('Before')
    await world.advance(3000)
    world.service.become({ kind: 'down' })
    tab.fire('offline')
    names(12).forEach((name) => waymark.track(name))
    await world.advance(3000)
    tab.fire('online')
    await world.advance(100)
    waymark.track('Last')
    await world.settle()
    const { handedOff } = waymark.stats()
    tab.leave()
    await world.settle()
    expect(waymark.stats().handedOff).toBe(handedOff)
    expect(await readRecords()).not.toEqual([])
    tab.crash()
    world.service.become({ kind: 'well' })
    await world.advance(6000)
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['Before', ...names(12), 'Last'])
  })

  it('in the very task of `online` leaves everything on disk, the request under way too', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    await waymark.ready()
    waymark.track('Before')
    await world.advance(3000)
    world.service.become({ kind: 'down' })
    tab.fire('offline')
    names(3).forEach((name) => waymark.track(name))
    await world.settle()
    tab.fire('online')
    tab.leave()
    tab.crash()
    await world.advance(6000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['Before', ...names(3)])
  })

  it('hands off again as soon as one request has succeeded', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    await waymark.ready()
    tab.fire('offline')
    waymark.track('A')
    await world.advance(3000)
    tab.fire('online')
    await world.advance(10_000)
    const { outcome } = waymark.track('B')
    await world.settle()
    tab.leave()
    await world.settle()
    expect(await outcome).toEqual({ status: 'handed-off' })
    expect(world.service.names()).toEqual(['A', 'B'])
  })
})

describe('a page behind a service worker', () => {
  const open = async (canDefer: boolean) => {
    const world = createWorld()
    const tab = world.openTab()
    Object.assign(tab, { hasWorker: true, canDefer })
    const waymark = tab.init()
    waymark.track('First')
    await world.advance(3000)
    return { world, tab, waymark }
  }
  const visitAgain = async (world: ReturnType<typeof createWorld>) => {
    await world.advance(6000)
    world.openTab().init()
    await world.advance(10_000)
  }
  const arrivals = (world: ReturnType<typeof createWorld>, name: string) =>
    world.service.events().filter(({ event }) => event === name)

  it('keeps on disk what it has handed off, and sends it again under the same id', async () => {
    const { world, tab, waymark } = await open(false)
    const { id, outcome } = waymark.track('Last')
    await world.settle()
    tab.leave()
    tab.crash()
    await visitAgain(world)
    expect(await outcome).toEqual({ status: 'handed-off' })
    expect(arrivals(world, 'Last').map(({ properties }) => properties['insert_id'])).toEqual([id, id])
    expect(world.service.arrivals.map(({ by }) => by)).not.toContain('beacon')
  })

  it('keeps also what was tracked in the task in which it goes', async () => {
    const { world, tab, waymark } = await open(false)
    waymark.track('Last')
    tab.leave()
    await world.settle()
    tab.crash()
    await visitAgain(world)
    expect(arrivals(world, 'Last')).toHaveLength(2)
  })

  it('that can defer requests keeps nothing of what was deferred', async () => {
    const { world, tab, waymark } = await open(true)
    waymark.track('Last')
    await world.settle()
    tab.leave()
    tab.crash()
    await visitAgain(world)
    expect(arrivals(world, 'Last')).toHaveLength(1)
    expect(await readRecords()).toEqual([])
  })

  it('that can defer requests keeps the one under way, which was not', async () => {
    const { world, tab, waymark } = await open(true)
    world.service.hold()
    names(20).forEach((name) => waymark.track(name))
    await world.advance(0)
    tab.leave()
    tab.crash()
    world.service.answerNow()
    await visitAgain(world)
    expect(arrivals(world, 'E0')).toHaveLength(2)
    expect(arrivals(world, 'E19')).toHaveLength(2)
  })
})

describe('an error of our own', () => {
  it('in delivery is told, and delivery goes on', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    const codes: string[] = []
    waymark.on('error', ({ code }) => codes.push(code))
    await waymark.ready()
    world.service.become({ kind: 'down' })
    tab.browser.random = () => {
      throw new TypeError('a bug')
    }
    waymark.track('A')
    await world.advance(3000)
    expect(codes).toContain('internal')
    tab.browser.random = () => 0.5
    world.service.become({ kind: 'well' })
    await world.advance(60_000)
    expect(world.service.names()).toEqual(['A'])
    expect(waymark.stats()).toMatchObject({ queued: 0, state: 'idle' })
  })

  it('in a claim is told, and the next look finds what is left', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const gone = world.openTab()
    const first = gone.init()
    await first.ready()
    names(3).forEach((name) => first.track(name))
    await world.advance(100)
    gone.crash()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })

    let isBroken = false
    const broken = withTransact((database, mode, work) =>
      database.transact(mode, (store, commit) => {
        if (isBroken && mode === 'readwrite') throw new TypeError('a bug in a claim')
        return work(store, commit)
      }),
    )
    const tab = world.openTab('https://shop.test/', broken)
    const waymark = tab.init()
    const errors: string[] = []
    waymark.on('error', ({ code, message }) => errors.push(`${code} ${message}`))
    await waymark.ready()
    isBroken = true
    await world.advance(3000)
    expect(errors).toEqual([expect.stringMatching(/^internal .*a bug in a claim/)])
    isBroken = false
    waymark.track('Mine')
    await world.advance(120_000)
    waymark.track('Later')
    await world.advance(120_000)
    expect(world.service.names().toSorted()).toEqual([...names(3), 'Later', 'Mine'])
  })
})
