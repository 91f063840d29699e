import { inTab } from './fixtures/inTab'
import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { engineNames } from './fixtures/useEngine'
import { until } from './fixtures/until'
import { waymarkOf } from './fixtures/waymarkOf'
import { withEngine } from './fixtures/withEngine'

let site: Site
test.afterEach(() => site.close())
test.use({ serviceSettings: { more: ['--trust-proxy', '1'] } })

/** What lies in a browser for a page: names of databases and caches, and what else there is. */
const storages = `Promise.all([indexedDB.databases(), caches.keys()]).then(([databases, names]) => JSON.stringify([
  databases.map(({ name }) => name), names, Object.keys(localStorage), Object.keys(sessionStorage), document.cookie,
]))`
const nothing = [[], [], [], [], '']

/** Ten addresses, each with five browsers, each of which two people use who cannot be told apart. */
const people = Array.from({ length: 200 }, (_, n) => ({
  refuses: n % 2 === 0,
  address: `10.77.0.${n % 20}`,
  userAgent: `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/${140 + (Math.floor(n / 20) % 5)}.0`,
  views: 1 + (Math.floor(n / 2) % 2),
}))
const refusing = people.filter(({ refuses }) => refuses)
const visitors = new Set(refusing.map(({ address, userAgent }) => `${address} ${userAgent}`)).size
const viewsOf = (some: typeof people) => some.reduce((sum, { views }) => sum + views, 0)

test('of 200 people half refuse: a day has as many visitors as there are addresses with a browser', async ({
  browser,
  service,
}) => {
  test.setTimeout(1_800_000)
  site = await serveSite({ endpoint: service.url, config: { consent: 'pending' } })
  // One after another: each of them makes Chromium start a process, and other journeys run beside this one.
  for (const { refuses, address, userAgent, views } of people) {
    const context = await browser.newContext({ userAgent })
    // As a proxy does: a header of the page's own would be asked for beforehand, and refused.
    await context.route(`${service.url}/**`, (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-forwarded-for': address } }),
    )
    const page = await context.newPage()
    for (let view = 0; view < views; view++) {
      await page.goto(`${site.url}/${view}`)
      await waymarkOf(page).loaded()
      await page.evaluate(
        async ([state]) => {
          const { waymark } = window as unknown as { waymark: import('../src/core/types').Waymark }
          waymark.setConsent(state)
          await waymark.flush()
        },
        [refuses ? 'anonymous' : 'granted'] as const,
      )
    }
    if (refuses) {
      expect(JSON.parse(await page.evaluate<string>(storages))).toEqual(nothing)
      // Scripts do not see every cookie.
      expect(await context.cookies()).toEqual([])
    }
    await context.close()
  }

  const count = (what: string) => service.sql(`SELECT ${what} FROM events WHERE event = '$pageview'`)
  await expect.poll(() => count('count(*)::INTEGER')).toEqual([[viewsOf(people)]])
  expect(await count('count(*) FILTER (anonymous)::INTEGER')).toEqual([[viewsOf(refusing)]])
  expect(await count('count(DISTINCT person_id) FILTER (anonymous)::INTEGER')).toEqual([[visitors]])
  expect(await count('count(DISTINCT session_id) FILTER (anonymous)::INTEGER')).toEqual([[visitors]])
  const daily = await service.sql('SELECT sum(people)::INTEGER FROM daily()')
  expect(daily).toEqual([[visitors + people.length - refusing.length]])
  expect(await service.sql('SELECT count(*)::INTEGER FROM persons')).toEqual([
    [people.length - refusing.length],
  ])
})

for (const name of engineNames) {
  test(`who refuses is counted in ${name}, and nothing is in any storage of it`, async ({ service }) => {
    site = await serveSite({ endpoint: service.url, config: { consent: 'anonymous' } })
    await withEngine(name, site.url, async (open) => {
      const tab = await open(site.url)
      await inTab(tab).loaded()
      await inTab(tab).call('track', 'Counted')
      await until(async () => (await service.events()).length, 2)
      expect(JSON.parse(String(await tab.run(storages)))).toEqual(nothing)
      // A refusal without the option sends nothing.
      await inTab(tab).call('setConsent', 'denied')
      await inTab(tab).call('track', 'Refused')
      await inTab(tab).call('flush')
      await inTab(tab).call('setConsent', 'granted')
      await inTab(tab).call('track', 'Agreed')
      await inTab(tab).sent()
      await until(async () => (await service.events()).length, 3)
      expect(await service.sql('SELECT event, anonymous FROM events ORDER BY event')).toEqual([
        ['$pageview', true],
        ['Agreed', false],
        ['Counted', true],
      ])
    })
  })
}
