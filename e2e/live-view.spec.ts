import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test.use({ viewport: { width: 1440, height: 900 } })

test.describe('the live view', () => {
  test('shows a click among DuckDB’s latest rows, in the chart and in the count', async ({ page, shop }) => {
    await page.goto(`${shop}/maps/the-long-moor`)
    await page.getByRole('button', { name: /Put in the basket/ }).click()

    const latest = page.getByRole('region', { name: 'Latest rows' })
    await expect(latest.getByRole('cell', { name: 'Added to Basket' })).toBeVisible()
    await expect(page.getByRole('img', { name: /^3 events in the last 30 minutes/ })).toBeVisible()
    await expect(page.locator('#n-stored')).toHaveText('3')
    await expect(
      page.getByRole('region', { name: 'Persons' }).getByRole('cell', { name: '3', exact: true }),
    ).toBeVisible()
  })

  test('answers SQL, and shows what is wrong with a statement', async ({ page, shop, service }) => {
    await page.goto(shop)
    await expect.poll(service.events).toEqual(['$pageview'])
    const box = page.getByLabel(/SQL over/)
    await box.fill('SELECT event, 6 * 7 AS answer FROM events')
    await box.press('Control+Enter')
    const answer = page.getByRole('region', { name: 'Answer' })
    await expect(answer.getByRole('cell')).toHaveText(['$pageview', '42'])

    await box.fill('SELECT nonsense FROM events')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByRole('alert')).toContainText('nonsense')
    await expect(answer).toBeHidden()
  })

  test('shows the queue grow while the service is switched off, and drain when it is back', async ({
    page,
    shop,
  }) => {
    await page.goto(`${shop}/maps/harrow-fell`)
    const queued = page.locator('#n-queued')
    const stored = page.locator('#n-stored')
    const service = page.getByRole('switch')
    await expect(stored).toHaveText('2')
    await service.click()
    await expect(service).toHaveAttribute('aria-checked', 'false')
    await page.getByRole('button', { name: /Put in the basket/ }).click()
    await expect(queued).toHaveText('1')
    // Before it has noticed, a page that goes still hands over, as to a service that is there.
    await expect(page.getByText(/no answer, waiting to try again/)).toBeVisible()
    await expect(page.getByText(/What is shown is the last answer/)).toBeVisible()

    await page.reload()
    await expect(queued).toHaveText('3')
    await service.click()
    await expect(service).toHaveAttribute('aria-checked', 'true')
    await expect(stored).toHaveText('5', { timeout: 30_000 })
    await expect(queued).toHaveText('0')
    expect((await waymarkOf(page).stats()).dropped).toEqual({})
  })

  test('ticks each of its three steps when it was done, and asks nothing of a service that is off', async ({
    page,
    shop,
    service,
  }) => {
    const asked: string[] = []
    page.on('request', (request) => void (request.url().startsWith(service.url) && asked.push(request.url())))
    const done = page.locator('.steps .is-done')
    const order = async () => {
      await page.goto(`${shop}/maps/elderwood`)
      await page.getByRole('button', { name: /Put in the basket/ }).click()
      await page.goto(`${shop}/basket`)
      await page.getByRole('button', { name: /Order/ }).click()
      await expect(page).toHaveURL(/thanks/)
    }
    await order()
    await expect(done).toHaveText([/Buy a map/])

    const serviceSwitch = page.getByRole('switch')
    await expect(page.locator('#n-stored')).toHaveText(/^[5-9]$/)
    await serviceSwitch.click()
    await expect(page.getByText('The service is off. What is shown is the last answer.')).toBeVisible()
    await order()
    await page.reload()
    await expect(page.getByText(/^The service is off/)).toBeVisible()
    asked.length = 0
    // The view looks once a second whether the service is back.
    for (let look = 0; look < 3; look++) await page.waitForResponse('**/demo/service')
    expect(asked.filter((url) => url.includes('/query'))).toEqual([])

    await serviceSwitch.click()
    await expect(done).toHaveText([/Buy a map/, /Switch the service off/], { timeout: 60_000 })
    // Events are accepted before the part of the service that answers has started.
    await expect(page.locator('body')).not.toHaveClass(/is-stale/, { timeout: 60_000 })
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(done).toHaveCount(3)
    await page.getByText('Their columns').click()
    await expect(
      page.getByRole('region', { name: 'Columns' }).getByRole('cell', { name: 'person_id' }),
    ).toHaveCount(2)
  })
})
