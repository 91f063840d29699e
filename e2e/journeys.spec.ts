import type { Page } from '@playwright/test'
import type { Waymark } from '../src/core/types'
import { waitForEvent } from '../src/adapters/testing'
import { openUndriven } from './fixtures/openUndriven'
import { identitiesOf, identityRows, viewRows } from './fixtures/journeys'
import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'
import { waymarkOf } from './fixtures/waymarkOf'

type Globals = { waymark: Waymark; go(path: string): void; wasRestored: boolean }

/** Calls the instance in the page. */
const call = (page: Page, method: 'identify' | 'reset' | 'setConsent', ...args: unknown[]) =>
  page.evaluate(
    ([name, given]) => {
      const { waymark } = window as unknown as Globals
      const done = waymark[name as 'identify'](...(given as [string]))
      // What it returns cannot leave the page.
      return void done
    },
    [method, args] as const,
  )
const go = (page: Page, path: string) =>
  page.evaluate((to) => {
    const before = Date.now()
    ;(window as unknown as Globals).go(to)
    return [before, Date.now()] as const
  }, path)

let site: Site
test.afterEach(() => site.close())

test('a visitor, a member, two tabs, another member: each event has its own of the four identities', async ({
  page,
  context,
  service,
}) => {
  site = await serveSite({ endpoint: service.url })
  await page.goto(site.url)
  await waymarkOf(page).loaded()
  await waymarkOf(page).track('As Visitor')
  const { anonymousId: visitor } = await waymarkOf(page).ids()
  await call(page, 'identify', 'ann', { plan: 'pro' })
  await waymarkOf(page).track('As Ann')

  const tab = await context.newPage()
  await tab.goto(`${site.url}/tab`)
  await waymarkOf(tab).loaded()
  await waymarkOf(tab).track('As Ann In Tab')

  await call(page, 'reset')
  // The other tab hears of it.
  await until(async () => (await waymarkOf(tab).ids()).userId, undefined)
  await waymarkOf(tab).track('As Visitor In Tab')
  const { anonymousId: second } = await waymarkOf(page).ids()
  expect((await waymarkOf(tab).ids()).anonymousId).toBe(second)

  await call(tab, 'identify', 'bob')
  await waymarkOf(tab).track('As Bob In Tab')
  await until(async () => (await waymarkOf(page).ids()).userId, 'bob')
  await waymarkOf(page).track('As Bob')

  await until(() => service.sql(identityRows), identitiesOf(visitor, second))
  expect(new Set([visitor, second, 'ann', 'bob']).size).toBe(4)
  const sessions = await service.sql(
    `SELECT count(DISTINCT session_id) FILTER (WHERE person_id = 'ann'), count(DISTINCT session_id) FROM events`,
  )
  expect(sessions).toEqual([[1, 2]])
  const persons = `SELECT person_id, traits->>'plan' FROM persons ORDER BY person_id`
  expect(await service.sql(persons)).toEqual([
    ['ann', 'pro'],
    ['bob', null],
  ])
})

test('consent after three pages: all three arrive, with their own times and referrers', async ({
  page,
  service,
  complaints,
}) => {
  site = await serveSite({ endpoint: service.url, config: { consent: 'pending' } })
  const started = Date.now()
  await page.goto(`${site.url}/first?token=secret`, { referer: 'https://search.test/?q=secret' })
  await waymarkOf(page).loaded()
  const loaded = Date.now()
  const times = [[started, loaded] as const]
  for (const path of ['/second', '/third']) {
    await page.waitForTimeout(60)
    times.push(await go(page, path))
  }
  await page.waitForTimeout(500)
  expect(service.arrivals).toEqual([])
  const stored = await page.evaluate(async () => [
    (await indexedDB.databases()).length,
    localStorage.length,
    sessionStorage.length,
    document.cookie,
  ])
  expect(stored).toEqual([0, 0, 0, ''])

  await call(page, 'setConsent', 'granted')
  await until(async () => (await service.sql(viewRows)).length, 3)
  const views = await service.sql(viewRows)
  expect(views.map(([url, referrer]) => [url, referrer])).toEqual([
    [`${site.url}/first`, 'https://search.test/'],
    [`${site.url}/second`, `${site.url}/first`],
    [`${site.url}/third`, `${site.url}/second`],
  ])
  for (const [index, [before, after]] of times.entries()) {
    expect(Number(views[index]![2])).toBeGreaterThanOrEqual(before)
    expect(Number(views[index]![2])).toBeLessThanOrEqual(after)
  }
  expect(complaints).toEqual([])
})

for (const api of ['the Navigation API', 'the history alone']) {
  test(`twenty routes, back, forward, reload and the page cache are counted once each, by ${api}`, async ({
    page,
    service,
    complaints,
  }) => {
    if (api === 'the history alone')
      await page.addInitScript(() => Object.defineProperty(window, 'navigation', { value: undefined }))
    site = await serveSite({ endpoint: service.url })
    const expected: string[][] = []
    const view = (path: string, from: string) => expected.push([site.url + path, from && site.url + from])

    await page.goto(`${site.url}/spa/0`)
    await waymarkOf(page).loaded()
    view('/spa/0', '')
    for (let n = 1; n <= 20; n++) {
      await go(page, `/spa/${n}`)
      view(`/spa/${n}`, `/spa/${n - 1}`)
    }
    await page.evaluate(() => history.replaceState({ kept: true }, '', '/spa/20?filter=1'))
    await page.evaluate(() => history.back())
    await page.waitForURL('**/spa/19')
    view('/spa/19', '/spa/20')
    await page.evaluate(() => history.forward())
    await page.waitForURL('**/spa/20?filter=1')
    view('/spa/20', '/spa/19')

    await page.reload()
    await waymarkOf(page).loaded()
    // The browser keeps the referrer that the document had.
    view('/spa/20', '')

    await page.goto(`${site.url}/elsewhere`, { referer: `${site.url}/spa/20` })
    await waymarkOf(page).loaded()
    view('/elsewhere', '/spa/20')
    await page.evaluate(() => history.back())
    // A page from the cache is not loaded.
    await page.waitForURL('**/spa/20?filter=1', { waitUntil: 'commit' })
    await until(() => page.evaluate(() => (window as unknown as Globals).wasRestored), true)
    view('/spa/20', '')

    const rows = `SELECT properties->>'$."$url"', coalesce(properties->>'$."$referer"', '')
      FROM events WHERE event = '$pageview' ORDER BY timestamp, event_id`
    await until(async () => (await service.sql(rows)).length, expected.length)
    expect(await service.sql(rows)).toEqual(expected)
    // Long enough for one too many to arrive.
    await page.waitForTimeout(700)
    expect(await service.sql(rows)).toHaveLength(26)
    expect(complaints).toEqual([])
  })
}

test('a prerendered page counts when it is shown, and not at all when it never is', async ({ service }) => {
  site = await serveSite({ endpoint: service.url, prerender: ['/shown', '/unseen'] })
  const browser = await openUndriven(site.url)
  try {
    const prerendered = (path: string) => `?path=${path}&prerendering=true`
    await until(() => site.ran, expect.arrayContaining([prerendered('/shown'), prerendered('/unseen')]))
    const paths = async () =>
      (await service.sql(`SELECT properties->>'$."$url"' FROM events ORDER BY timestamp`)).map(([url]) =>
        String(url).replace(site.url, ''),
      )
    await until(paths, ['/'])
    // Long enough for one too many to arrive.
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(await paths()).toEqual(['/'])

    site.lead('/shown')
    await until(paths, ['/', '/shown'])
    // Activated, not loaded again.
    expect(site.ran.filter((told) => told.includes('/shown'))).toEqual([prerendered('/shown')])
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(await paths()).toEqual(['/', '/shown'])
  } finally {
    await browser.close()
  }
})

test('calls made before the script is there keep their time and their URL', async ({ page, service }) => {
  site = await serveSite({ endpoint: service.url })
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/waymark.iife.js', async (route) => {
    await held
    await route.continue()
  })
  const accepted = waitForEvent(page, 'Early', { where: ({ properties }) => properties?.['n'] === 2 })
  await page.goto(`${site.url}/before?token=secret`, { waitUntil: 'domcontentloaded' })
  const [before, after] = await page.evaluate(() => {
    const { waymark } = window as unknown as { waymark: { push(...calls: unknown[][]): void } }
    const calling = Date.now()
    waymark.push(['track', 'Early', { n: 1 }])
    const called = Date.now()
    history.pushState(null, '', '/after')
    waymark.push(['track', 'Early', { n: 2 }])
    return [calling, called] as const
  })
  await page.waitForTimeout(300)
  release()

  expect((await accepted).properties).toMatchObject({ n: 2, $url: `${site.url}/after` })
  const rows = () =>
    service.sql(
      `SELECT properties->>'$."$url"', epoch_ms(timestamp) FROM events WHERE event = 'Early' ORDER BY timestamp`,
    )
  const urls = async () => (await rows()).map(([url]) => url)
  await until(urls, [`${site.url}/before`, `${site.url}/after`])
  const [early] = await rows()
  expect(Number(early![1])).toBeGreaterThanOrEqual(before - 5)
  expect(Number(early![1])).toBeLessThanOrEqual(after + 5)
})
