import { describe, expect, it } from 'vitest'
import type { InitConfig, Waymark } from '../../src/core/types'
import { createWorld, withTransact, type World } from '../world/createWorld'
import { readRecords, readSettings } from '../world/readStore'

const counting = { kind: 'well', isCounting: true } as const
const databases = async () => (await indexedDB.databases()).map(({ name }) => name)

/** What a page opened now takes the visitor for. */
const readNext = async (world: World, config: Partial<InitConfig>) => {
  const tab = world.openTab()
  const waymark = tab.init(config)
  await world.advance(3000)
  const found = waymark.getConsent()
  tab.leave()
  return found
}

describe('the last choice', () => {
  const earlier = ['dismissed', 'denied', 'anonymous'] as const
  const configured = ['pending', 'denied', 'anonymous'] as const

  it.each(earlier)('is a consent in the same task as %s before it', async (first) => {
    const world = createWorld()
    const waymark = world.openTab().init({ consent: 'pending' })
    waymark.setConsent('granted')
    await world.advance(1000)
    waymark.setConsent(first)
    waymark.setConsent('granted')
    await world.advance(5000)
    expect(waymark.getConsent()).toBe('granted')
    expect(await readNext(world, { consent: 'pending' })).toBe('granted')
  })

  it.each(earlier.flatMap((first) => configured.map((consent) => [first, consent] as const)))(
    'is a consent in another tab: after %s in one, where %s is configured, it holds in both and on the next page',
    async (first, consent) => {
      const world = createWorld()
      world.service.become(counting)
      const config = { consent }
      const [one, two] = [world.openTab(), world.openTab()]
      const [here, there] = [one.init(config), two.init(config)]
      await world.advance(1000)
      here.setConsent(first)
      await world.advance(5000)
      there.setConsent('granted')
      there.identify('ann')
      await world.advance(5000)
      expect([here.getConsent(), there.getConsent()]).toEqual(['granted', 'granted'])
      expect([here.ids.userId, there.ids.userId]).toEqual(['ann', 'ann'])
      one.leave()
      two.leave()
      expect(await readNext(world, config)).toBe('granted')
      expect(await readSettings()).toEqual(expect.arrayContaining(['consent', 'ids']))
    },
  )

  it('is a consent that was given while the page which had chosen before lay in the page cache', async () => {
    const world = createWorld()
    const config = { consent: 'pending' } as const
    const tab = world.openTab()
    const waymark = tab.init(config)
    await world.advance(1000)
    waymark.setConsent('dismissed')
    tab.leave()
    const other = world.openTab()
    other.init(config).optIn()
    await world.advance(1000)
    other.leave()
    tab.fire('pageshow')
    await world.advance(5000)
    expect(waymark.getConsent()).toBe('granted')
    tab.leave()
    expect(await readNext(world, config)).toBe('granted')
  })

  it('takes a consent of an earlier page back, also when it comes before that was read', async () => {
    const world = createWorld()
    const config = { consent: 'pending' } as const
    const first = world.openTab()
    first.init(config).optIn()
    await world.advance(3000)
    first.leave()
    const second = world.openTab()
    second.init(config).setConsent('dismissed')
    await world.advance(3000)
    second.leave()
    expect(await readNext(world, config)).toBe('pending')
  })

  const pairs = [
    ['denied', 'granted'],
    ['granted', 'denied'],
  ] as const
  it.each(pairs.flatMap((pair) => [0, 1, 2, 5].map((turns) => [...pair, turns] as const)))(
    'is the same in all tabs, after %s in one and %s in another %i turns later',
    async (first, second, turns) => {
      const world = createWorld()
      const open = () => world.openTab().init({ consent: 'pending' })
      const tabs = [open(), open(), open()] as [Waymark, Waymark, Waymark]
      await world.advance(1000)
      tabs[0].setConsent(first)
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      tabs[1].setConsent(second)
      await world.advance(5000)
      const found = tabs.map((tab) => tab.getConsent())
      expect(new Set(found).size).toBe(1)
      expect(await readNext(world, { consent: 'pending' })).toBe(found[0])
    },
  )

  it.each([
    ['denied', { anonymous: { whenDenied: true } }],
    ['anonymous', {}],
    ['denied', {}],
  ] as const)('is a consent after %s, with a sign-in in the same task', async (before, options) => {
    const world = createWorld()
    world.service.become(counting)
    const waymark = world.openTab().init({ consent: 'anonymous', ...options })
    await world.advance(1000)
    waymark.setConsent(before)
    await world.advance(5000)
    waymark.setConsent('granted')
    waymark.identify('ann')
    await world.advance(5000)
    expect(waymark.getConsent()).toBe('granted')
    expect(waymark.ids).toMatchObject({
      userId: 'ann',
      deviceId: expect.stringMatching(/^device-/),
      anonymousId: expect.stringMatching(/^anonymous-/),
    })
    expect(world.service.names().filter((name) => name !== 'anonymous')).toEqual(['identify'])
  })
})

describe('what is under way when the visitor refuses', () => {
  it.each([1, 20, 24])('is not sent: of %i events of a hidden page in the same task', async (count) => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    await world.advance(3000)
    tab.fire('hidden')
    await world.advance(3000)
    const tracked = Array.from({ length: count }, (_, n) => waymark.track(`E${n}`))
    waymark.setConsent('denied')
    await world.advance(3000)
    for (const { outcome } of tracked)
      expect(await outcome).toEqual({ status: 'dropped', reason: 'no-consent' })
    expect(world.service.arrivals).toEqual([])
  })

  it('is not sent by a page that first looks whether another one has claimed it', async () => {
    const world = createWorld()
    let release: (() => void) | undefined
    const tab = world.openTab(
      'https://shop.test/',
      withTransact(async (database, mode, work) => {
        if (mode === 'readonly' && release) await new Promise<void>((resolve) => (release = resolve))
        return database.transact(mode, work)
      }),
    )
    const waymark = tab.init({ batch: { intervalMs: 60_000 } })
    waymark.track('Old')
    await world.advance(10_000)
    release = () => {}
    void waymark.flush()
    await world.settle()
    waymark.setConsent('denied')
    release()
    await world.advance(5000)
    expect(world.service.arrivals).toEqual([])
  })

  it('is gone from the disk, also what another tab was putting there', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const [one, two] = [world.openTab().init(), world.openTab().init()]
    await world.advance(1000)
    one.setConsent('denied')
    two.track('Late')
    await world.advance(5000)
    expect(await readSettings()).toEqual(['consent'])
    expect(await readRecords()).toEqual([])
  })
})

describe('an event that was tracked without consent', () => {
  /** A page with such an event: under way, or waiting for the network. */
  const open = async (isUnderWay: boolean, config: Partial<InitConfig> = {}) => {
    const world = createWorld()
    world.service.become(counting)
    const tab = world.openTab()
    const waymark = tab.init({ consent: 'anonymous', ...config })
    await world.advance(3000)
    if (isUnderWay) world.service.hold()
    else world.service.become({ kind: 'answers', status: 503, body: '' })
    waymark.track('Seen')
    await world.advance(500)
    return { world, tab, waymark }
  }

  it.each([true, false])('is not put on the disk when the banner is dismissed: under way %s', async (is) => {
    const { world, waymark } = await open(is)
    waymark.setConsent('dismissed')
    await world.advance(500)
    expect(await databases()).toEqual([])
  })

  it.each([true, false])('is not put on the disk after a consent either: under way %s', async (is) => {
    const { world, waymark } = await open(is)
    waymark.setConsent('granted')
    await world.advance(500)
    expect(await readRecords()).toEqual([])
    world.service.answerNow()
    world.service.become(counting)
    await world.advance(60_000)
    expect(world.service.names().filter((name) => name === 'Seen')).toEqual(['Seen'])
  })

  it('is sent once, under ids, when it is joined', async () => {
    const { world, tab, waymark } = await open(false, { anonymous: { join: true } })
    waymark.track('Agreed')
    waymark.setConsent('granted')
    await world.advance(500)
    world.service.become(counting)
    await world.advance(60_000)
    expect(await readRecords()).toEqual([])
    tab.leave()
    world.openTab().init({ consent: 'pending' })
    await world.advance(60_000)
    const sent = world.service.events().filter(({ event }) => event)
    expect(sent.map(({ event }) => event)).toEqual(['Seen', 'Agreed'])
    for (const { distinct_id: id } of sent) expect(id).toBe(waymark.ids.anonymousId)
  })

  it('is sent once, without ids, when it was under way as the visitor agreed', async () => {
    const { world, waymark } = await open(true, { anonymous: { join: true } })
    waymark.setConsent('granted')
    await world.advance(500)
    world.service.answerNow()
    await world.advance(60_000)
    const sent = world.service.events().filter(({ event }) => event)
    expect(sent.map(({ event, distinct_id: id }) => [event, id])).toEqual([['Seen', undefined]])
  })

  it('is left to the browser by a hidden page whose visitor has agreed meanwhile', async () => {
    const { world, tab, waymark } = await open(false)
    tab.canDefer = true
    waymark.setConsent('granted')
    await world.advance(500)
    tab.fire('hidden')
    await world.settle()
    world.service.become(counting)
    tab.crash()
    await world.settle()
    expect(world.service.names()).toContain('Seen')
  })
})

it('a refusal stops the other tabs at once, though the database of its own tab hangs', async () => {
  const world = createWorld()
  const hanging = withTransact((database, mode, work) =>
    mode === 'put' ? new Promise(() => {}) : database.transact(mode, work),
  )
  const one = world.openTab('https://shop.test/', hanging).init()
  const two = world.openTab().init()
  await world.advance(1000)
  one.optOut()
  await world.settle()
  expect(two.getConsent()).toBe('denied')
  expect(await two.track('A').outcome).toEqual({ status: 'dropped', reason: 'no-consent' })
})

it('what was registered in the task in which a consent is taken back is there after the next one', async () => {
  const world = createWorld()
  const waymark = world.openTab().init()
  await world.advance(1000)
  waymark.register({ plan: 'pro' })
  waymark.setConsent('pending')
  await world.advance(1000)
  const next = world.openTab().init()
  next.track('A')
  await world.advance(3000)
  expect(world.service.events().at(-1)!.properties).toMatchObject({ plan: 'pro' })
})
