import type { InitConfig } from '../../src/core/types'
import { describe, expect, it } from 'vitest'
import type { Signals } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

/** A page that sends one good event after whatever the test does, and tells what reached the person who debugs. */
async function attempt(
  act: (waymark: ReturnType<ReturnType<ReturnType<typeof createWorld>['openTab']>['init']>) => void,
) {
  const world = createWorld()
  const tab = world.openTab()
  const waymark = tab.init({ debug: true })
  const errors: Signals['error'][] = []
  const drops: Signals['drop'][] = []
  waymark.on('error', (error) => errors.push(error))
  waymark.on('drop', (drop) => drops.push(drop))
  await waymark.ready()
  act(waymark)
  waymark.track('Good')
  await world.advance(5000)
  return { world, waymark, errors, drops, warnings: tab.warnings, codes: errors.map(({ code }) => code) }
}

const refused: [string, (w: Parameters<Parameters<typeof attempt>[0]>[0]) => { id: string }, string][] = [
  ['no name', (w) => w.track(undefined as never), 'invalid-event-name'],
  ['an empty name', (w) => w.track(''), 'invalid-event-name'],
  ['a name that is no string', (w) => w.track({} as never), 'invalid-event-name'],
  ['a name of 401 characters', (w) => w.track('x'.repeat(401)), 'event-name-too-long'],
  [
    'a property name of 401 characters',
    (w) => w.track('E', { ['p'.repeat(401)]: 1 }),
    'property-name-too-long',
  ],
  ['a trait name of 401 characters', (w) => w.identify('u', { ['t'.repeat(401)]: 1 }), 'trait-name-too-long'],
  ['no user id', (w) => w.identify(undefined as never), 'invalid-user-id'],
  ['a user id that is an object', (w) => w.identify({} as never), 'invalid-user-id'],
  ['a reserved user id', (w) => w.identify('undefined'), 'invalid-user-id'],
  ['an alias to nobody', (w) => w.alias(null as never), 'invalid-user-id'],
  [
    'a proxy that throws at every touch',
    (w) =>
      w.track(
        'E',
        new Proxy(
          {},
          {
            ownKeys() {
              throw new Error('no')
            },
          },
        ),
      ),
    'unreadable',
  ],
]

describe('a wrong call', () => {
  it.each(refused)('with %s is refused with a signal, and loses nothing else', async (_, act, code) => {
    let id: string | undefined
    const { world, codes, drops, warnings, waymark } = await attempt((w) => (id = act(w).id))
    expect(id).toBe('')
    expect(codes).toEqual([code])
    expect(warnings).toEqual([expect.stringContaining(`[waymark] ${code}: `)])
    expect(drops).toEqual([expect.objectContaining({ reason: 'invalid', errorCode: code })])
    expect(waymark.stats().dropped).toEqual({ invalid: 1 })
    expect(world.service.names()).toEqual(['Good'])
  })

  it('tells its outcome', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    expect(await waymark.track('').outcome).toEqual({
      status: 'dropped',
      reason: 'invalid',
      errorCode: 'invalid-event-name',
    })
  })

  it('prints nothing unless in debug mode', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.init().track('')
    await world.advance(3000)
    expect(tab.warnings).toEqual([])
  })
})

describe('an odd value', () => {
  it('with 400 characters in a name, emoji counted once, is taken', async () => {
    const name = '🎈'.repeat(400)
    const { world, codes } = await attempt((w) => w.track(name, { [name]: 1 }))
    expect(codes).toEqual([])
    expect(world.service.names()).toEqual([name, 'Good'])
  })

  it('of a kind that JSON lacks is made to fit', async () => {
    const circular: Record<string, unknown> = {}
    circular['me'] = circular
    const { world } = await attempt((w) =>
      w.track('Odd', { big: 1n, at: new Date(0), circular, fn() {}, nan: NaN }),
    )
    expect(world.service.events()[0]!.properties).toMatchObject({
      big: '1',
      at: '1970-01-01T00:00:00.000Z',
      circular: { me: '[circular]' },
      nan: null,
    })
  })

  it('of 1 MB goes alone, by a request without keepalive, and the others by theirs', async () => {
    const { world } = await attempt((w) => w.track('Big', { text: 'x'.repeat(1_000_000) }))
    expect(world.service.names()).toEqual(['Big', 'Good'])
    expect(world.service.arrivals.map(({ init }) => init!.keepalive)).toEqual([false, true])
  })

  it('with an option that allows more than a browser takes along goes without keepalive, too', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ batch: { maxBytes: 200_000 } })
    for (const name of ['A', 'B']) waymark.track(name, { text: name.repeat(40_000) })
    await world.advance(5000)
    expect(world.service.names()).toEqual(['A', 'B'])
    expect(world.service.arrivals.map(({ init }) => init!.keepalive)).toEqual([false])
  })

  it('that is registered is made to fit, and told to other tabs', async () => {
    const world = createWorld()
    const [waymark, other] = [world.openTab().init(), world.openTab().init()]
    await Promise.all([waymark.ready(), other.ready()])
    waymark.register({
      big: 1n,
      fn() {},
      node: { [Symbol.toStringTag]: 'Text', nodeType: 3 },
      at: new Date(0),
    })
    waymark.register(null as never)
    waymark.registerOnce('text' as never)
    await world.advance(100)
    expect(waymark.stats().store).toBe('indexeddb')
    other.track('A')
    waymark.track('B')
    await world.advance(5000)
    const [a, b] = world.service.events().map(({ properties }) => properties)
    for (const own of [a, b]) {
      expect(own).toMatchObject({ big: '1', node: '[object Text]', at: '1970-01-01T00:00:00.000Z' })
      for (const name of ['fn', '0']) expect(own).not.toHaveProperty(name)
    }
  })

  it('under a name that only the service may give is left out, and said; traits may have it', async () => {
    const { world, codes } = await attempt((w) => {
      w.register({ $mine: 1 })
      w.track('E', { $mine: 1, $referrer: 2, $app_version: '3', $url: 'https://shop.test/own', own: 4 })
      w.identify('ann', { $mine: 1 })
    })
    expect(codes).toEqual(Array(3).fill('unknown-built-in-property'))
    const [event, user, good] = world.service.events()
    expect(event!.properties).toMatchObject({ $app_version: '3', $url: 'https://shop.test/own', own: 4 })
    for (const name of ['$mine', '$referrer']) expect(event!.properties).not.toHaveProperty(name)
    expect(good!.properties).not.toHaveProperty('$mine')
    expect(user!.traits).toEqual({ $mine: 1 })
  })

  it('is sent as it was at the call, whatever the page does with it before it may be sent', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ consent: 'pending' })
    const cart = { items: ['tarn'] }
    waymark.track('Cart Seen', { cart })
    waymark.identify('ann', { cart })
    cart.items.push('fell')
    await world.advance(5000)
    waymark.optIn()
    await world.advance(5000)
    const [event, user] = world.service.events()
    expect(event!.properties).toMatchObject({ cart: { items: ['tarn'] } })
    expect(user!.traits).toEqual({ cart: { items: ['tarn'] } })
  })

  it('instead of properties is left out, and said', async () => {
    const { world, codes } = await attempt((w) => w.track('E', 'text' as never))
    expect(codes).toEqual(['invalid-properties'])
    expect(world.service.names()).toEqual(['E', 'Good'])
  })

  it.each([
    ['text', 'yesterday'],
    ['null', null],
    ['a year of six digits', 8.64e15],
  ])('(%s) instead of a timestamp gives way to the time of the call, and is said', async (_, timestamp) => {
    const { world, codes } = await attempt((w) => w.track('E', {}, { timestamp: timestamp as never }))
    expect(codes).toEqual(['invalid-timestamp'])
    expect(world.service.events()[0]!.timestamp).toMatch(/^2026-01-01T12:00/)
  })
})

describe('init', () => {
  it('sends what was called before it, in order, with time and URL of the call', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.create()
    const before = waymark.track('Before')
    waymark.identify('ann')
    const calledAt = world.now()
    await world.advance(60_000)
    tab.url = 'https://shop.test/later'
    waymark.init('pk_test', { endpoint: 'https://api.test' })
    waymark.track('After')
    await world.advance(5000)

    expect(world.service.names()).toEqual(['Before', 'identify', 'After'])
    const [first, , last] = world.service.events()
    expect(first).toMatchObject({ timestamp: new Date(calledAt).toISOString() })
    expect(first!.properties).toMatchObject({ $url: 'https://shop.test/' })
    expect(last!.properties).toMatchObject({ $url: 'https://shop.test/later' })
    expect(await before.outcome).toMatchObject({ status: 'accepted' })
  })

  it('sends the last thousand calls before it, and counts the others', async () => {
    const world = createWorld()
    const waymark = world.openTab().create()
    const [first] = Array.from({ length: 1003 }, (_, n) => waymark.track(`E${n}`))
    expect(await first!.outcome).toEqual({ status: 'dropped', reason: 'too-many' })
    expect(waymark.stats()).toMatchObject({ queued: 1000, dropped: { 'too-many': 3 } })
    waymark.init('pk_test', { endpoint: 'https://api.test' })
    await world.advance(60_000)
    expect(world.service.names()).toEqual(Array.from({ length: 1000 }, (_, n) => `E${n + 3}`))
  })

  it('twice changes nothing, and with another key is refused', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    const listeners = tab.listeners()
    expect(waymark.init('pk_test', { endpoint: 'https://api.test' })).toBe(waymark)
    expect(tab.listeners()).toBe(listeners)
    expect(tab.warnings).toEqual([])
    waymark.init('pk_other', { endpoint: 'https://api.test' })
    expect(tab.warnings).toEqual([expect.stringContaining('already-initialised')])
    waymark.track('E')
    await world.advance(5000)
    expect(world.service.arrivals.map(({ path }) => path)).toEqual(['https://api.test/track?apiKey=pk_test'])
  })

  it.each([
    ['without a key', '', { endpoint: 'https://api.test' }, 'missing-api-key'],
    ['without an endpoint', 'pk', {}, 'missing-endpoint'],
    ['with an endpoint that is none', 'pk', { endpoint: 'https://' }, 'missing-endpoint'],
  ])('%s says so, and keeps what is called until it is right', async (_, key, config, code) => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.create()
    waymark.init(key, config as InitConfig)
    waymark.track('Kept')
    expect(tab.warnings).toEqual([expect.stringContaining(code)])
    waymark.init('pk_test', { endpoint: 'https://api.test' })
    await world.advance(5000)
    expect(world.service.names()).toEqual(['Kept'])
  })

  it.each([
    ['a list of numbers as texts', { batch: { maxEvents: '5', intervalMs: null } }],
    ['an option that does not exist', { endpont: 'https://other.test', batch: { max_events: 1 } }],
    [
      'texts where objects are',
      { batch: 'all', queue: 'none', session: 'long', transport: 'fast', bootstrap: 'ann' },
    ],
    [
      'null everywhere',
      { environment: null, queue: null, url: null, plugins: null, consent: null, debug: null },
    ],
    [
      'lists everywhere',
      { environment: [], queue: [], url: { keepParams: 'utm_*', redact: 'no' }, persistence: [] },
    ],
    ['a beforeSend and plugins that are none', { beforeSend: 'no', plugins: ['one', 5] }],
  ])('with %s throws nothing, loses nothing, and goes on with the defaults', async (_, config) => {
    const world = createWorld()
    const waymark = world.openTab('https://shop.test/?utm_source=a&token=b').init(config as never)
    expect(waymark.getConsent()).toBe('granted')
    waymark.track('A')
    waymark.identify('ann')
    waymark.register({ plan: 'pro' })
    await world.advance(1999)
    expect(world.service.arrivals).toEqual([])
    await world.advance(1)
    waymark.track('B')
    await world.advance(2000)
    expect(world.service.names()).toEqual(['A', 'identify', 'B'])
    expect(world.service.arrivals[0]!.path).toBe('https://api.test/track?apiKey=pk_test')
    expect(world.service.events()[2]).toMatchObject({
      environment: 'production',
      properties: { plan: 'pro' },
    })
    expect(waymark.stats()).toMatchObject({ store: 'indexeddb', queued: 0, dropped: {} })
  })

  it.each([undefined, null, 'text', 5, []])(
    'with %j for its options says that the endpoint is missing, and keeps what is called',
    async (config) => {
      const world = createWorld()
      const tab = world.openTab()
      const waymark = tab.create().init('pk_test', config as never)
      waymark.track('Kept')
      expect(tab.warnings).toEqual([expect.stringContaining('missing-endpoint')])
      waymark.init('pk_test', { endpoint: 'https://api.test' })
      await world.advance(3000)
      expect(world.service.names()).toEqual(['Kept'])
    },
  )

  it('on a server does nothing, leaves no timer, and lets everything be called', async () => {
    const world = createWorld()
    const waymark = world.openTab('https://shop.test/', { isPage: false }).init()
    expect(await waymark.track('E').outcome).toMatchObject({ status: 'dropped' })
    waymark.reset()
    await waymark.ready()
    expect(await waymark.flush()).toEqual({ sent: 0, left: 0, dropped: 0 })
    expect(waymark.ids).toEqual({ deviceId: '', anonymousId: '', distinctId: '', sessionId: '' })
    expect(world.timers()).toBe(0)
  })
})

describe('a service that refuses the set-up', () => {
  it.each([
    ['a wrong key', 401, '{}', 'http-401'],
    [
      'an unknown environment',
      400,
      '{"ok":false,"error_code":"environment-not-found"}',
      'environment-not-found',
    ],
    ['a wrong address', 404, 'Not found', 'http-404'],
  ])(
    'for %s keeps every event, says once what is refused, and gets them when it is mended',
    async (_, status, body, code) => {
      const world = createWorld()
      world.service.become({ kind: 'answers', status, body })
      const tab = world.openTab()
      const waymark = tab.init()
      for (let n = 0; n < 30; n++) waymark.track(`E${n}`)
      await world.advance(10_000)
      waymark.track('Later')
      await world.advance(600_000)

      expect(tab.warnings).toEqual([
        `[waymark] ${code}: https://api.test/ production (see docs/errors.md#${code})`,
      ])
      expect(waymark.stats()).toMatchObject({ queued: 31, state: 'paused', dropped: {} })
      expect(world.service.arrivals.length).toBeLessThan(8)

      world.service.become({ kind: 'well' })
      await world.advance(300_000)
      expect(world.service.names()).toHaveLength(31)
      expect(waymark.stats()).toMatchObject({ queued: 0, state: 'idle' })
    },
  )
})
