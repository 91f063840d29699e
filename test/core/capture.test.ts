import { describe, expect, it, vi } from 'vitest'
import type { Draft } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

async function sent(
  config: object,
  act: (waymark: ReturnType<ReturnType<ReturnType<typeof createWorld>['openTab']>['init']>) => void,
) {
  const world = createWorld()
  const waymark = world.openTab().init(config)
  await waymark.ready()
  act(waymark)
  await world.advance(3000)
  return { world, waymark, events: world.service.events(), names: world.service.names() }
}

describe('a payload', () => {
  it('has the fields of the contract, and the built-in properties', async () => {
    const { events, waymark } = await sent({ release: '1.2.3', environment: 'staging' }, (w) =>
      w.track('E', { a: 1 }),
    )
    const { deviceId, anonymousId, sessionId } = waymark.ids
    expect(events).toEqual([
      {
        environment: 'staging',
        event: 'E',
        timestamp: '2026-01-01T12:00:00.000Z',
        distinct_id: anonymousId,
        device_id: deviceId,
        session_id: sessionId,
        properties: {
          $lib: 'waymark',
          $lib_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          $release: '1.2.3',
          $url: 'https://shop.test/',
          $referer: 'https://search.test/',
          $viewport: '800x600',
          browser_time_zone: 'Europe/Berlin',
          a: 1,
          insert_id: expect.any(String),
        },
      },
    ])
  })
})

describe('the time of a call', () => {
  it('is that of the clock, to the millisecond, whichever way the clock goes', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ consent: 'pending' })
    const times = [0, 7, 999, 1000, 1001, 59_999, 60_000, 1000, -1, 31 * 86_400_000].map(
      (ms) => Date.UTC(2026, 0, 31, 23, 59) + ms,
    )
    for (const at of times) {
      world.setClock(at)
      waymark.track('E')
    }
    waymark.optIn()
    await world.advance(5000)
    expect(world.service.events().map(({ timestamp }) => timestamp)).toEqual(
      times.map((at) => new Date(at).toISOString()),
    )
  })
})

describe('registered properties', () => {
  it('are in every event until they are unregistered, and give way to its own', async () => {
    const { events } = await sent({}, (w) => {
      w.register({ plan: 'free', theme: 'dark' })
      w.registerOnce({ plan: 'pro', first: true })
      w.track('A')
      w.track('B', { plan: 'own' })
      w.unregister('plan', 'first')
      w.track('C')
    })
    const kept = events.map(({ properties: { plan, theme, first } }) => ({ plan, theme, first }))
    expect(kept).toEqual([
      { plan: 'free', theme: 'dark', first: true },
      { plan: 'own', theme: 'dark', first: true },
      { plan: undefined, theme: 'dark', first: undefined },
    ])
  })

  it('are in the events of later pages, until a reset', async () => {
    const { world } = await sent({}, (w) => {
      w.register({ plan: 'pro' })
      w.track('A')
    })
    const next = world.openTab().init()
    next.track('B')
    await world.advance(31 * 60_000)
    next.track('C')
    next.reset()
    next.track('D')
    await world.advance(3000)
    const plans = world.service.events().map(({ event, properties }) => [event, properties['plan']])
    expect(plans).toEqual([
      ['A', 'pro'],
      ['B', 'pro'],
      ['C', 'pro'],
      ['D', undefined],
    ])
  })

  it('are those of all tabs', async () => {
    const { world } = await sent({}, (w) => w.register({ plan: 'pro' }))
    const [one, two] = [world.openTab().init(), world.openTab().init()]
    await Promise.all([one.ready(), two.ready()])
    one.register({ theme: 'dark' })
    await world.settle()
    two.unregister('plan')
    two.track('A')
    await world.settle()
    one.track('B')
    await world.advance(3000)
    const own = world.service.events().map(({ properties: { plan, theme } }) => ({ plan, theme }))
    const both = { plan: undefined, theme: 'dark' }
    expect(own).toEqual([both, both])
  })
})

describe('beforeSend', () => {
  it('changes what is sent, of all three kinds', async () => {
    const seen: string[] = []
    const { events } = await sent(
      {
        beforeSend: (draft: Draft) => {
          seen.push(draft.kind)
          if (draft.properties) draft.properties['seen'] = true
          return draft.kind === 'identify' ? { ...draft, traits: { only: 'this' } } : draft
        },
      },
      (w) => {
        w.track('A', { secret: 1 })
        w.identify('ann', { email: 'a@b.c' })
        w.alias('ann2')
      },
    )
    expect(seen).toEqual(['track', 'identify', 'alias'])
    expect(events[0]!.properties).toMatchObject({ seen: true })
    expect(events[1]!.traits).toEqual({ only: 'this' })
  })

  it('drops what it returns null for, and says so', async () => {
    const outcomes: unknown[] = []
    const { names, waymark } = await sent(
      { beforeSend: (draft: Draft) => (draft.event === 'Secret' ? null : draft) },
      (w) => {
        w.track('Open')
        outcomes.push(w.track('Secret').outcome)
      },
    )
    expect(names).toEqual(['Open'])
    expect(await outcomes[0]).toEqual({ status: 'dropped', reason: 'before-send' })
    expect(waymark.stats().dropped).toEqual({ 'before-send': 1 })
  })

  it('that takes all properties or traits away leaves an object', async () => {
    const { events } = await sent(
      { beforeSend: (draft: Draft) => ({ ...draft, properties: null, traits: null }) },
      (w) => {
        w.track('A', { a: 1 })
        w.identify('ann', { a: 1 })
      },
    )
    expect(events[0]!.properties).toEqual({})
    expect(events[1]!.traits).toEqual({})
  })

  it('that takes the name away leaves it', async () => {
    const { names } = await sent({ beforeSend: (draft: Draft) => ({ ...draft, event: undefined }) }, (w) =>
      w.track('A'),
    )
    expect(names).toEqual(['A'])
  })

  it('that throws changes nothing', async () => {
    const { names } = await sent(
      {
        beforeSend: () => {
          throw new Error('no')
        },
      },
      (w) => w.track('A'),
    )
    expect(names).toEqual(['A'])
  })
})

describe('a plugin', () => {
  it('is started with a host, filters, and is stopped when it is removed or at shutdown', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const stop = vi.fn()
    const waymark = tab.create()
    const remove = waymark.use({
      name: 'one',
      start(host) {
        host.track('From a plugin')
        expect(host).not.toBe(waymark)
        const names = [
          'track',
          'page',
          'register',
          'registerOnce',
          'unregister',
          'ids',
          'on',
          'cleanUrl',
        ] as const
        for (const name of names) expect(host[name]).toBeTypeOf('function')
        return stop
      },
      beforeSend: (draft) => ({ ...draft, properties: { ...draft.properties, by: 'one' } }),
    })
    waymark.init('pk_test', {
      endpoint: 'https://api.test',
      plugins: [{ name: 'two', start: () => stop }],
    })
    await world.advance(3000)
    expect(world.service.events().map(({ event, properties }) => [event, properties['by']])).toEqual([
      ['From a plugin', 'one'],
    ])
    remove()
    expect(stop).toHaveBeenCalledTimes(1)
    waymark.track('Later')
    await waymark.shutdown()
    expect(stop).toHaveBeenCalledTimes(2)
    expect(world.service.events()[1]!.properties).not.toHaveProperty('by')
  })

  it('that fails to start is named, and harms nobody', async () => {
    const { names } = await sent({}, (w) => {
      const codes: string[] = []
      w.on('error', ({ code }) => codes.push(code))
      w.use({
        name: 'bad',
        start() {
          throw new Error('no')
        },
      })
      expect(codes).toEqual(['plugin-failed'])
      w.track('A')
    })
    expect(names).toEqual(['A'])
  })
})

describe('configure', () => {
  it('changes what may change while it runs', async () => {
    const { events } = await sent({}, (w) => {
      w.track('A')
      w.configure({ release: '2' })
      w.track('B')
    })
    expect(events.map(({ properties }) => properties['$release'])).toEqual([undefined, '2'])
  })
  it.each([{}, { beforeSend: undefined }, { beforeSend: null }])(
    'gives a hook to an instance that had none (%o)',
    async (config) => {
      const { names } = await sent(config, (w) => {
        w.configure({ beforeSend: (draft) => ({ ...draft, event: 'Renamed' }) })
        w.track('A')
      })
      expect(names).toEqual(['Renamed'])
    },
  )
})
