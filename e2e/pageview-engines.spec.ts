import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { withEngine } from './fixtures/withEngine'

let site: Site
test.afterEach(() => site.close())

// The same journey runs in Chromium, by the Navigation API and without it.
for (const name of ['firefox', 'webkit'] as const) {
  test(`routes, back, forward, reload and the page cache are counted once each in ${name}`, async ({
    service,
  }) => {
    site = await serveSite({ endpoint: service.url })
    const views = async () =>
      (
        await service.sql(
          `SELECT properties->>'$."$url"' FROM events WHERE event = '$pageview' ORDER BY timestamp, event_id`,
        )
      ).map(([url]) => String(url).replace(site.url, ''))
    await withEngine(name, site.url, async (open) => {
      const expected = ['/0', '/1', '/2', '/3', '/2', '/3']
      const tab = await open(`${site.url}/0`)
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
    })
  })
}
