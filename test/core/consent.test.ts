import { describe, expect, it } from 'vitest'
import { createWorld } from '../world/createWorld'
import { readRecords, readSettings } from '../world/readStore'

const databases = async () => (await indexedDB.databases()).map((database) => database.name)

describe('consent', () => {
  it('that is pending keeps everything in memory and nothing anywhere else, and sends it when granted', async () => {
    const world = createWorld()
    const tab = world.openTab('https://shop.test/one')
    const waymark = tab.init({ consent: 'pending' })
    const times: number[] = []
    for (const path of ['one', 'two', 'three']) {
      tab.url = `https://shop.test/${path}`
      times.push(world.now())
      waymark.page()
      await world.advance(60_000)
    }
    tab.fire('hidden', 'visible', 'online')
    await world.settle()
    expect(waymark.getConsent()).toBe('pending')
    expect(waymark.stats()).toMatchObject({ store: 'memory', queued: 3 })
    expect(await databases()).toEqual([])
    expect(world.service.arrivals).toEqual([])
    expect(waymark.ids.distinctId).toBe('')

    waymark.optIn()
    await world.advance(3000)
    expect(world.service.events().map(({ timestamp }) => Date.parse(timestamp))).toEqual(times)
    expect(world.service.events().map(({ properties }) => properties['$url'])).toEqual([
      'https://shop.test/one',
      'https://shop.test/two',
      'https://shop.test/three',
    ])
  })

  it('that is denied drops what waits, wipes what was stored, and is remembered over a reload', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    world.service.become({ kind: 'down' })
    waymark.identify('ann')
    const { outcome } = waymark.track('A')
    await world.advance(1000)
    waymark.optOut()
    await world.settle()
    expect(await outcome).toEqual({ status: 'dropped', reason: 'no-consent' })
    expect(await readSettings()).toEqual(['consent'])
    expect(await readRecords()).toEqual([])
    expect(await waymark.track('B').outcome).toEqual({ status: 'dropped', reason: 'no-consent' })
    tab.crash()

    world.service.become({ kind: 'well' })
    const next = world.openTab().init()
    next.track('C')
    await world.advance(5000)
    expect(next.getConsent()).toBe('denied')
    expect(world.service.arrivals).toEqual([])
    expect(await readSettings()).toEqual(['consent'])

    next.optIn()
    next.track('D')
    await world.advance(5000)
    expect(world.service.names()).toEqual(['D'])
    expect(next.ids.userId).toBeUndefined()
  })

  it('that was granted is remembered where it is pending by default', async () => {
    const world = createWorld()
    const first = world.openTab().init({ consent: 'pending' })
    first.setConsent('granted')
    await first.ready()
    await world.settle()
    const second = world.openTab().init({ consent: 'pending' })
    second.track('A')
    await world.advance(5000)
    expect(second.getConsent()).toBe('granted')
    expect(world.service.names()).toEqual(['A'])
  })

  it('that is dismissed is pending', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ consent: 'pending' })
    waymark.setConsent('dismissed')
    waymark.track('A')
    await world.advance(5000)
    expect(waymark.getConsent()).toBe('pending')
    expect(await databases()).toEqual([])
  })

  it('holds in every tab', async () => {
    const world = createWorld()
    const [one, two] = [world.openTab().init(), world.openTab().init()]
    await Promise.all([one.ready(), two.ready()])
    one.optOut()
    await world.settle()
    expect(two.getConsent()).toBe('denied')
    expect(await two.track('A').outcome).toMatchObject({ reason: 'no-consent' })
    two.optIn()
    await world.settle()
    expect(one.getConsent()).toBe('granted')
    one.track('B')
    await world.advance(3000)
    expect(world.service.names()).toEqual(['B'])
  })

  it('that is given while the page lies in the page cache opens no channel there', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init({ consent: 'pending' })
    await world.settle()
    tab.leave()
    waymark.optIn()
    await world.settle()
    expect(world.channels()).toBe(0)
  })

  it('is denied by Global Privacy Control, without a trace, until the visitor opts in here', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.refuses = true
    const waymark = tab.init()
    expect(waymark.getConsent()).toBe('denied')
    expect(await waymark.track('A').outcome).toMatchObject({ reason: 'no-consent' })
    await world.settle()
    expect(await databases()).toEqual([])
    waymark.optIn()
    waymark.track('B')
    await world.advance(3000)
    expect(world.service.names()).toEqual(['B'])
  })

  it('does not listen to it when told so', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.refuses = true
    tab.init({ respectGpc: false }).track('A')
    await world.advance(3000)
    expect(world.service.names()).toEqual(['A'])
  })
})
