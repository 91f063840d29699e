import { afterEach, describe, expect, it, vi } from 'vitest'

const scopes = {
  Node: {},
  'a scope like Deno': {
    Deno: { version: {} },
    navigator: { userAgent: 'Deno/2' },
    self: globalThis,
    addEventListener() {},
    location: undefined,
  },
  'a worker': {
    self: globalThis,
    WorkerGlobalScope() {},
    navigator: { userAgent: 'Chrome/150', onLine: true },
    addEventListener() {},
    location: new URL('https://shop.test/worker.js'),
  },
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** What would keep a process alive. */
const alive = () => process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate/.test(name)).length

describe.each(Object.entries(scopes))('in %s', (_, globals) => {
  it('every entry can be imported and started, and leaves no timer, no listener and no request', async () => {
    const listen = vi.fn()
    const fetch = vi.fn()
    for (const [name, value] of Object.entries({ ...globals, fetch })) vi.stubGlobal(name, value)
    if ('addEventListener' in globals) vi.stubGlobal('addEventListener', listen)
    const before = alive()

    const { createWaymark, waymark: usual } = await import('../../src/entries/index')
    const plugins = [
      (await import('../../src/plugins/pageviews')).pageviews(),
      (await import('../../src/plugins/campaign')).campaign(),
      (await import('../../src/plugins/clicks')).clicks(),
      (await import('../../src/plugins/errors')).errors(),
      (await import('../../src/plugins/forms')).forms(),
      (await import('../../src/plugins/engagement')).engagement(),
      (await import('../../src/plugins/webVitals')).webVitals({ onCLS: listen }),
      (await import('../../src/plugins/bots')).bots(),
    ]
    await import('../../src/adapters/react')
    await import('../../src/adapters/vue')
    await import('../../src/adapters/svelte')
    await import('../../src/adapters/testing')
    await import('../../src/adapters/doNotTrack')
    await import('../../src/plugins/checks')
    await import('../../src/plugins/cookie')
    await import('../../src/plugins/sample')
    await import('../../src/plugins/scopes')
    await import('../../src/entries/development')
    plugins.push((await import('../../src/plugins/overlay')).overlay())
    await import('../../src/plugins/overlay/development')
    await import('../../src/node/index')
    const worker = await import('../../src/entries/worker')

    for (const waymark of [usual, createWaymark(), worker.createWaymark()]) {
      waymark.init('pk_1', { endpoint: 'https://api.test', plugins })
      const { outcome } = waymark.track('A')
      waymark.identify('ann')
      waymark.register({ a: 1 })
      waymark.setConsent('denied')
      waymark.reset()
      expect(await outcome).toEqual({ status: 'dropped', reason: 'shut-down' })
      await waymark.ready()
      expect(await waymark.flush()).toEqual({ sent: 0, left: 0, dropped: 0 })
      expect(waymark.ids.deviceId).toBe('')
    }
    expect(alive()).toBeLessThanOrEqual(before)
    expect(listen).not.toHaveBeenCalled()
    expect(fetch).not.toHaveBeenCalled()
  })
})

describe('createMemoryTransport', () => {
  it('says in the console that nothing will be recorded, where there is no page and no worker', async () => {
    const { createMemoryTransport } = await import('../../src/adapters/testing')
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    createMemoryTransport()
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('[waymark] no-page: Nothing will be recorded')],
    ])
    vi.stubGlobal('indexedDB', {})
    createMemoryTransport()
    expect(warn).toHaveBeenCalledOnce()
  })
})
