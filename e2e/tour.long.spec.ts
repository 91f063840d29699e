import type { Page } from '@playwright/test'
import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'
import { waymarkOf } from './fixtures/waymarkOf'

test.use({ viewport: { width: 1440, height: 900 } })

/** The steps that are ticked, by their first words. */
const ticked = (page: Page) => page.locator('.steps > li:has(> .mark)').allInnerTexts()

const buy = async (page: Page, shop: string) => {
  await page.goto(`${shop}/maps/elderwood`)
  await page.getByRole('button', { name: /Put in the basket/ }).click()
  await page.goto(`${shop}/basket`)
  await page.getByRole('button', { name: /Order/ }).click()
  await page.waitForURL(`${shop}/thanks`)
}

test.describe('the three steps', () => {
  for (const [size, viewport] of [
    ['a desktop', { width: 1440, height: 900 }],
    ['a phone', { width: 360, height: 640 }],
  ] as const)
    test(`stand above the fold with what waymark is, on ${size}`, async ({ page, shop }) => {
      await page.setViewportSize(viewport)
      await page.goto(shop)
      await expect(page.getByText(/waymark is product analytics for the browser that/)).toBeInViewport({
        ratio: 1,
      })
      const steps = page.getByRole('list', { name: 'Try it' }).getByRole('listitem')
      await expect(steps).toHaveCount(3)
      for (const step of await steps.all()) await expect(step).toBeInViewport({ ratio: 1 })
    })

  test('are ticked as they are done, each part of the second one too', async ({ page, shop }) => {
    await page.goto(shop)
    expect(await ticked(page)).toEqual([])
    await page.getByRole('button', { name: 'Run' }).click()
    await until(() => ticked(page), [expect.stringContaining('Ask in SQL')])
    await buy(page, shop)
    await until(
      () => ticked(page),
      [expect.stringContaining('Buy something'), expect.stringContaining('Ask in SQL')],
    )

    const parts = page.locator('[data-part].done')
    const service = page.getByRole('switch')
    await page.getByRole('link', { name: 'Switch the service off' }).click()
    await expect(service).toBeFocused()
    await service.press('Space')
    await expect(parts).toHaveText([/off/])
    await buy(page, shop)
    await expect(parts).toHaveText([/off/, 'buy'])
    await page.reload()
    await expect(parts).toHaveText([/off/, 'buy', 'reload the page'])
    await page.getByRole('switch').click()
    await until(async () => (await ticked(page)).length, 3)
    await expect(page.getByText('3 of 3 steps done.')).toBeAttached()
  })

  test('begin anew when the service is switched on before anything was bought', async ({ page, shop }) => {
    await page.goto(shop)
    const service = page.getByRole('switch')
    await service.click()
    await expect(page.locator('[data-part].done')).toHaveCount(1)
    await service.click()
    await expect(page.locator('[data-part].done')).toHaveCount(0)
  })
})

test.describe('the page after an order', () => {
  test('claims nothing when it is opened directly', async ({ page, shop }) => {
    await page.goto(`${shop}/thanks`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing ordered yet.')
    await expect(page.getByText(/Thank you/)).toBeHidden()
  })

  test('tells where the order is: in the browser while the service is off, in DuckDB after', async ({
    page,
    shop,
    service,
  }) => {
    await page.goto(`${shop}/maps`)
    await waymarkOf(page).loaded()
    await service.stop()
    // Once it has noticed, a page that goes hands nothing off.
    await waymarkOf(page).track('Noticed')
    await until(async () => (await waymarkOf(page).stats()).state, 'waiting')
    await buy(page, shop)
    await expect(page.getByText(/waits in the browser until the service takes it/)).toBeVisible()
    await service.start()
    await page.getByRole('button', { name: 'Send now' }).click()
    await until(
      () => page.locator('[data-order-state]').textContent(),
      'was accepted by the service, which writes it to DuckDB',
    )
    // Accepted for good; the engine stores it within two seconds.
    await until(async () => (await service.events()).includes('Order Placed'), true)
  })
})
