import { inTab } from './fixtures/inTab'
import { identitiesOf, identityRows, viewRows } from './fixtures/journeys'
import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'
import { withEngine } from './fixtures/withEngine'

let site: Site
test.afterEach(() => site.close())

// Chromium has these journeys in journeys.spec.ts, with more questions.
for (const name of ['firefox', 'webkit'] as const) {
  test(`a visitor, a member, two tabs, another member: each event has its own identity in ${name}`, async ({
    service,
  }) => {
    site = await serveSite({ endpoint: service.url })
    await withEngine(name, site.url, async (open) => {
      const first = await open(site.url)
      await inTab(first).loaded()
      await inTab(first).call('track', 'As Visitor')
      const { anonymousId: visitor } = await inTab(first).ids()
      await inTab(first).call('identify', 'ann', { plan: 'pro' })
      await inTab(first).call('track', 'As Ann')

      const second = await open(`${site.url}/tab`)
      await inTab(second).loaded()
      await until(async () => (await inTab(second).ids()).userId, 'ann')
      await inTab(second).call('track', 'As Ann In Tab')

      await inTab(first).call('reset')
      // The other tab hears of it.
      await until(async () => (await inTab(second).ids()).userId, undefined)
      const { anonymousId: next } = await inTab(first).ids()
      expect((await inTab(second).ids()).anonymousId).toBe(next)
      await inTab(second).call('track', 'As Visitor In Tab')
      await inTab(second).call('identify', 'bob')
      await inTab(second).call('track', 'As Bob In Tab')
      await until(async () => (await inTab(first).ids()).userId, 'bob')
      await inTab(first).call('track', 'As Bob')

      await until(() => service.sql(identityRows), identitiesOf(visitor!, next!))
    })
  })

  test(`consent after three pages: all three arrive, and nothing is stored before, in ${name}`, async ({
    service,
  }) => {
    site = await serveSite({ endpoint: service.url, config: { consent: 'pending' } })
    await withEngine(name, site.url, async (open) => {
      const tab = await open(`${site.url}/first?token=secret`)
      await inTab(tab).loaded()
      const times = [Date.now()]
      for (const path of ['/second', '/third']) {
        await new Promise((resolve) => setTimeout(resolve, 60))
        await tab.run(`go('${path}')`)
        times.push(Date.now())
      }
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(service.arrivals).toEqual([])
      const stored =
        'indexedDB.databases().then((all) => all.length + localStorage.length + sessionStorage.length + document.cookie.length)'
      expect(await tab.run(stored)).toBe(0)

      await inTab(tab).call('setConsent', 'granted')
      await until(async () => (await service.sql(viewRows)).length, 3)
      const views = await service.sql(viewRows)
      expect(views.map(([url, referrer]) => [url, referrer])).toEqual([
        [`${site.url}/first`, null],
        [`${site.url}/second`, `${site.url}/first`],
        [`${site.url}/third`, `${site.url}/second`],
      ])
      // Each is as old as its page, not as the consent.
      for (const [index, before] of times.entries())
        expect(Number(views[index]![2])).toBeLessThanOrEqual(before)
    })
  })
}
