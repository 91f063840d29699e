import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryTransport } from '../../src/adapters/testing'
import { createWaymark, type WorkerPage } from '../../src/entries/worker'
import { createWorld } from '../world/createWorld'

beforeEach(() => {
  // What a worker has and Node has not.
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('location', { href: 'https://shop.test/worker.js' })
})
afterEach(() => vi.unstubAllGlobals())

const open = (page?: WorkerPage) => {
  const memory = createMemoryTransport()
  const waymark = createWaymark(page).init('pk_worker', {
    endpoint: 'https://api.test',
    transport: { fetch: memory.fetch },
  })
  return { memory, waymark }
}

describe('createWaymark of a worker', () => {
  it('queues in IndexedDB and delivers, without a page', async () => {
    createWorld()
    const { memory, waymark } = open()
    waymark.track('Push Received', { kind: 'offer' })
    expect(await waymark.flush()).toEqual({ sent: 1, left: 0, dropped: 0 })
    expect(waymark.stats().store).toBe('indexeddb')
    const { properties } = memory.events('Push Received')[0]!
    expect(properties).toMatchObject({ kind: 'offer', $lib: 'waymark' })
    for (const name of ['$url', '$referer', '$viewport']) expect(properties).not.toHaveProperty(name)
    await waymark.shutdown()
  })

  it('says of the page what it is told', async () => {
    createWorld()
    const { memory, waymark } = open({ url: 'https://shop.test/offers?token=1', viewport: '800x600' })
    waymark.page()
    await waymark.flush()
    expect(memory.payloads[0]!.properties).toMatchObject({
      $url: 'https://shop.test/offers',
      $viewport: '800x600',
    })
    await waymark.shutdown()
  })

  it('keeps the ids from one start to the next', async () => {
    createWorld()
    const first = open().waymark
    await first.ready()
    const { deviceId, anonymousId } = first.ids
    expect(deviceId).toMatch(/^device-/)
    await first.shutdown()
    const second = open().waymark
    await second.ready()
    expect(second.ids).toMatchObject({ deviceId, anonymousId })
    await second.shutdown()
  })

  it('does nothing where there is no IndexedDB, on a server', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const { memory, waymark } = open()
    const { outcome } = waymark.track('A')
    expect(await outcome).toEqual({ status: 'dropped', reason: 'shut-down' })
    expect(await waymark.flush()).toEqual({ sent: 0, left: 0, dropped: 0 })
    expect(memory.payloads).toEqual([])
  })
})
