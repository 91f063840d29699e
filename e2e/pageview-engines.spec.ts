import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveSite } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { findEngine } from './ledger/engines/findEngines.mjs'

for (const name of ['firefox', 'webkit'] as const) {
  test(`routes, back, forward, reload and the page cache are counted once each in ${name}`, async ({
    service,
  }) => {
    // Where the engine is not there, Debian's package is tried first.
    test.setTimeout(240_000)
    const engine = findEngine(name)
    // The same journey runs in Chromium, by the Navigation API and without it.
    if (typeof engine === 'string') return test.skip(true, engine)
    const site = await serveSite({ endpoint: service.url })
    const profile = await mkdtemp(join(tmpdir(), 'waymark-engine-'))
    const browser = await engine.launch({ profile, proxyPort: Number(new URL(site.url).port) })
    const views = async () =>
      (
        await service.sql(
          `SELECT properties->>'$."$url"' FROM events WHERE event = '$pageview' ORDER BY timestamp, event_id`,
        )
      ).map(([url]) => String(url).replace(site.url, ''))
    try {
      const expected = ['/0', '/1', '/2', '/3', '/2', '/3']
      const tab = await browser.open(`${site.url}/0`)
      await expect.poll(views).toEqual(['/0'])
      for (const path of ['/1', '/2', '/3']) await tab.run(`go('${path}')`)
      await tab.run(`history.replaceState(null, '', '/3?filter=1')`)
      await tab.run('history.back()')
      await expect.poll(() => tab.run('location.pathname')).toBe('/2')
      await tab.run('history.forward()')
      await expect.poll(() => tab.run('location.pathname')).toBe('/3')
      await expect.poll(views).toEqual(expected)

      await tab.run('setTimeout(() => location.reload(), 20) && 0')
      await expect.poll(views).toEqual([...expected, '/3'])
      await tab.goto(`${site.url}/elsewhere`)
      await expect.poll(views).toEqual([...expected, '/3', '/elsewhere'])
      await tab.back()
      await expect.poll(() => tab.run('wasRestored')).toBe(true)
      await expect.poll(views).toEqual([...expected, '/3', '/elsewhere', '/3'])
      // Long enough for one too many to arrive.
      await new Promise((resolve) => setTimeout(resolve, 700))
      expect(await views()).toHaveLength(9)
    } finally {
      await browser.close()
      await engine.dispose()
      await site.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  })
}
