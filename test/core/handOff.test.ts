import { describe, expect, it } from 'vitest'
import { createWorld, openDatabase } from '../world/createWorld'
import { names, openPage } from '../world/openPage'

describe('leaving', () => {
  it('counts a request in flight as handed over, and does not send it twice', async () => {
    const { world, tab, service, track } = await openPage()
    track(...names(20))
    service.hold()
    await world.advance(0)
    track('Last')
    tab.leave()
    tab.crash()
    await world.settle()
    world.openTab().init()
    await world.advance(20_000)
    expect(service.names()).toEqual([...names(20), 'Last'])
  })

  it('leaves everything on disk while the service is not well', async () => {
    const { world, tab, service, track } = await openPage()
    service.become({ kind: 'down' })
    track(...names(20))
    await world.advance(1000)
    track('Last')
    await world.settle()
    tab.leave()
    tab.crash()
    service.become({ kind: 'well' })
    expect(service.taken).toEqual([])
    await world.advance(6000)
    world.openTab().init()
    await world.advance(5000)
    expect(service.names()).toEqual([...names(20), 'Last'])
  })

  it('remembers over pages that the service is not well, and hands nothing over', async () => {
    const { world, tab, service, track } = await openPage()
    service.become({ kind: 'down' })
    track(...names(20))
    await world.advance(1000)
    tab.leave()
    tab.crash()
    const next = world.openTab()
    const waymark = next.init()
    await waymark.ready()
    waymark.track('Quick')
    await world.settle()
    next.leave()
    next.crash()
    await world.advance(10_000)
    service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual([...names(20), 'Quick'])
  })

  it('leaves everything on disk when the browser is offline', async () => {
    const { world, tab, service, track } = await openPage()
    track('A')
    await world.settle()
    tab.isOnline = false
    tab.leave()
    await world.settle()
    expect(service.arrivals).toEqual([])
  })

  it('sends at once what is tracked while the page goes', async () => {
    const { world, tab, service, waymark } = await openPage()
    tab.fire('pagehide')
    waymark.track('In the handler')
    tab.fire('hidden')
    await world.settle()
    tab.crash()
    expect(service.names()).toEqual(['In the handler'])
    world.openTab().init()
    await world.advance(20_000)
    expect(service.names()).toEqual(['In the handler'])
  })

  it('hands over as much as the browser carries, and leaves the rest on disk', async () => {
    const { world, tab, service, waymark } = await openPage()
    for (let n = 0; n < 19; n++) waymark.track(`E${n}`, { text: 'x'.repeat(8000) })
    await world.settle()
    tab.leave()
    await world.settle()
    const bytes = service.arrivals.map(({ payloads }) => JSON.stringify(payloads).length)
    expect(bytes.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(60 * 1024)
    expect(service.names()).toEqual(names(6))
    tab.crash()
    await world.advance(6000)
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual(names(19))
  })

  it.each([1, 2, 3, 4, 5, 6, 7])(
    'finishes in the hidden handler what was cut short at platform call %i',
    async (cut) => {
      const { world, service } = await openPage()
      let calls = Infinity
      const step = () => {
        if (--calls === 0) throw new Error('cut')
      }
      const tab = world.openTab('https://shop.test/', {
        // The browser has taken the request when the handler dies.
        prepareBeacon: (url, init) => (attempt) => {
          step()
          attempt.begun = true
          service.beacon(url, String(init.body))
          step()
          return true
        },
        openDatabase(name) {
          const database = openDatabase(name)
          return {
            ...database,
            abortReads() {
              step()
              database.abortReads()
            },
            transact(mode, work) {
              step()
              return database.transact(mode, work)
            },
          }
        },
      })
      const waymark = tab.init({ transport: { beacon: true }, batch: { maxBytes: 2000 } })
      await waymark.ready()
      for (const name of names(8)) {
        waymark.track(name)
        await world.settle()
      }
      calls = cut
      tab.fire('pagehide')
      calls = Infinity
      tab.fire('hidden')
      await world.settle()
      expect(new Set(service.arrivals.map(({ by }) => by))).toEqual(new Set(['beacon']))
      tab.crash()
      world.openTab().init()
      await world.advance(20_000)
      expect(service.names().toSorted()).toEqual(names(8))
    },
  )

  it('keeps on disk what the browser does not take', async () => {
    const { world, service } = await openPage()
    const tab = world.openTab('https://shop.test/', { prepareBeacon: () => () => false })
    const waymark = tab.init({ transport: { beacon: true } })
    await waymark.ready()
    waymark.track('A')
    await world.settle()
    tab.leave()
    tab.crash()
    await world.advance(6000)
    expect(service.names()).toEqual([])
    world.openTab().init()
    await world.advance(6000)
    expect(service.names()).toEqual(['A'])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('bug')
      },
    ],
    ['gives no promise', () => undefined as never],
  ])('keeps on disk what a fetch of the page did not take that %s', async (_, fetch) => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init({ transport: { fetch } })
    await waymark.ready()
    waymark.track('A')
    await world.settle()
    tab.leave()
    tab.crash()
    expect(waymark.stats()).toMatchObject({ queued: 1, handedOff: 0 })
    await world.advance(6000)
    world.openTab().init()
    await world.advance(6000)
    expect(world.service.names()).toEqual(['A'])
  })

  it('by a switch of tabs sends as usual, and keeps all until the answer', async () => {
    const { world, tab, service, waymark, track } = await openPage()
    track('A')
    service.hold()
    tab.fire('hidden')
    await world.settle()
    expect(service.arrivals.map(({ by }) => by)).toEqual(['fetch'])
    expect(waymark.stats()).toMatchObject({ queued: 1, sent: 0, state: 'sending' })
    service.answerNow()
    await world.settle()
    expect(waymark.stats()).toMatchObject({ queued: 0, sent: 1 })
  })

  it.each(['hidden', 'visible'] as const)(
    'by closing its own window, %s before it goes, counts the request that is rejected then as handed over',
    async (before) => {
      const { world, service } = await openPage()
      let reject: (error: Error) => void = () => {}
      const tab = world.openTab('https://shop.test/', {
        fetch(url, init) {
          void service.fetch(url, init, tab)
          return new Promise((_, no) => (reject = no))
        },
      })
      const waymark = tab.init()
      await waymark.ready()
      const { outcome } = waymark.track('A')
      await world.advance(2000)
      tab.isClosing = true
      tab.fire(before)
      reject(new TypeError('Failed to fetch'))
      await world.settle()
      tab.fire('pagehide')
      await world.settle()
      tab.crash()
      expect(await outcome).toEqual({ status: 'handed-off' })
      world.openTab().init()
      await world.advance(20_000)
      expect(service.names()).toEqual(['A'])
    },
  )

  it('by closing its own window believes a failure when the page stays', async () => {
    const { world, tab, service, waymark, track } = await openPage()
    service.become({ kind: 'down' })
    track('A')
    tab.isClosing = true
    tab.fire('hidden')
    await world.advance(400)
    expect(waymark.stats()).toMatchObject({ queued: 1, state: 'waiting' })
    service.become({ kind: 'well' })
    await world.advance(10_000)
    expect(service.names()).toEqual(['A'])
  })

  it('right after another tab was shown leaves on disk what was refused', async () => {
    const { world, tab, service, track } = await openPage()
    service.become({ kind: 'down' })
    track('A')
    tab.fire('hidden')
    await world.settle()
    tab.leave()
    tab.crash()
    service.become({ kind: 'well' })
    await world.advance(6000)
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual(['A'])
  })

  it('by closing its own window sends nothing to a service that did not answer the page before', async () => {
    const { world, tab, service, track } = await openPage()
    service.become({ kind: 'down' })
    track(...names(20))
    await world.advance(1000)
    tab.leave()
    tab.crash()
    service.become({ kind: 'well' })
    const popup = world.openTab()
    const waymark = popup.init()
    await waymark.ready()
    waymark.track('Popup')
    popup.fire('hidden')
    await world.settle()
    // The window goes, and what was under way would be delivered all the same.
    popup.fire('pagehide')
    popup.crash()
    expect(service.arrivals).toEqual([])
    await world.advance(6000)
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual([...names(20), 'Popup'])
  })

  it('from the background, where requests are refused, leaves everything on disk', async () => {
    const { world, tab, service, waymark, track } = await openPage()
    tab.fire('hidden')
    await world.advance(1000)
    service.become({ kind: 'down' })
    track(...names(20))
    // Its timers stand still for a second: the flush does not wait for one.
    await world.settle()
    expect(waymark.stats()).toMatchObject({ queued: 20, state: 'waiting' })
    tab.leave()
    tab.crash()
    service.become({ kind: 'well' })
    await world.advance(6000)
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual(names(20))
  })

  it('for the page cache and coming back goes on with a new queue', async () => {
    const { world, tab, service, waymark, track } = await openPage()
    track('A')
    await world.settle()
    tab.fire('pagehide')
    track('B')
    tab.fire('hidden')
    await world.settle()
    tab.fire('pageshow', 'visible')
    track('C')
    await world.advance(20_000)
    expect(service.names()).toEqual(['A', 'B', 'C'])
    expect(waymark.stats()).toMatchObject({ queued: 0, sent: 1, handedOff: 2 })
  })

  it('by being frozen gives the queue up, and takes a new one when it resumes', async () => {
    const { world, tab, service, waymark, track } = await openPage()
    service.become({ kind: 'down' })
    track('A')
    await world.advance(3000)
    tab.fire('hidden', 'freeze')
    // The browser discards it, or another tab finds its queue: it answers no more.
    await world.advance(10_000)
    service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual(['A'])
    tab.fire('resume', 'visible')
    expect(waymark.stats().queued).toBe(0)
    track('B')
    await world.advance(10_000)
    expect(service.names()).toEqual(['A', 'B'])
  })

  it('before the ids are read hands the early calls over all the same', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    waymark.track('Bounce')
    tab.leave()
    tab.crash()
    await world.settle()
    expect(world.service.names()).toEqual(['Bounce'])
  })

  it('before the ids are read hands the early calls over in one request', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    for (const name of ['A', 'B', 'C']) waymark.track(name)
    tab.leave()
    await world.settle()
    expect(world.service.arrivals).toHaveLength(1)
    expect(world.service.names()).toEqual(['A', 'B', 'C'])
  })

  it('uses keepalive fetch until the service is known to take a credentialed beacon', async () => {
    const { world, tab, service, track } = await openPage()
    track('A')
    await world.settle()
    tab.leave()
    expect(service.arrivals.map(({ by, init }) => [by, init?.keepalive, init?.credentials])).toEqual([
      ['fetch', true, 'omit'],
    ])
    await world.settle()
  })

  it('hands off by a request that outlives the page also what no other request would carry so', async () => {
    const { world, tab, service, waymark } = await openPage()
    waymark.track('Long', { text: 'x'.repeat(40_000) })
    await world.settle()
    tab.leave()
    expect(service.arrivals.map(({ by, init }) => [by, init?.keepalive])).toEqual([['fetch', true]])
    expect(waymark.stats()).toMatchObject({ queued: 0, handedOff: 1 })
    await world.settle()
  })

  it('keeps what was handed over until the next visit when told to deliver at least once', async () => {
    const { world, tab, service, track } = await openPage({ delivery: 'at-least-once' })
    const [tracked] = track('A')
    await world.settle()
    tab.leave()
    tab.crash()
    await world.advance(6000)
    world.openTab().init()
    await world.advance(5000)
    expect(service.events().map(({ properties }) => properties['insert_id'])).toEqual([
      tracked!.id,
      tracked!.id,
    ])
  })
})
