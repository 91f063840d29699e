import { describe, expect, it } from 'vitest'
import type { BeforeSend, TrackOptions } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

// A value of somebody else never decides what cannot be undone: an event is not lost, and nothing private is sent.

/** An instance that writes down what it says. */
const start = (config: Parameters<ReturnType<ReturnType<typeof createWorld>['openTab']>['init']>[0] = {}) => {
  const world = createWorld()
  const tab = world.openTab()
  const waymark = tab.init(config)
  const said: string[] = []
  waymark.on('error', ({ code, message }) => said.push(`${code}: ${message}`))
  return { world, tab, waymark, said }
}

describe('a page with a reduce of its own', () => {
  const { reduce } = Array.prototype
  it.each<[string, (this: unknown[]) => unknown]>([
    ['that gives the list or its only entry, as in prototype.js 1.6', function () {
      return this.length > 1 ? this : this[0]
    }], // prettier-ignore
    ['that gives nothing', () => {}],
    ['that gives a text', () => '1'],
  ])('%s hands off as much as browsers take, and leaves the rest to the next page', async (_, own) => {
    const { world, tab, waymark } = start()
    await waymark.ready()
    for (let n = 0; n < 18; n++) waymark.track(`E${n}`, { text: 'x'.repeat(5000) })
    await world.settle()
    const set = (value: unknown) => Object.assign(Array.prototype, { reduce: value })
    set(own)
    try {
      tab.leave()
    } finally {
      set(reduce)
    }
    await world.settle()
    const bytes = world.service.arrivals.map(({ init }) => String(init!.body).length)
    expect(bytes.length).toBeGreaterThan(1)
    expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(64 * 1024)
    world.openTab().init()
    await world.advance(20_000)
    expect(world.service.names()).toEqual(Array.from({ length: 18 }, (_one, n) => `E${n}`))
  })
})

describe('a beforeSend', () => {
  it.each<[string, unknown, string]>([
    ['is async', Promise.resolve(null), 'is async'],
    // oxlint-disable-next-line no-thenable -- that is what it is
    ['gives what may be waited for', { kind: 'track', then() {} }, 'is async'],
    ['gives nothing', undefined, 'undefined'],
    ['gives yes', true, 'true'],
    ['gives the name of the event', 'Signed Up', 'Signed Up'],
    ['gives a list', [{ properties: {} }], '[{"properties":{}}]'],
    ['gives a map', new Map(), '[]'],
    ['gives a function', () => null, '() => null'],
  ])('that %s lets nothing through, and is told', async (_, given, told) => {
    const { world, waymark, said } = start({ beforeSend: (() => given) as BeforeSend })
    const { outcome } = waymark.track('Signed Up', { email: 'ada@example.com' })
    await world.advance(5000)
    expect(await outcome).toEqual({
      status: 'dropped',
      reason: 'before-send',
      errorCode: 'invalid-before-send',
    })
    expect(said).toEqual([`invalid-before-send: ${told}`])
    expect(world.service.arrivals).toEqual([])
  })

  it.each([null, false, 'too-old', 'sampled-out'])('may give %s', async (given) => {
    const { world, waymark, said } = start({ beforeSend: (() => given) as BeforeSend })
    const { outcome } = waymark.track('Signed Up')
    await world.advance(5000)
    expect(await outcome).toEqual({ status: 'dropped', reason: given || 'before-send' })
    expect(said).toEqual([])
  })
})

describe('an answer whose body another script reads', () => {
  const answer = (status: number, isLocked: boolean) => {
    const response = new Response('{"ok":true}', { status })
    if (isLocked) response.body!.getReader()
    else void response.text()
    return response
  }

  it.each([
    ['read', false],
    ['locked', true],
  ])('%s, counts by its status', async (_, isLocked) => {
    const world = createWorld()
    let status = 503
    const tab = world.openTab('https://shop.test/', {
      fetch: async (to, init) => {
        if (status < 300) await world.service.fetch(to, init, tab)
        return answer(status, isLocked)
      },
    })
    const waymark = tab.init()
    const { outcome } = waymark.track('A')
    await world.advance(2500)
    expect(waymark.stats()).toMatchObject({ queued: 1, state: 'waiting' })
    status = 200
    await world.advance(10_000)
    expect(await outcome).toMatchObject({ status: 'accepted' })
    expect(waymark.stats()).toMatchObject({ queued: 0, state: 'idle' })
    expect(world.service.names()).toEqual(['A'])
  })
})

describe('an id of the event', () => {
  it.each([0, '', ' ', true, false, 'undefined', {}, []])('%j is none', async (given) => {
    const { world, waymark, said } = start()
    const options = { insertId: given } as unknown as TrackOptions
    const ids = [waymark.track('A', {}, options).id, waymark.track('A', {}, options).id]
    await world.advance(5000)
    expect(new Set(ids).size).toBe(2)
    expect(said[0]).toContain('invalid-insert-id')
    expect(world.service.events().map(({ properties }) => properties['insert_id'])).toEqual(ids)
  })

  it.each([
    ['order-7', 'order-7'],
    [7, '7'],
  ])('%j is one', async (given, id) => {
    const { world, waymark, said } = start()
    expect(waymark.track('A', {}, { insertId: given as string }).id).toBe(id)
    await world.advance(5000)
    expect(said).toEqual([])
    expect(world.service.events()[0]!.properties['insert_id']).toBe(id)
  })
})

it('an init after shutdown is told', async () => {
  const { tab, waymark } = start()
  await waymark.shutdown()
  waymark.init('pk_test', { endpoint: 'https://api.test' })
  expect(tab.warnings).toEqual([expect.stringContaining('shut-down')])
})

it('an address whose content it is, or that names a file, is not sent', async () => {
  const world = createWorld()
  for (const url of [
    'data:text/html,<p>ada@example.com',
    'file:///home/ada/page.html',
    'blob:https://shop.test/1',
  ])
    world.openTab(url).init().track('A')
  world.openTab('capacitor://localhost/list').init().track('A')
  await world.advance(5000)
  expect(world.service.events().map(({ properties }) => properties['$url'])).toEqual([
    'data:',
    'file:///',
    'blob:',
    'capacitor://localhost/list',
  ])
})

it('a session has one visitor, also where a page has gone on when the database was deleted', async () => {
  const world = createWorld()
  const waymark = world.openTab().init()
  waymark.track('A')
  await world.advance(5000)
  indexedDB.deleteDatabase('waymark production pk_test')
  await world.advance(2000)
  waymark.track('B')
  await world.advance(5000)
  const next = world.openTab().init()
  await world.advance(5000)
  next.track('C')
  await world.advance(5000)
  const visitors = new Map<unknown, Set<unknown>>()
  for (const { session_id, device_id } of world.service.events())
    visitors.set(session_id, new Set([...(visitors.get(session_id) ?? []), device_id]))
  expect(visitors.size).toBeGreaterThan(0)
  expect([...visitors.values()].map(({ size }) => size)).toEqual([...visitors].map(() => 1))
})
