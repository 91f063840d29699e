import { describe, expect, it, vi } from 'vitest'
import type { Signals } from '../../src/core/types'
import { createWorld, openDatabase } from '../world/createWorld'
import { names, openPage } from '../world/openPage'
import { leaveBehind } from '../world/leaveBehind'

describe('flushing', () => {
  it('waits two seconds from the first event, and sends one array', async () => {
    const { world, service, track } = await openPage()
    track('A')
    await world.advance(1500)
    track('B')
    expect(service.arrivals).toEqual([])
    await world.advance(500)
    expect(service.arrivals).toHaveLength(1)
    expect(service.names()).toEqual(['A', 'B'])
  })

  it('starts at 20 events', async () => {
    const { world, service, track } = await openPage()
    track(...names(20))
    expect(service.arrivals).toEqual([])
    await world.advance(0)
    expect(service.names()).toEqual(names(20))
  })

  it('leaves what comes in during a request to the next flush, unless it is enough for one', async () => {
    const { world, service, track } = await openPage()
    track(...names(20))
    service.hold()
    await world.advance(0)
    track('Meanwhile')
    service.answerNow()
    await world.advance(1000)
    expect(service.arrivals).toHaveLength(1)
    await world.advance(2000)
    expect(service.arrivals).toHaveLength(2)
    expect(service.names()).toEqual([...names(20), 'Meanwhile'])
  })

  it('sends at once what came in during a request when it is enough for one', async () => {
    const { world, service, track } = await openPage()
    track(...names(20))
    service.hold()
    await world.advance(0)
    track(...names(20, 'Meanwhile '))
    service.answerNow()
    await world.settle()
    expect(service.names()).toEqual([...names(20), ...names(20, 'Meanwhile ')])
  })

  it('keeps the order of kinds, so that an alias never overtakes what came before it', async () => {
    const { world, service, waymark } = await openPage()
    waymark.track('A')
    waymark.identify('ann')
    waymark.track('B')
    waymark.alias('ann2')
    waymark.track('C')
    await world.advance(3000)
    expect(service.names()).toEqual(['A', 'identify', 'B', 'alias', 'C'])
  })

  it('keeps requests at 28 KiB', async () => {
    const { world, service, waymark } = await openPage()
    for (let n = 0; n < 40; n++) waymark.track(`E${n}`, { text: 'é'.repeat(1000) })
    await world.advance(3000)
    expect(service.names()).toEqual(names(40))
    for (const { init } of service.arrivals) {
      expect(new TextEncoder().encode(String(init!.body)).length).toBeLessThanOrEqual(28 * 1024)
    }
  })

  it('tells what a flush did, and gives up waiting in time', async () => {
    const { world, service, waymark, track } = await openPage()
    track('A', 'B')
    expect(await waymark.flush()).toEqual({ sent: 2, left: 0, dropped: 0 })
    service.become({ kind: 'hangs' })
    track('C')
    const flushed = waymark.flush({ timeoutMs: 100 })
    await world.advance(200)
    expect(await flushed).toEqual({ sent: 0, left: 1, dropped: 0 })
  })

  it.each(Array.from({ length: 14 }, (_, n) => n))(
    'sends what was tracked before it was asked, also %i microtasks after an answer',
    async (turns) => {
      const { world, service, waymark } = await openPage()
      const { outcome } = waymark.track('A')
      void waymark.flush()
      await outcome
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      waymark.track('B')
      const flushed = waymark.flush()
      await world.settle()
      expect(await flushed).toMatchObject({ left: 0 })
      expect(service.names()).toEqual(['A', 'B'])
    },
  )

  it('sends also what waits for the next session to be read', async () => {
    const { world, service, waymark, track } = await openPage()
    track('A')
    await world.advance(40 * 60_000)
    track('B')
    expect(service.names()).toEqual(['A'])
    expect(await waymark.flush()).toEqual({ sent: 1, left: 0, dropped: 0 })
    expect(service.names()).toEqual(['A', 'B'])
  })

  it('leaves no timer when the queue is empty', async () => {
    const { world, track } = await openPage()
    // It has looked for what others left.
    await world.settle()
    expect(world.timers()).toBe(0)
    track('A')
    await world.advance(5000)
    expect(world.timers()).toBe(0)
  })
})

describe('a service that is not well', () => {
  it.each([
    ['is down', { kind: 'down' }],
    ['answers 503', { kind: 'answers', status: 503, body: '' }],
    ['answers garbage with 200', { kind: 'answers', status: 200, body: '<html>' }],
    ['answers 200 with ok: false', { kind: 'answers', status: 200, body: '{"ok":false}' }],
  ] as const)(
    'and %s for 20 s gets at most six requests, and everything afterwards, once',
    async (_, mood) => {
      const { world, service, waymark, track } = await openPage()
      let requests = 0
      waymark.on('error', () => {})
      service.become(mood)
      track(...names(20))
      await world.advance(20_000)
      requests = service.arrivals.length
      expect(requests).toBeLessThanOrEqual(6)
      expect(waymark.stats()).toMatchObject({ queued: 20, state: 'waiting' })
      service.become({ kind: 'well' })
      await world.advance(60_000)
      expect(service.names()).toEqual(names(20))
    },
  )

  it('and says when to come back is not asked before', async () => {
    const { world, service, track } = await openPage()
    service.become({ kind: 'answers', status: 429, body: '', headers: { 'Retry-After': '60' } })
    track(...names(20))
    await world.advance(1000)
    service.become({ kind: 'well' })
    await world.advance(58_000)
    expect(service.arrivals).toHaveLength(1)
    await world.advance(3000)
    expect(service.names()).toEqual(names(20))
  })

  it('and says when to come back is not asked before by switches of tabs', async () => {
    const { world, tab, service, track } = await openPage()
    service.become({ kind: 'answers', status: 429, body: '', headers: { 'Retry-After': '60' } })
    track('A')
    await world.advance(3000)
    for (let n = 0; n < 10; n++) {
      tab.fire('hidden')
      await world.advance(1000)
      tab.fire('visible')
    }
    expect(service.arrivals).toHaveLength(1)
  })

  it('and says when to come back is not asked before for what an earlier page left', async () => {
    const { world, tab, service, track } = await openPage()
    service.become({ kind: 'answers', status: 503, body: '', headers: { 'Retry-After': '60' } })
    track('A')
    await world.advance(3000)
    track('B')
    tab.leave()
    tab.crash()
    await world.advance(1)
    world.openTab().init().track('C')
    await world.advance(50_000)
    expect(service.arrivals).toHaveLength(2)
    service.become({ kind: 'well' })
    await world.advance(20_000)
    expect(service.names()).toEqual(['A', 'B', 'C'])
  })

  it('and never answers is given up after the timeout, and sent the same ids again', async () => {
    const { world, service, track } = await openPage({ transport: { timeoutMs: 5000 } })
    service.become({ kind: 'hangs' })
    track(...names(20))
    await world.advance(5500)
    service.become({ kind: 'well' })
    await world.advance(10_000)
    const ids = service.arrivals.map(({ payloads }) =>
      payloads.map(({ properties }) => properties['insert_id']),
    )
    expect(ids).toHaveLength(2)
    expect(ids[1]).toEqual(ids[0])
    expect(service.names()).toEqual(names(20))
  })

  it('is waited for by a tab in its own time, also when another had an answer meanwhile', async () => {
    const { world, service, waymark, track } = await openPage()
    const other = world.openTab().init()
    await other.ready()
    service.become({ kind: 'answers', status: 503, body: '', headers: { 'Retry-After': '60' } })
    track('A')
    await world.advance(3000)
    service.become({ kind: 'well' })
    other.track('B')
    await other.flush()
    await world.settle()
    expect(waymark.stats().state).toBe('waiting')
    await world.advance(60_000)
    expect(service.names()).toEqual(['B', 'A'])
    expect(waymark.stats().state).toBe('idle')
  })

  it('is tried at once when the network is back', async () => {
    const { world, tab, service, track } = await openPage()
    service.become({ kind: 'down' })
    track(...names(20))
    await world.advance(0)
    expect(service.taken).toEqual([])
    service.become({ kind: 'well' })
    tab.fire('online')
    await world.settle()
    expect(service.names()).toEqual(names(20))
  })
})

describe('a bad payload', () => {
  it('among 100 is quarantined alone, with its code, and its neighbours are delivered once', async () => {
    const { world, service, waymark, track } = await openPage()
    const drops: Signals['drop'][] = []
    waymark.on('drop', (drop) => drops.push(drop))
    service.become({ kind: 'refuses', text: '"E37"', errorCode: 'unknown-built-in-property' })
    const tracked = track(...names(100))
    await world.advance(10_000)
    expect(service.names()).toEqual(names(100).filter((name) => name !== 'E37'))
    expect(drops).toEqual([
      expect.objectContaining({
        id: tracked[37]!.id,
        reason: 'quarantined',
        errorCode: 'unknown-built-in-property',
      }),
    ])
    expect(await tracked[37]!.outcome).toEqual({
      status: 'dropped',
      reason: 'quarantined',
      errorCode: 'unknown-built-in-property',
    })
    expect(waymark.stats()).toMatchObject({ queued: 0, sent: 99, dropped: { quarantined: 1 } })
  })

  it('is off the disk too', async () => {
    const { world, tab, service, track } = await openPage()
    service.become({ kind: 'refuses', text: '"E3"', errorCode: 'http-400' })
    track(...names(5))
    await world.advance(10_000)
    tab.crash()
    const later = world.openTab().init()
    await world.advance(20_000)
    expect(later.stats().dropped).toEqual({})
    expect(service.names()).toHaveLength(4)
  })
})

describe('shutdown', () => {
  it('sends what waits, takes nothing more, and leaves nothing behind', async () => {
    const { world, tab, service, waymark, track } = await openPage()
    track('A')
    expect(await waymark.shutdown()).toEqual({ sent: 1, left: 0, dropped: 0 })
    expect(await waymark.track('B').outcome).toEqual({ status: 'dropped', reason: 'shut-down' })
    await world.advance(60_000)
    expect(service.names()).toEqual(['A'])
    expect(tab.listeners()).toBe(0)
    expect(world.timers()).toBe(0)
  })

  it('says that what it could not send is on disk, where the next page finds it', async () => {
    const { world, service, waymark, track } = await openPage()
    service.become({ kind: 'down' })
    const [tracked] = track('A')
    expect(await waymark.shutdown()).toEqual({ sent: 0, left: 1, dropped: 0 })
    expect(await tracked!.outcome).toEqual({ status: 'queued' })
    await world.advance(10_000)
    expect(world.timers()).toBe(0)
    service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual(['A'])
  })

  it('leaves to the next page what a plugin tracks as it is stopped', async () => {
    const { world, service, waymark } = await openPage()
    service.become({ kind: 'down' })
    let outcome: Promise<unknown> | undefined
    waymark.use({
      name: 'farewell',
      start:
        ({ track }) =>
        () =>
          void (outcome = track('Farewell').outcome),
    })
    await waymark.shutdown()
    expect(await outcome).toEqual({ status: 'queued' })
    await world.advance(10_000)
    service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual(['Farewell'])
  })

  it('sets no timer, hears no tab and holds no database, also where another page has just gone', async () => {
    const world = createWorld()
    await leaveBehind(world)
    const close = vi.fn()
    const tab = world.openTab('https://shop.test/', {
      openDatabase: (name) => ({ ...openDatabase(name), close }),
    })
    const waymark = tab.init()
    await world.advance(1000)
    waymark.track('A')
    await waymark.shutdown()
    expect(world.timers()).toBe(0)
    expect(world.channels()).toBe(1)
    expect(close).toHaveBeenCalledOnce()
  })

  it('counts what it could not send as dropped where there is no disk', async () => {
    const { service, waymark, track } = await openPage({ persistence: 'memory' })
    service.become({ kind: 'down' })
    const [tracked] = track('A')
    await waymark.shutdown()
    expect(await tracked!.outcome).toEqual({ status: 'dropped', reason: 'shut-down' })
    expect(waymark.stats()).toMatchObject({ queued: 0, dropped: { 'shut-down': 1 } })
  })

  it('takes off the disk what is accepted after it gave up waiting, and sets no timer', async () => {
    const { world, service, waymark, track } = await openPage({ transport: { timeoutMs: 60_000 } })
    service.hold()
    const [tracked] = track('A')
    const ended = waymark.shutdown()
    await world.advance(31_000)
    await ended
    expect(await tracked!.outcome).toEqual({ status: 'queued' })
    service.answerNow()
    await world.settle()
    expect(waymark.stats()).toMatchObject({ queued: 0, bytes: 0, sent: 0 })
    expect(world.timers()).toBe(0)
    world.openTab().init()
    await world.advance(10_000)
    expect(service.names()).toEqual(['A'])
  })

  it('sets no timer either for what fails after it gave up waiting', async () => {
    const { world, service, waymark, track } = await openPage({ transport: { timeoutMs: 60_000 } })
    service.become({ kind: 'answers', status: 503, body: '' })
    service.hold()
    track('A')
    const ended = waymark.shutdown()
    await world.advance(31_000)
    await ended
    service.answerNow()
    await world.settle()
    expect(world.timers()).toBe(0)
  })

  it('before the visitor has chosen tells the calls that waited for it, and who waits for the ids', async () => {
    const waymark = createWorld().openTab().init({ consent: 'pending' })
    const { outcome } = waymark.track('A')
    const ready = waymark.ready()
    await waymark.shutdown()
    await ready
    expect(await outcome).toEqual({ status: 'dropped', reason: 'shut-down' })
    expect(waymark.stats()).toMatchObject({ queued: 0, dropped: { 'shut-down': 1 } })
  })
})

describe('consent that is taken back', () => {
  it('while a flush waits for the ids ends it in its time', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    const flushed = waymark.flush({ timeoutMs: 1000 })
    waymark.optOut()
    await world.advance(1000)
    expect(await flushed).toEqual({ sent: 0, left: 0, dropped: 0 })
  })

  it.each([
    ['accepted', { kind: 'well' }],
    ['refused', { kind: 'refuses', text: '"B"', errorCode: 'http-400' }],
  ] as const)('while a request is under way that is then %s leaves nothing to send', async (_, mood) => {
    const { world, service, waymark, track } = await openPage()
    service.become(mood)
    service.hold()
    track('A', 'B')
    void waymark.flush()
    await world.settle()
    waymark.optOut()
    service.answerNow()
    await world.advance(20_000)
    expect(service.arrivals).toHaveLength(1)
    expect(waymark.stats()).toMatchObject({ queued: 0, bytes: 0, dropped: { 'no-consent': 2 } })
  })
})
