import { describe, expect, it } from 'vitest'
import { scope, type Scope } from '../../src/plugins/scopes'
import type { InitConfig } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

type World = ReturnType<typeof createWorld>

/** A page with a scope of its own. */
const open = (world: World, kind: 'page' | 'session', config: Partial<InitConfig> = {}) => {
  const scoped: Scope = scope(kind)
  const tab = world.openTab()
  const waymark = tab.init({ plugins: [scoped], ...config })
  const codes: string[] = []
  waymark.on('error', ({ code }) => codes.push(code))
  return { tab, waymark, scoped, codes }
}

/** What the events carry besides what every event has. */
const carried = (world: World) =>
  world.service
    .events()
    .map(({ event, properties }) => [
      event,
      Object.fromEntries(
        Object.entries(properties).filter(([name]) => !/^(\$|insert_id$|browser_time_zone$)/.test(name)),
      ),
    ])

const nextSession = 31 * 60_000

describe.each(['page', 'session'] as const)('a scope for the %s', (kind) => {
  it.each([
    ['before the visitor is known', false],
    ['after', true],
  ])('registers for every event from now on (%s)', async (_, isReady) => {
    const world = createWorld()
    const { waymark, scoped } = open(world, kind)
    if (isReady) await waymark.ready()
    scoped.register({ plan: 'free', step: 1 })
    scoped.registerOnce({ plan: 'pro', theme: 'dark' })
    waymark.track('A', { step: 2 })
    scoped.unregister('theme')
    waymark.track('B')
    await world.advance(5000)
    const [a, b] = carried(world)
    // The page's are those of when the event goes to the queue, not of its call.
    if (kind === 'session') expect(a).toEqual(['A', { plan: 'free', step: 2, theme: 'dark' }])
    expect(b).toEqual(['B', { plan: 'free', step: 1 }])
  })

  it('gives way to what is registered for good', async () => {
    const world = createWorld()
    const { waymark, scoped } = open(world, kind)
    waymark.register({ plan: 'pro' })
    scoped.register({ plan: 'free', step: 1 })
    waymark.track('A')
    await world.advance(5000)
    expect(carried(world)).toEqual([['A', { plan: 'pro', step: 1 }]])
  })

  it('is over with a reset', async () => {
    const world = createWorld()
    const { waymark, scoped } = open(world, kind)
    await waymark.ready()
    scoped.register({ step: 1 })
    waymark.track('A')
    waymark.reset()
    waymark.track('B')
    await world.advance(5000)
    expect(carried(world)).toEqual([
      ['A', { step: 1 }],
      ['B', {}],
    ])
  })

  it('takes the values of the call, and says what is wrong', async () => {
    const world = createWorld()
    const { waymark, scoped, codes } = open(world, kind)
    await waymark.ready()
    const tags = ['a']
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    scoped.register({
      tags,
      $mine: 1,
      ['p'.repeat(401)]: 1,
      big: 1n,
      get bad(): never {
        throw new Error('no')
      },
    })
    scoped.register(proxy)
    scoped.register('text' as never)
    tags.push('b')
    waymark.track('A')
    await world.advance(5000)
    expect(carried(world)).toEqual([['A', { tags: ['a'], big: '1', bad: '[unreadable]' }]])
    expect(codes).toEqual([
      'unknown-built-in-property',
      'property-name-too-long',
      'unreadable',
      'invalid-properties',
    ])
  })

  it('waits until it is used, and ends when it is removed', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    const scoped = scope(kind)
    const given = { step: [1] }
    scoped.register(given)
    given.step.push(2)
    const stop = waymark.use(scoped)
    waymark.track('A')
    await world.advance(5000)
    if (kind === 'page') {
      stop()
      waymark.track('B')
    }
    await world.advance(5000)
    expect(carried(world)[0]).toEqual(['A', { step: [1] }])
    if (kind === 'page') expect(carried(world)[1]).toEqual(['B', {}])
  })
})

describe('a scope for the page', () => {
  it('is of this page alone, for as long as it lives', async () => {
    const world = createWorld()
    const [one, two] = [open(world, 'page'), open(world, 'page')]
    await Promise.all([one.waymark.ready(), two.waymark.ready()])
    one.scoped.register({ step: 1 })
    await world.advance(nextSession)
    one.waymark.track('A')
    two.waymark.track('B')
    await world.advance(5000)
    await one.waymark.shutdown()
    open(world, 'page').waymark.track('C')
    await world.advance(5000)
    expect(carried(world)).toEqual([
      ['A', { step: 1 }],
      ['B', {}],
      ['C', {}],
    ])
  })
})

describe('a scope for the session', () => {
  it('is the same in all tabs and after a reload, and over with the session', async () => {
    const world = createWorld()
    const [one, two] = [open(world, 'session'), open(world, 'session')]
    one.scoped.register({ step: 1 })
    one.waymark.track('A')
    await world.advance(5000)
    two.waymark.track('B')
    await world.advance(5000)
    one.tab.leave()
    const three = open(world, 'session')
    three.waymark.track('C')
    await world.advance(nextSession)
    three.waymark.track('D')
    await world.advance(5000)
    expect(carried(world)).toEqual([
      ['A', { step: 1 }],
      ['B', { step: 1 }],
      ['C', { step: 1 }],
      ['D', {}],
    ])
  })

  it('belongs to the session that the next event begins when none is known', async () => {
    const world = createWorld()
    const first = open(world, 'session')
    first.scoped.register({ step: 1 })
    first.waymark.track('A')
    await world.advance(nextSession)
    first.tab.leave()
    const second = open(world, 'session')
    second.scoped.register({ step: 2 })
    second.waymark.track('B')
    await world.advance(5000)
    expect(carried(world)).toEqual([
      ['A', { step: 1 }],
      ['B', { step: 2 }],
    ])
  })

  it('leaves nothing behind when it is over', async () => {
    const world = createWorld()
    const first = open(world, 'session')
    first.scoped.register({ step: 1 })
    first.waymark.track('A')
    await world.advance(nextSession)
    first.waymark.track('B')
    await world.advance(5000)
    first.tab.leave()
    // A page without the plugin sees what lies in the registered properties.
    world.openTab().init().track('C')
    await world.advance(5000)
    expect(carried(world).at(-1)).toEqual(['C', {}])
  })
})
