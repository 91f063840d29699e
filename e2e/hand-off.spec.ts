import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test.describe('a page that goes', () => {
  test('hands over what its last task tracked: it arrives once', async ({ page, shop, service }) => {
    await page.goto(`${shop}/maps/beech-ride`)
    await page.getByRole('button', { name: /Put in the basket/ }).click()
    await page.getByRole('link', { name: 'Go to the basket' }).click()
    await waymarkOf(page).loaded()
    await page.getByRole('button', { name: /Order/ }).click()
    await expect(page.getByRole('heading', { name: /Thank you/ })).toBeVisible()

    await expect
      .poll(service.events)
      .toEqual(['$pageview', 'Map Viewed', 'Added to Basket', '$pageview', 'Order Placed', '$pageview'])
    await expect(page.getByRole('listitem').filter({ hasText: 'Order Placed' })).toContainText('handed off')
    // A record left behind would be claimed by this page as soon as it is five seconds old, and sent again.
    await waymarkOf(page).track('After All')
    await page.waitForTimeout(7000)
    await expect.poll(service.events).toContain('After All')
    const ids = service.arrivals.filter(({ path }) => path === '/track').map(({ insertId }) => insertId)
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
    expect(ids).toHaveLength(7)
  })

  test('hands over what was tracked under the same task as the sign-up, in order', async ({
    page,
    shop,
    service,
  }) => {
    await page.goto(`${shop}/join`)
    await waymarkOf(page).loaded()
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.org')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.waitForURL(`${shop}/`)

    await expect.poll(service.events).toEqual(['$pageview', 'Signed Up', '$pageview'])
    const sent = service.arrivals.map(({ path, event }) => event || path)
    expect(sent.toSorted()).toEqual(['$pageview', '$pageview', '/identify', 'Signed Up'])
  })

  test('comes back from the page cache and goes on tracking', async ({ page, shop, service }) => {
    await page.addInitScript(() => {
      addEventListener('pageshow', ({ persisted }) => {
        if (persisted) document.documentElement.dataset['restored'] = 'yes'
      })
    })
    await page.goto(`${shop}/maps`)
    await waymarkOf(page).loaded()
    await expect.poll(service.events).toEqual(['$pageview'])
    await page.getByRole('link', { name: /Harrow Fell/ }).click()
    await page.waitForURL(/harrow-fell/)
    // Not goBack(): a page from the page cache does not load, and Playwright would wait for that.
    await page.evaluate(() => history.back())

    await expect(page.locator('html')).toHaveAttribute('data-restored', 'yes')
    await waymarkOf(page).track('Back Again')
    await expect.poll(service.events).toContain('Back Again')
    const stored = (await service.events()).map(String)
    expect(stored.toSorted()).toEqual(['$pageview', '$pageview', 'Back Again', 'Map Viewed'])
  })
})
