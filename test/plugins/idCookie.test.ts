import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { idCookie } from '../../src/plugins/idCookie'
import type { InitConfig } from '../../src/core/types'
import { createWorld, type World } from '../world/createWorld'

const empty = { device_id: null, anonymous_id: null }
const older = { device_id: 'device-old', anonymous_id: 'anonymous-old' }

/** What the browser keeps for the service. */
let jar: { device_id: string | null; anonymous_id: string | null }
let requests: string[]
let isDown: boolean

beforeEach(() => {
  jar = empty
  requests = []
  isDown = false
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('fetch', async (url: string, { method, body, signal, credentials }: RequestInit) => {
    requests.push(`${method} ${url} ${credentials}`)
    if (isDown)
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))
    if (method === 'POST') jar = JSON.parse(String(body))
    if (method === 'DELETE') jar = empty
    return Response.json(jar)
  })
})
afterEach(() => vi.unstubAllGlobals())

const open = async (world: World, config: Partial<InitConfig> = {}, timeoutMs = 1000) => {
  const tab = world.openTab()
  const plugin = idCookie({ endpoint: '/w/', timeoutMs })
  await plugin.ask()
  const waymark = tab.init({ endpoint: '/w', plugins: [plugin], ...config })
  return Object.assign(tab, { waymark, plugin })
}

const idsOf = ({ deviceId, anonymousId }: { deviceId: string; anonymousId: string }) => ({
  device_id: deviceId,
  anonymous_id: anonymousId,
})

describe('idCookie', () => {
  it('gives the service the ids of a new visitor, once, on the page’s own path', async () => {
    const world = createWorld()
    const { waymark } = await open(world)
    await waymark.ready()
    await world.advance(3000)
    expect(jar).toEqual(idsOf(waymark.ids))
    expect(requests).toEqual(['GET /w/ids same-origin', 'POST /w/ids same-origin'])
  })

  it('brings the ids back to a browser that has lost its own', async () => {
    jar = older
    const world = createWorld()
    const { waymark } = await open(world)
    await waymark.ready()
    expect(idsOf(waymark.ids)).toEqual(older)
    waymark.track('A')
    await world.advance(3000)
    expect(world.service.events()[0]).toMatchObject({ device_id: 'device-old', distinct_id: 'anonymous-old' })
  })

  it('leaves a browser its own ids, and writes no more than once a session', async () => {
    const world = createWorld()
    const first = await open(world)
    await first.waymark.ready()
    await world.advance(3000)
    first.leave()
    requests = []
    const second = await open(world)
    await second.waymark.ready()
    await world.advance(3000)
    expect(idsOf(second.waymark.ids)).toEqual(idsOf(first.waymark.ids))
    expect(requests).toEqual(['GET /w/ids same-origin'])
    await world.advance(31 * 60_000)
    second.waymark.track('Later')
    await world.advance(100)
    expect(requests).toHaveLength(2)
  })

  it('follows a sign-out by one request', async () => {
    const world = createWorld()
    const { waymark } = await open(world)
    await waymark.ready()
    await world.advance(3000)
    requests = []
    waymark.reset()
    await world.advance(100)
    expect(jar).toEqual(idsOf(waymark.ids))
    expect(requests).toEqual(['POST /w/ids same-origin'])
  })

  it('waits no longer than it may, and writes over nothing that it could not read', async () => {
    jar = older
    isDown = true
    const world = createWorld()
    const { waymark } = await open(world, {}, 10)
    isDown = false
    await waymark.ready()
    await world.advance(3000)
    expect(waymark.ids.deviceId).toMatch(/^device-/)
    expect(jar).toEqual(older)
  })
})

describe('the cookie of the service and consent', () => {
  it('is not set before the visitor has agreed, and goes when he refuses', async () => {
    const world = createWorld()
    const { waymark } = await open(world, { consent: 'pending' })
    waymark.page()
    await world.advance(60_000)
    expect(requests).toEqual(['GET /w/ids same-origin'])
    waymark.optIn()
    await world.advance(3000)
    expect(jar).toEqual(idsOf(waymark.ids))
    waymark.optOut()
    await world.settle()
    expect(jar).toEqual(empty)
  })

  it('is neither read nor set where the browser refuses (Global Privacy Control)', async () => {
    vi.stubGlobal('navigator', { globalPrivacyControl: true })
    const world = createWorld()
    const { waymark } = await open(world)
    waymark.track('A')
    await world.advance(3000)
    expect(requests).toEqual([])
  })
})
