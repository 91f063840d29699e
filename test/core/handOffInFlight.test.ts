import { describe, expect, it } from 'vitest'
import { createWorld, withTransact } from '../world/createWorld'
import { names, openPage } from '../world/openPage'

describe('leaving while a request is under way', () => {
  it('takes a request that ends with the page for no outage: the next page hands off as ever', async () => {
    const { world, service } = await openPage()
    let reject: (error: Error) => void = () => {}
    const tab = world.openTab('https://shop.test/', {
      fetch: () => new Promise((_, no) => (reject = no)),
    })
    const waymark = tab.init()
    await waymark.ready()
    waymark.track('Big', { text: 'x'.repeat(70_000) })
    void waymark.flush()
    await world.settle()
    tab.leave()
    reject(new TypeError('Failed to fetch'))
    await world.settle()
    tab.crash()
    const next = world.openTab()
    const after = next.init()
    await after.ready()
    after.track('Next')
    next.leave()
    expect(service.names()).toEqual(['Next'])
  })

  it('while the browser is offline and coming back is not sending any more, though no answer comes', async () => {
    const { world, tab, service, waymark, track } = await openPage()
    service.become({ kind: 'hangs' })
    track(...names(20))
    await world.advance(0)
    expect(waymark.stats().state).toBe('sending')
    tab.isOnline = false
    tab.leave()
    tab.isOnline = true
    tab.fire('pageshow', 'visible')
    expect(waymark.stats().state).toBe('idle')
  })
})

// Random lives (`test/simulation`) have bursts of each size, and leave after any microtask.
const counts = [1, 24]

describe('a burst of a hidden page', () => {
  it.each(counts)('of %i events goes whole, once, though the page leaves in the same task', async (count) => {
    const { world, tab, service, track } = await openPage()
    tab.fire('hidden')
    await world.advance(3000)
    track(...names(count))
    tab.leave()
    await world.advance(0)
    tab.crash()
    world.openTab().init()
    await world.advance(20_000)
    expect(service.names()).toEqual(names(count))
  })

  it.each(counts.flatMap((count) => [0, 2].map((turns) => [count, turns] as const)))(
    'of %i events goes whole, though the page leaves %i microtasks later, while a request is under way',
    async (count, turns) => {
      const { world, tab, service, track } = await openPage()
      tab.fire('hidden')
      await world.advance(3000)
      track('First')
      await world.advance(5)
      service.hold()
      track(...names(count))
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      track('In a microtask')
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      tab.leave()
      await world.advance(0)
      tab.crash()
      service.answerNow()
      world.openTab().init()
      await world.advance(20_000)
      expect(service.names()).toEqual(['First', ...names(count), 'In a microtask'])
    },
  )
})

describe('a handler that Firefox cuts short', () => {
  it.each(Array.from({ length: 40 }, (_, n) => n + 1))(
    'at platform call %i leaves calls that waited to the next one, which makes each once',
    async (cut) => {
      const world = createWorld()
      let calls = Infinity
      const tab = world.openTab()
      // In the midst of the first handler the second one runs, and the first does nothing more.
      const step = () => {
        if (--calls !== 0) return
        tab.fire('hidden')
        throw new Error('cut')
      }
      for (const name of ['now', 'page', 'soon', 'readNote', 'writeNote', 'online'] as const) {
        const usual = tab.browser[name] as (...given: unknown[]) => unknown
        Object.assign(tab.browser, {
          [name](...given: unknown[]) {
            step()
            const result = usual(...given)
            step()
            return result
          },
        })
      }
      const waymark = tab.init()
      for (const name of names(3)) waymark.track(name)
      calls = cut
      tab.fire('pagehide')
      calls = Infinity
      tab.fire('hidden')
      await world.settle()
      tab.crash()
      world.openTab().init()
      await world.advance(20_000)
      expect(world.service.names().toSorted()).toEqual(names(3))
    },
  )
})

it('calls that waited for the visitor leave with the page in one request', async () => {
  const world = createWorld()
  const tab = world.openTab()
  const waymark = tab.init()
  for (const name of names(5)) waymark.track(name)
  tab.leave()
  await world.settle()
  expect(world.service.arrivals.map(({ payloads }) => payloads.length)).toEqual([5])
})

it.each(counts.map((count) => [count, 2]))(
  'a burst of %i events without a disk goes whole, though the page leaves %i microtasks later',
  async (count, turns) => {
    const { world, tab, service, track } = await openPage({ persistence: 'memory' })
    tab.fire('hidden')
    await world.advance(3000)
    track(...names(count))
    for (let turn = 0; turn < turns; turn++) {
      await Promise.resolve()
      track(`Microtask ${turn}`)
    }
    tab.leave()
    await world.advance(0)
    expect(service.names().toSorted()).toEqual([...names(count), ...names(turns, 'Microtask ')].toSorted())
  },
)

it('what a page was about to send, and first looked up on the disk, is handed off', async () => {
  const world = createWorld()
  let isHeld = false
  const tab = world.openTab(
    'https://shop.test/',
    withTransact((database, mode, work) =>
      isHeld && mode === 'readonly' ? new Promise(() => {}) : database.transact(mode, work),
    ),
  )
  const waymark = tab.init({ batch: { intervalMs: 60_000 } })
  waymark.track('Old')
  await world.advance(10_000)
  isHeld = true
  void waymark.flush()
  await world.settle()
  tab.leave()
  await world.settle()
  expect(world.service.names()).toEqual(['Old'])
})
