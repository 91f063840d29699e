import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

let site: Site
test.afterEach(() => site.close())

/** The site under a name of its own: every name below `localhost` is this machine. */
const under = (host: string) => site.url.replace('127.0.0.1', host)

test('the ids cookie reaches every subdomain of the site, stays small, and lives a year from the last visit', async ({
  page,
  context,
  service,
}) => {
  site = await serveSite({ endpoint: service.url, attributes: 'data-plugins="cookie"' })
  const visit = async (host: string) => {
    await page.goto(under(host))
    await waymarkOf(page).loaded()
    return waymarkOf(page).ids()
  }
  const first = await visit('www.shop.localhost')
  const [cookie, ...others] = await context.cookies()
  expect(others).toEqual([])
  expect(cookie).toMatchObject({ domain: '.shop.localhost', path: '/', sameSite: 'Lax', httpOnly: false })
  expect(cookie!.name.length + cookie!.value.length).toBeLessThan(200)
  expect(cookie!.expires - Date.now() / 1000).toBeGreaterThan(364 * 86_400)

  await page.waitForTimeout(1100)
  const second = await visit('help.shop.localhost')
  expect([second.deviceId, second.anonymousId]).toEqual([first.deviceId, first.anonymousId])
  await visit('www.shop.localhost')
  const [again, ...more] = await context.cookies()
  expect(more).toEqual([])
  expect(again!.value).toBe(cookie!.value)
  expect(again!.expires).toBeGreaterThan(cookie!.expires + 1)

  const elsewhere = await visit('other.localhost')
  expect(elsewhere.deviceId).not.toBe(first.deviceId)
})

test('the ids cookie of an address belongs to it alone, and goes when the visitor refuses', async ({
  page,
  context,
  service,
}) => {
  site = await serveSite({ endpoint: service.url, attributes: 'data-plugins="cookie"' })
  await page.goto(site.url)
  await waymarkOf(page).loaded()
  await expect.poll(async () => (await context.cookies()).map(({ domain }) => domain)).toEqual(['127.0.0.1'])
  await page.evaluate(() => (window as unknown as { waymark: { optOut(): void } }).waymark.optOut())
  await expect.poll(() => context.cookies()).toEqual([])
})
