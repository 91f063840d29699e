import { describe, expect, it } from 'vitest'
import { createWorld } from '../world/createWorld'
import { readSettings } from '../world/readStore'

/** A world in which the visitor has refused on an earlier page. */
const createRefused = async () => {
  const world = createWorld()
  const first = world.openTab()
  const waymark = first.init()
  await waymark.ready()
  waymark.optOut()
  await world.advance(1000)
  first.leave()
  return world
}

describe('a refusal of an earlier page', () => {
  it('holds where the database is slow', async () => {
    const world = await createRefused()
    const tab = world.openSlowTab()
    const waymark = tab.init()
    waymark.track('A')
    await world.advance(1500)
    expect(waymark.getConsent()).toBe('denied')
    tab.open()
    await world.settle()
    waymark.track('B')
    await world.advance(10_000)
    expect(world.service.names()).toEqual([])
    expect(await readSettings()).toEqual(['consent'])
  })

  it('holds where the database is slow, also when a page in between could read it', async () => {
    const world = await createRefused()
    const between = world.openTab()
    between.init()
    await world.advance(1000)
    between.leave()
    const waymark = world.openSlowTab().init()
    await world.advance(1500)
    expect(waymark.getConsent()).toBe('denied')
  })

  it('holds where the database is slow and remembers it alone', async () => {
    const world = await createRefused()
    world.notes.clear()
    const tab = world.openSlowTab()
    const waymark = tab.init()
    await world.advance(1500)
    tab.open()
    await world.settle()
    waymark.track('B')
    await world.advance(10_000)
    expect(waymark.getConsent()).toBe('denied')
    expect(world.service.names()).toEqual([])
  })

  it('holds on a page that leaves before it could read it', async () => {
    const world = await createRefused()
    const tab = world.openTab()
    tab.init().track('A')
    tab.leave()
    await world.advance(5000)
    expect(world.service.names()).toEqual([])
  })

  it('is gone everywhere once it is taken back', async () => {
    const world = await createRefused()
    world.openTab().init().optIn()
    await world.advance(1000)
    const next = world.openTab()
    next.init().track('A')
    next.leave()
    await world.advance(1000)
    expect(world.service.names()).toEqual(['A'])
  })
})

describe('a consent of an earlier page', () => {
  it('holds for the first call of the next, where it is denied by default', async () => {
    const world = createWorld()
    const first = world.openTab()
    first.refuses = true
    first.init().optIn()
    await world.advance(3000)
    first.leave()
    const second = world.openTab()
    second.refuses = true
    second.init().track('A')
    await world.advance(3000)
    expect(world.service.names()).toEqual(['A'])
  })

  it('is left as it is by a page that goes before its database has answered', async () => {
    const world = createWorld()
    const first = world.openTab()
    first.init().optIn()
    await world.advance(3000)
    first.leave()
    const slow = world.openSlowTab()
    slow.init().identify('ann')
    await world.advance(2000)
    slow.leave()
    slow.crash()
    const third = world.openTab()
    const waymark = third.init()
    await world.advance(3000)
    expect(waymark.ids.userId).toBe('ann')
    third.leave()
    const last = world.openTab().init({ consent: 'pending' })
    await world.advance(3000)
    expect(last.getConsent()).toBe('granted')
  })

  it('that was only assumed is over when the browser refuses: what was stored is wiped', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const first = world.openTab()
    first.init().identify('ann')
    await world.advance(3000)
    first.leave()
    const second = world.openTab()
    second.refuses = true
    second.init()
    await world.advance(10_000)
    expect(await readSettings()).toEqual([])
  })
})

describe('a consent in the last task of a page', () => {
  it.each([
    ['a database', true],
    ['no database', false],
  ])('holds on the next page, where there was %s before', async (_, isThere) => {
    const world = createWorld()
    if (isThere) {
      const refused = world.openTab()
      refused.init().optOut()
      await world.advance(1000)
      refused.leave()
    }
    const first = world.openTab()
    const waymark = first.init({ consent: 'pending' })
    waymark.register({ theme: 'dark' })
    waymark.track('Before')
    waymark.identify('ann')
    await world.advance(1000)
    waymark.setConsent('granted')
    first.leave()
    const second = world.openTab()
    const again = second.init({ consent: 'pending' })
    again.track('After')
    await world.advance(10_000)
    second.leave()
    const third = world.openTab().init({ consent: 'pending' })
    await world.advance(1000)
    expect([again.getConsent(), third.getConsent()]).toEqual(['granted', 'granted'])
    expect(world.service.names()).toEqual([...(isThere ? [] : ['Before', 'identify']), 'After'])
    expect(await readSettings()).toContain('consent')
    expect(third.ids).toEqual(again.ids)
    expect([...world.notes]).toEqual([])
  })

  it('holds also when it is refused right after, or agreed to right after a refusal', async () => {
    for (const last of ['granted', 'denied'] as const) {
      const world = createWorld()
      const first = world.openTab()
      const waymark = first.init({ consent: 'pending' })
      await world.advance(1000)
      waymark.setConsent(last === 'granted' ? 'denied' : 'granted')
      waymark.setConsent(last)
      first.leave()
      const second = world.openTab().init({ consent: 'pending' })
      await world.advance(3000)
      expect(second.getConsent()).toBe(last)
    }
  })
})

describe('consent in several tabs', () => {
  it('is heard where it is pending', async () => {
    const world = createWorld()
    const [one, two] = [1, 2].map(() => world.openTab().init({ consent: 'pending' }))
    two!.track('Waits')
    await world.advance(1000)
    one!.optIn()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['Waits'])
    one!.setConsent('dismissed')
    await world.settle()
    expect(two!.getConsent()).toBe('pending')
  })

  it.each(['pending', 'denied'] as const)(
    'is looked up by a page that is back, and was %s',
    async (before) => {
      const world = createWorld()
      const tab = world.openTab()
      const waymark = tab.init({ consent: 'pending' })
      waymark.setConsent(before)
      await world.advance(1000)
      tab.leave()
      world.openTab().init({ consent: 'pending' }).optIn()
      await world.advance(3000)
      tab.fire('pageshow')
      await world.advance(3000)
      expect(waymark.getConsent()).toBe('granted')
    },
  )

  it.each(['before', 'after'])('is heard by a page that was told of one right %s init', async (when) => {
    const world = createWorld()
    const one = world.openTab().create()
    if (when === 'before') one.optIn()
    one.init('pk_test', { endpoint: 'https://api.test', consent: 'pending' })
    if (when === 'after') one.optIn()
    const two = world.openTab().init({ consent: 'pending' })
    await world.advance(1000)
    two.optOut()
    await world.settle()
    expect(one.getConsent()).toBe('denied')
  })

  it('is heard of a page that refuses in the task of init', async () => {
    const world = createWorld()
    const one = world.openTab().init()
    await one.ready()
    world.openTab().init().optOut()
    await world.settle()
    expect(one.getConsent()).toBe('denied')
  })

  it('is heard where it was given to a page that had just come back', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const one = tab.init({ consent: 'pending' })
    await world.advance(1000)
    tab.leave()
    tab.fire('pageshow')
    one.optIn()
    const two = world.openTab().init({ consent: 'pending' })
    await world.advance(1000)
    two.optOut()
    await world.settle()
    expect(one.getConsent()).toBe('denied')
  })

  it('is the last that was chosen, however quickly', async () => {
    const world = createWorld()
    const [one, two] = [world.openTab().init(), world.openTab().init()]
    await Promise.all([one.ready(), two.ready()])
    one.optOut()
    one.optIn()
    await world.advance(2000)
    expect([one.getConsent(), two.getConsent()]).toEqual(['granted', 'granted'])
    const next = world.openTab().init()
    await next.ready()
    expect(next.getConsent()).toBe('granted')
  })
})

describe('the signal of consent', () => {
  it('comes when it holds', async () => {
    const waymark = createWorld().openTab().init()
    await waymark.ready()
    const seen: string[] = []
    waymark.on('consent', ({ state }) => seen.push(`${state} ${waymark.getConsent()}`))
    waymark.optOut()
    expect(seen).toEqual(['denied denied'])
  })

  it('may be answered by another choice', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ consent: 'pending' })
    waymark.on('consent', ({ state }) => state === 'granted' && waymark.optOut())
    waymark.optIn()
    await world.advance(3000)
    expect(waymark.getConsent()).toBe('denied')
    expect(await readSettings()).toEqual(['consent'])
  })
})

it('waits in memory where the browser does not say whether there is a database', async () => {
  const world = createWorld()
  const refused = () => Promise.reject(new DOMException('denied', 'SecurityError'))
  const waymark = world.openTab('https://shop.test/', { hasDatabase: refused }).init({ consent: 'pending' })
  waymark.track('A')
  await world.advance(1000)
  waymark.optIn()
  await world.advance(3000)
  expect(world.service.names()).toEqual(['A'])
})
