import { describe, expect, it, vi } from 'vitest'
import type { InitConfig } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

async function deliver(config: Partial<InitConfig>, leave = false, keepsAlive = true) {
  const world = createWorld()
  const tab = world.openTab()
  tab.keepsAlive = keepsAlive
  const waymark = tab.init(config)
  const { id } = waymark.track('First')
  await world.advance(3000)
  if (leave) {
    waymark.track('Last')
    await world.settle()
    tab.leave()
    await world.settle()
  }
  const { arrivals } = world.service
  return { id, arrivals, last: arrivals.at(-1)!, properties: arrivals[0]!.payloads[0]!.properties }
}

const headersOf = (arrival: { init?: RequestInit }) => arrival.init!.headers

describe('a request', () => {
  it('carries the key in one constant URL for each kind, and no credentials', async () => {
    const { last } = await deliver({ endpoint: 'https://api.test/v1//' })
    expect(last.path).toBe('https://api.test/v1/track?apiKey=pk_test')
    expect(headersOf(last)).toEqual({ 'Content-Type': 'application/json' })
    expect(last.init).toMatchObject({ method: 'POST', keepalive: true, credentials: 'omit' })
  })

  it.each([
    ['header', { 'X-API-Key': 'pk_test' }],
    ['bearer', { Authorization: 'Bearer pk_test' }],
  ] as const)('carries the key as %s by option, also at unload', async (auth, headers) => {
    const { arrivals } = await deliver({ transport: { auth } }, true)
    expect(arrivals).toHaveLength(2)
    for (const arrival of arrivals) {
      expect(arrival.path).toBe('https://api.test/track')
      expect(headersOf(arrival)).toMatchObject(headers)
    }
  })
})

describe('a beacon', () => {
  it('is used once the service is seen to take credentials, where there is no keepalive fetch', async () => {
    expect((await deliver({}, true, false)).last.by).toBe('beacon')
  })

  it('is not used where there is one, also not for an endpoint of the same origin', async () => {
    for (const endpoint of ['https://api.test', '/ingest']) {
      const { last } = await deliver({ endpoint }, true)
      expect(last.by).toBe('fetch')
      expect(last.init).toMatchObject({ keepalive: true, credentials: 'omit' })
    }
  })

  it('is used by option in every browser', async () => {
    expect((await deliver({ transport: { beacon: true } }, true)).last.by).toBe('beacon')
  })

  it('is not used by option where it could not carry the key', async () => {
    const { last } = await deliver({ transport: { beacon: true, auth: 'bearer' } }, true)
    expect(last.by).toBe('fetch')
    expect(headersOf(last)).toMatchObject({ Authorization: 'Bearer pk_test' })
  })

  it('is not used by option behind a service worker', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.hasWorker = true
    const waymark = tab.init({ transport: { beacon: true } })
    await waymark.ready()
    waymark.track('Only')
    await world.settle()
    tab.leave()
    expect(world.service.arrivals.map(({ by }) => by)).toEqual(['fetch'])
  })

  it('is not used by a page of an opaque origin', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.isOpaque = true
    tab.keepsAlive = false
    const waymark = tab.init()
    waymark.track('First')
    await world.advance(3000)
    waymark.track('Last')
    await world.settle()
    tab.leave()
    expect(world.service.arrivals.map(({ by }) => by)).toEqual(['fetch', 'fetch'])
  })

  it('is not used when it is switched off', async () => {
    const { last } = await deliver({ transport: { beacon: false } }, true, false)
    expect(last.by).toBe('fetch')
    expect(last.init).toMatchObject({ keepalive: true, credentials: 'omit' })
  })

  it.each([
    ['not used where there is a fetch of the page', 'auto', 1],
    ['used all the same by option', true, 0],
  ] as const)('is %s', async (_, beacon, calls) => {
    const world = createWorld()
    const tab = world.openTab()
    tab.keepsAlive = false
    const fetch = vi.fn(async () => Response.json({ ok: true }))
    const waymark = tab.init({ endpoint: '/ingest', transport: { fetch, beacon } })
    await waymark.ready()
    waymark.track('Only')
    await world.settle()
    tab.leave()
    expect(fetch).toHaveBeenCalledTimes(calls)
    expect(world.service.arrivals).toHaveLength(1 - calls)
  })

  it('is used at once for an endpoint of the same origin, where there is no keepalive fetch', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.keepsAlive = false
    const waymark = tab.init({ endpoint: '/ingest' })
    await waymark.ready()
    waymark.track('Only')
    await world.settle()
    tab.leave()
    expect(world.service.arrivals.map(({ by, path }) => [by, path])).toEqual([
      ['beacon', 'https://shop.test/ingest/track?apiKey=pk_test'],
    ])
  })
})

describe('the insert id', () => {
  it('is a property of every event, under its usual name', async () => {
    const { id, properties } = await deliver({})
    expect(properties['insert_id']).toBe(id)
  })

  it('can have another name', async () => {
    const { id, properties } = await deliver({ insertId: 'event_id' })
    expect(properties['event_id']).toBe(id)
    expect(properties).not.toHaveProperty('insert_id')
  })

  it('can be turned off', async () => {
    const { id, properties } = await deliver({ insertId: false })
    expect(Object.values(properties)).not.toContain(id)
  })

  it('can be the caller’s own', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    expect(waymark.track('Order', {}, { insertId: 'order-1' }).id).toBe('order-1')
    await world.advance(3000)
    expect(world.service.events()[0]!.properties).toMatchObject({ insert_id: 'order-1' })
  })
})

describe('Retry-After', () => {
  it.each([
    ['60', 59_000, 62_000],
    ['Thu, 01 Jan 2026 12:02:00 GMT', 119_000, 122_000],
    ['soon', 0, 4000],
    ['-5', 0, 4000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0, 4000],
  ])('%j is kept to when it is a number of seconds or a date to come', async (header, earliest, latest) => {
    const world = createWorld()
    const waymark = world.openTab().init()
    await waymark.ready()
    world.service.become({ kind: 'answers', status: 503, body: '', headers: { 'Retry-After': header } })
    waymark.track('A')
    void waymark.flush()
    await world.settle()
    world.service.become({ kind: 'well' })
    await world.advance(earliest)
    expect(world.service.names()).toEqual([])
    await world.advance(latest - earliest)
    expect(world.service.names()).toEqual(['A'])
  })
})

it.each(['header', 'bearer'] as const)(
  'a beacon cannot carry the key as %s, so none is sent',
  async (auth) => {
    const { last } = await deliver({ transport: { auth, beacon: true } }, true, false)
    expect(last.by).toBe('fetch')
    expect(last.payloads.map(({ event }) => event)).toEqual(['Last'])
  },
)
