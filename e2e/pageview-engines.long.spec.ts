import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'
import { withEngine } from './fixtures/withEngine'

let site: Site
test.afterEach(() => site.close())

// Chromium runs this journey by the Navigation API, and without it.
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
      await until(views, ['/0'])
      for (const path of ['/1', '/2', '/3']) await tab.run(`go('${path}')`)
      await tab.run(`history.replaceState(null, '', '/3?filter=1')`)
      await tab.run('history.back()')
      await until(() => tab.run('location.pathname'), '/2')
      await tab.run('history.forward()')
      await until(() => tab.run('location.pathname'), '/3')
      await until(views, expected)

      await tab.run('setTimeout(() => location.reload(), 20) && 0')
      await until(views, [...expected, '/3'])
      await tab.goto(`${site.url}/elsewhere`)
      await until(views, [...expected, '/3', '/elsewhere'])
      await tab.back()
      await until(() => tab.run('wasRestored'), true)
      await until(views, [...expected, '/3', '/elsewhere', '/3'])
      // Long enough for one too many to arrive.
      await new Promise((resolve) => setTimeout(resolve, 700))
      expect(await views()).toHaveLength(9)
    })
  })
}
