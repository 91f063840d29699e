import { describe, expect, it } from 'vitest'
import type { InitConfig } from '../../src/core/types'
import { createWorld, type World } from '../world/createWorld'
import { readSettings } from '../world/readStore'

/** A service that takes events without ids says so. */
const counting = { kind: 'well', isCounting: true } as const
const stranger = { kind: 'answers', status: 404, body: 'Not found' } as const

const openWorld = (config: Partial<InitConfig> = { consent: 'anonymous' }) => {
  const world = createWorld()
  world.service.become(counting)
  const tab = world.openTab('https://shop.test/one')
  return { world, tab, waymark: tab.init(config) }
}
const sent = (world: World) =>
  world.service.arrivals.map(({ path, payloads }) => [
    path.replace(/.*\/(\w+)\?.*/, '$1'),
    ...payloads.map(({ event }) => event),
  ])
const databases = async () => (await indexedDB.databases()).map(({ name }) => name)

describe('a visitor who is counted without consent', () => {
  it('is sent without ids, at once, and leaves nothing in the browser', async () => {
    const { world, waymark } = openWorld()
    waymark.register({ plan: 'pro' })
    waymark.identify('u1', { name: 'Ada' })
    const receipt = waymark.page({ theme: 'dark' })
    await world.advance(0)
    waymark.track('Map Viewed')
    await world.advance(0)
    expect(sent(world)).toEqual([['anonymous'], ['anonymous', '$pageview'], ['anonymous', 'Map Viewed']])
    const [payload] = world.service.arrivals[1]!.payloads
    expect(Object.keys(payload!).toSorted()).toEqual(['environment', 'event', 'properties', 'timestamp'])
    expect(payload!.properties).toMatchObject({
      theme: 'dark',
      $url: 'https://shop.test/one',
      insert_id: receipt.id,
    })
    expect(payload!.properties).not.toHaveProperty('plan')
    expect(await receipt.outcome).toMatchObject({ status: 'accepted' })
    expect(waymark.ids).toMatchObject({ deviceId: '', anonymousId: '', sessionId: '' })
    expect([waymark.getConsent(), waymark.stats().store, waymark.stats().queued]).toEqual([
      'anonymous',
      'memory',
      0,
    ])
    await world.advance(3_600_000)
    waymark.page()
    expect(await waymark.flush()).toMatchObject({ sent: 1, left: 0 })
    expect(await databases()).toEqual([])
    expect(world.notes.size).toBe(0)
  })

  it('is handed off when the page goes, once the service has said that it counts', async () => {
    const { world, tab, waymark } = openWorld()
    waymark.page()
    await world.advance(0)
    waymark.track('Left')
    tab.leave()
    await world.settle()
    expect(sent(world)).toEqual([['anonymous'], ['anonymous', '$pageview'], ['anonymous', 'Left']])
    expect(waymark.ids).toMatchObject({ deviceId: '', sessionId: '' })
    const other = world.openTab()
    world.service.hold()
    other.init({ consent: 'anonymous' }).page()
    await world.advance(0)
    other.leave()
    await world.settle()
    expect(sent(world).slice(3)).toEqual([['anonymous']])
  })

  it('is asked for when the page opens, so that its first event can be handed off', async () => {
    const { world, tab, waymark } = openWorld()
    await world.advance(0)
    expect(sent(world)).toEqual([['anonymous']])
    waymark.track('Left')
    tab.leave()
    await world.settle()
    expect(sent(world)).toEqual([['anonymous'], ['anonymous', 'Left']])
    // A question that failed is asked again with the first event, and by no timer before.
    const other = world.openTab()
    world.service.become({ kind: 'answers', status: 503, body: '' })
    const quiet = other.init({ consent: 'anonymous' })
    await world.advance(3_600_000)
    expect(sent(world).slice(2)).toEqual([['anonymous']])
    world.service.become(counting)
    quiet.track('Later')
    await world.advance(0)
    expect(sent(world).slice(3)).toEqual([['anonymous'], ['anonymous', 'Later']])
  })

  it.each([
    ['has no such address', stranger],
    ['takes anything, and does not say that it counts', { kind: 'well' }],
    ['refuses the key', { kind: 'answers', status: 401, body: '{"ok":false,"error":"unauthorized"}' }],
  ] as const)('is not sent to a service that %s, which is told once', async (_, mood) => {
    const { world, tab, waymark } = openWorld()
    world.service.become(mood)
    const { outcome } = waymark.page()
    await world.advance(0)
    waymark.track('Later')
    await world.advance(60_000)
    tab.leave()
    await world.settle()
    expect(sent(world)).toEqual([['anonymous']])
    expect(await outcome).toMatchObject({ status: 'dropped', reason: 'no-consent' })
    expect(tab.warnings.filter((text) => text.includes('anonymous-unknown'))).toHaveLength(1)
    expect(waymark.stats()).toMatchObject({ queued: 0, dropped: { 'no-consent': 2 } })
  })

  it('waits in memory while the service is away, and is asked for again', async () => {
    const { world, waymark } = openWorld()
    world.service.become({ kind: 'answers', status: 503, body: '' })
    waymark.page()
    await world.advance(1000)
    expect([sent(world), waymark.stats().queued]).toEqual([[['anonymous']], 1])
    world.service.become(counting)
    await world.advance(10_000)
    expect(sent(world).at(-1)).toEqual(['anonymous', '$pageview'])
  })

  it('goes on under ids of their own after a consent, on the same page', async () => {
    const { world, waymark } = openWorld()
    waymark.page()
    await world.advance(0)
    waymark.setConsent('granted')
    waymark.track('Agreed')
    await world.advance(5000)
    expect(sent(world).slice(1)).toEqual([
      ['anonymous', '$pageview'],
      ['track', 'Agreed'],
    ])
    expect(world.service.events().at(-1)).toMatchObject({ distinct_id: waymark.ids.anonymousId })
    expect(waymark.ids.anonymousId).not.toBe('')
  })

  it.each([
    [false, ['anonymous', '$pageview']],
    [true, ['track', '$pageview', 'Agreed']],
  ])('takes what was not sent yet along, by option: %s', async (join, first) => {
    const { world, waymark } = openWorld({ consent: 'anonymous', anonymous: { join } })
    world.service.become({ kind: 'down' })
    const at = world.now()
    const receipt = waymark.page()
    await world.advance(1000)
    waymark.setConsent('granted')
    waymark.track('Agreed')
    await world.settle()
    world.service.become(counting)
    await world.advance(60_000)
    expect(sent(world).filter(([, event]) => event)[0]).toEqual(first)
    const [view] = world.service.events().filter(({ event }) => event === '$pageview')
    expect(view).toMatchObject({
      timestamp: new Date(at).toISOString(),
      properties: { insert_id: receipt.id },
    })
    expect(view!.distinct_id).toBe(join ? waymark.ids.anonymousId : undefined)
    expect(waymark.stats().queued).toBe(0)
  })

  it('is wiped of what an earlier consent has stored, by a choice on this page or in another tab', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    waymark.page()
    await world.advance(5000)
    expect(await readSettings()).toContain('ids')
    world.service.become(counting)
    const other = world.openTab().init({ consent: 'pending' })
    other.setConsent('anonymous')
    await world.advance(1000)
    expect([waymark.getConsent(), other.getConsent()]).toEqual(['anonymous', 'anonymous'])
    waymark.track('In one')
    other.track('In another')
    await world.advance(1000)
    expect(sent(world).flat()).toEqual(expect.arrayContaining(['In one', 'In another']))
    expect(await readSettings()).toEqual([])
    expect(world.notes.size).toBe(0)
  })

  it('is one again after the page cache', async () => {
    const { world, tab, waymark } = openWorld()
    waymark.page()
    await world.advance(0)
    tab.leave()
    tab.fire('pageshow')
    waymark.track('Back')
    await world.advance(1000)
    expect(sent(world).at(-1)).toEqual(['anonymous', 'Back'])
    expect(await databases()).toEqual([])
  })
})

describe('a refusal', () => {
  it('sends nothing, nor does Global Privacy Control', async () => {
    const { world, waymark } = openWorld({ consent: 'anonymous' })
    waymark.setConsent('denied')
    waymark.page()
    const tab = world.openTab()
    tab.refuses = true
    tab.init({ consent: 'anonymous' }).page()
    await world.advance(60_000)
    expect(world.service.arrivals).toEqual([])
  })

  it('is counted without ids by option, and remembered alone', async () => {
    const anonymous = { whenDenied: true }
    const { world, waymark } = openWorld({ anonymous, consent: 'pending' })
    waymark.page()
    waymark.setConsent('denied')
    await world.advance(1000)
    const next = world.openTab().init({ anonymous })
    next.page()
    const tab = world.openTab()
    tab.refuses = true
    tab.init({ anonymous }).track('By GPC')
    await world.advance(1000)
    expect(sent(world).filter(([, event]) => event)).toEqual([
      ['anonymous', '$pageview'],
      ['anonymous', '$pageview'],
      ['anonymous', 'By GPC'],
    ])
    expect(next.getConsent()).toBe('denied')
    expect(await readSettings()).toEqual(['consent'])
  })
})
