import { describe, expect, it } from 'vitest'
import type { Browser } from '../../src/core/browser'
import type { InitConfig } from '../../src/core/types'
import { createWorld, openDatabase } from '../world/createWorld'

const counting = { kind: 'well', isCounting: true } as const
const failing = { kind: 'answers', status: 503, body: '' } as const

/** A page whose first event the service has answered, in a browser that knows `fetchLater`. */
const open = async (config: Partial<InitConfig> = {}, changes: Partial<Browser> = {}) => {
  const world = createWorld()
  world.service.become(counting)
  const tab = world.openTab('https://shop.test/', changes)
  tab.canDefer = true
  const waymark = tab.init({ consent: 'anonymous', ...config })
  waymark.track('First')
  await world.advance(3000)
  return { world, tab, waymark, service: world.service, deferred: tab.deferred }
}

/** Such a page, hidden while the answer to a request is under way: what is tracked then waits in memory. */
const openWaiting = async (config?: Partial<InitConfig>) => {
  const opened = await open(config)
  const { world, tab, waymark, service } = opened
  tab.fire('hidden')
  await world.settle()
  service.hold()
  waymark.track('Under way')
  await world.advance(0)
  const { id } = waymark.track('Waits')
  await world.settle()
  return { ...opened, id }
}

/** A database that answers no more from `hold` on. */
const openSlow = () => {
  let isHeld = false
  const changes: Partial<Browser> = {
    openDatabase(name) {
      const database = openDatabase(name)
      return {
        ...database,
        async transact(mode, work) {
          if (isHeld && mode === 'put') await new Promise<never>(() => {})
          return database.transact(mode, work)
        },
      }
    },
  }
  return { changes, hold: () => void (isHeld = true) }
}

describe('a page that is killed while it is hidden', () => {
  it('has left what waits in memory to the browser, which sends it once', async () => {
    const { world, tab, service, id } = await openWaiting()
    tab.crash()
    await world.settle()
    expect(service.names()).toEqual(['First', 'Under way', 'Waits'])
    expect(service.events().at(-1)!.properties['insert_id']).toBe(id)
    expect(service.arrivals.at(-1)!.path).toContain('/anonymous?apiKey=pk_test')
  })

  it('has left also what had to wait before it was hidden, during an outage', async () => {
    const { world, tab, waymark, service } = await open()
    service.become(failing)
    waymark.track('In the outage')
    await world.advance(1000)
    expect(tab.deferred.size).toBe(0)
    tab.fire('hidden')
    await world.settle()
    service.become(counting)
    tab.crash()
    await world.settle()
    expect(service.names()).toEqual(['First', 'In the outage'])
  })

  it.each(['a browser without fetchLater', 'a page that sends by a fetch of its own'])(
    'loses it in %s',
    async (what) => {
      const world = createWorld()
      world.service.become(counting)
      const tab = world.openTab()
      const isOwn = what.startsWith('a page')
      tab.canDefer = isOwn
      const own = {
        fetch: ((url: string, init: RequestInit) => world.service.fetch(url, init, tab)) as typeof fetch,
      }
      const waymark = tab.init({ consent: 'anonymous', transport: isOwn ? own : {} })
      waymark.track('First')
      await world.advance(3000)
      world.service.become(failing)
      tab.fire('hidden')
      waymark.track('Lost')
      await world.advance(3000)
      expect([tab.deferred.size, waymark.stats().queued, world.service.names()]).toEqual([0, 1, ['First']])
    },
  )
})

describe('what is left to the browser', () => {
  it('is taken back when the page is shown, and left again when it is hidden', async () => {
    const { world, tab, deferred } = await openWaiting()
    expect(deferred.size).toBe(1)
    tab.fire('visible')
    expect(deferred.size).toBe(0)
    tab.fire('hidden')
    expect(deferred.size).toBe(1)
    tab.crash()
    await world.settle()
    expect(world.service.names()).toEqual(['First', 'Under way', 'Waits'])
  })

  it('is taken back when a request carries it, and left again when that fails', async () => {
    const { world, tab, service, deferred } = await openWaiting()
    service.become(failing)
    service.answerNow()
    await world.settle()
    // Carried by the next request, and refused.
    expect(deferred.size).toBe(1)
    service.become(counting)
    service.hold()
    await world.advance(10_000)
    expect(deferred.size).toBe(0)
    service.answerNow()
    await world.advance(10_000)
    tab.crash()
    await world.settle()
    expect(service.names()).toEqual(['First', 'Under way', 'Waits'])
  })

  it('is all that waits in memory, in one request', async () => {
    const { world, tab, waymark, service } = await openWaiting()
    waymark.track('Waits longer')
    await world.settle()
    expect(tab.deferred.size).toBe(1)
    tab.crash()
    await world.settle()
    expect(service.arrivals.at(-1)!.payloads.map(({ event }) => event)).toEqual(['Waits', 'Waits longer'])
  })

  it('is sent by the browser after six minutes in which no timer of the page has rung', async () => {
    const { world, tab, service } = await openWaiting()
    tab.sleep()
    await world.advance(359_000)
    expect(service.names()).not.toContain('Waits')
    await world.advance(1000)
    expect(service.names()).toEqual(['First', 'Under way', 'Waits'])
  })

  it('is taken back by a page that hands it off', async () => {
    const { world, tab, service, deferred } = await openWaiting()
    tab.leave()
    expect(deferred.size).toBe(0)
    await world.settle()
    tab.crash()
    await world.settle()
    expect(service.names()).toEqual(['First', 'Under way', 'Waits'])
  })

  it('stays there in a page that is frozen in an outage, and then killed', async () => {
    const { world, tab, waymark, service } = await open()
    service.become(failing)
    tab.fire('hidden')
    await world.settle()
    waymark.track('Waits')
    await world.advance(1000)
    tab.fire('freeze')
    await world.settle()
    service.become(counting)
    tab.crash()
    await world.settle()
    expect(service.names()).toEqual(['First', 'Waits'])
  })

  it.each(['open', 'away'])('is taken back by a refusal, of a page that is %s', async (state) => {
    const { world, tab, waymark, service, deferred } = await open()
    service.become(failing)
    tab.fire('hidden')
    await world.settle()
    waymark.track('Waits')
    await world.advance(1000)
    if (state === 'away') tab.fire('pagehide')
    expect(deferred.size).toBe(1)
    waymark.setConsent('denied')
    await world.settle()
    expect(deferred.size).toBe(0)
    tab.crash()
    await world.settle()
    expect(service.names()).toEqual(['First'])
  })

  it('is taken back when the instance is ended', async () => {
    const { world, waymark, service, deferred } = await openWaiting()
    service.become(failing)
    const ended = waymark.shutdown()
    service.answerNow()
    await ended
    await world.settle()
    expect([deferred.size, waymark.stats().queued]).toEqual([0, 0])
  })

  it('is nothing before the service has said that it takes events without ids', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.canDefer = true
    const waymark = tab.init({ consent: 'anonymous' })
    world.service.hold()
    tab.fire('hidden')
    waymark.track('Not asked for')
    await world.advance(1000)
    expect([tab.deferred.size, waymark.stats().queued]).toEqual([0, 1])
  })

  it('is nothing of a visitor whose service never answered', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const tab = world.openTab()
    tab.canDefer = true
    const waymark = tab.init({ persistence: 'memory' })
    waymark.track('Blocked')
    await world.advance(5000)
    tab.fire('hidden')
    await world.settle()
    expect([tab.deferred.size, waymark.stats().queued]).toEqual([0, 1])
  })
})

describe('after a consent', () => {
  it('nothing is left to the browser that the disk takes: it would be sent twice', async () => {
    const { changes, hold } = openSlow()
    const { world, tab, waymark, service, deferred } = await open({ consent: 'granted' }, changes)
    tab.fire('hidden')
    await world.settle()
    hold()
    waymark.track('Being written')
    await world.settle()
    expect([deferred.size, waymark.stats()]).toMatchObject([0, { store: 'indexeddb', queued: 1 }])
    tab.crash()
    await world.settle()
    expect(service.names()).toEqual(['First'])
  })

  it('all of a page without a database is', async () => {
    const { world, tab, waymark, service } = await open({ consent: 'granted', persistence: 'memory' })
    tab.fire('hidden')
    waymark.track('In memory')
    await world.settle()
    tab.crash()
    await world.settle()
    expect(service.names()).toEqual(['First', 'In memory'])
    expect(service.arrivals.at(-1)!.path).toContain('/track?')
  })

  it('what was left without ids is taken back, and goes under ids where the page says so', async () => {
    const { world, waymark, service, deferred } = await openWaiting({ anonymous: { join: true } })
    waymark.setConsent('granted')
    await world.settle()
    expect(deferred.size).toBe(0)
    service.answerNow()
    await world.advance(10_000)
    expect(service.events().filter(({ event }) => event === 'Waits')).toMatchObject([
      { distinct_id: waymark.ids.anonymousId },
    ])
  })
})
