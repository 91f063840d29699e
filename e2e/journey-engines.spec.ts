import { identitiesOf, identityRows, viewRows } from './fixtures/journeys'
import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { withEngine, type Tab } from './fixtures/withEngine'

/** Calls a method of the instance; what it returns cannot leave the page. */
const call = (tab: Tab, method: string, ...args: unknown[]) =>
  tab.run(`(waymark.${method}(${args.map((arg) => JSON.stringify(arg)).join()}), 0)`)
const ids = async (tab: Tab) =>
  JSON.parse(String(await tab.run('JSON.stringify(waymark.ids)'))) as Record<string, string>
const loaded = (tab: Tab) => expect.poll(() => tab.run('typeof window.waymark?.stats')).toBe('function')

let site: Site
test.afterEach(() => site.close())

// The same journeys run in Chromium, with more questions asked: journeys.spec.ts.
for (const name of ['firefox', 'webkit'] as const) {
  test(`a visitor, a member, two tabs, another member: each event has its own identity in ${name}`, async ({
    service,
  }) => {
    site = await serveSite({ endpoint: service.url })
    await withEngine(name, site.url, async (open) => {
      const first = await open(site.url)
      await loaded(first)
      await call(first, 'track', 'As Visitor')
      await expect.poll(async () => (await ids(first)).anonymousId).toBeTruthy()
      const { anonymousId: visitor } = await ids(first)
      await call(first, 'identify', 'ann', { plan: 'pro' })
      await call(first, 'track', 'As Ann')

      const second = await open(`${site.url}/tab`)
      await loaded(second)
      await expect.poll(async () => (await ids(second)).userId).toBe('ann')
      await call(second, 'track', 'As Ann In Tab')

      await call(first, 'reset')
      // The other tab hears of it.
      await expect.poll(async () => (await ids(second)).userId).toBeUndefined()
      const { anonymousId: next } = await ids(first)
      expect((await ids(second)).anonymousId).toBe(next)
      await call(second, 'track', 'As Visitor In Tab')
      await call(second, 'identify', 'bob')
      await call(second, 'track', 'As Bob In Tab')
      await expect.poll(async () => (await ids(first)).userId).toBe('bob')
      await call(first, 'track', 'As Bob')

      await expect.poll(() => service.sql(identityRows)).toEqual(identitiesOf(visitor!, next!))
    })
  })

  test(`consent after three pages: all three arrive, and nothing is stored before, in ${name}`, async ({
    service,
  }) => {
    site = await serveSite({ endpoint: service.url, config: { consent: 'pending' } })
    await withEngine(name, site.url, async (open) => {
      const tab = await open(`${site.url}/first?token=secret`)
      await loaded(tab)
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

      await call(tab, 'setConsent', 'granted')
      await expect.poll(async () => (await service.sql(viewRows)).length).toBe(3)
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
