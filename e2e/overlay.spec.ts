import type { Waymark } from '../src/entries/index'
import { expectAccessible } from './fixtures/expectAccessible'
import { serveOverlay } from './fixtures/serveOverlay'
import { expect, test } from './fixtures/test'

declare global {
  interface Window {
    site: Waymark
  }
}

test('the overlay shows each event of the page, its way, and what is not as planned', async ({
  page,
  service,
  complaints,
}) => {
  const site = await serveOverlay(service.url)
  try {
    await page.goto(site.url)
    const before = await page.evaluate(() => [
      document.body.offsetHeight,
      document.documentElement.scrollHeight,
    ])
    const buy = page.getByRole('button', { name: 'Buy' })
    await buy.focus()
    await page.evaluate(() => window.site.track('Order Completed', { total: 99.5, currency: 'EUR' }))

    const panel = page.getByRole('region', { name: 'Events of this page' })
    await expect(panel).toHaveCount(0)
    await page.keyboard.press('Alt+Shift+E')
    await expect(panel).toBeFocused()
    expect(
      await page.evaluate(() => [document.body.offsetHeight, document.documentElement.scrollHeight]),
    ).toEqual(before)
    const row = (at: number) => panel.getByRole('listitem').nth(at)
    await expect(row(0)).toContainText('Order Completedstored')

    await page.evaluate(() => {
      window.site.track('Order Completed', { total: '99.5', currency: 'EUR', coupon: 'SPRING' })
      window.site.track(
        '<img src=x onerror=alert(1)> A name that is as long as hostile names are, '.repeat(4),
      )
      window.site.identify('ann', { plan: 'pro' })
    })
    await expect(row(2)).toContainText('total: must be a number')
    await expect(row(2)).toContainText('coupon: is not in the plan (plan.ts:12)')
    await expect(row(1)).toContainText('The event is not in the plan.')
    await expect(row(0)).toContainText('identify ann')
    await expect(panel.getByRole('status')).toHaveText('2 wrong')

    // By the keyboard alone: Clear, Close, the newest, and its properties; then on into the rest of the page.
    await page.keyboard.press('Tab')
    await expect(panel.getByRole('button', { name: 'Clear' })).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(row(0)).toContainText('"plan": "pro"')
    await expect(row(0)).toContainText('stored')
    for (const target of await panel.locator('button, summary').all())
      expect((await target.boundingBox())!.height).toBeGreaterThanOrEqual(24)
    await expectAccessible(page, 'the overlay')

    // The folder of the run keeps what a person should look at.
    const shoot = async (name: string, colorScheme: 'light' | 'dark', width: number) => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 640 })
      await page.screenshot({ path: test.info().outputPath(`overlay-${name}.png`) })
      const box = (await panel.boundingBox())!
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(width)
    }
    await shoot('light', 'light', 1000)
    await shoot('dark', 'dark', 1000)
    await shoot('phone', 'light', 360)
    await page.emulateMedia({ forcedColors: 'active' })
    await shoot('forced', 'light', 1000)
    await page.emulateMedia({ forcedColors: null })

    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
    await expect(buy).toBeFocused()

    // A service that is away: a call waits again when its request has failed.
    await service.stop()
    await page.evaluate(() => window.site.track('Order Completed', { total: 1, currency: 'EUR' }))
    await page.keyboard.press('Alt+Shift+E')
    await expect(panel.getByText('error unreachable')).toBeVisible()
    await expect(panel.getByRole('listitem').filter({ hasText: 'waiting' })).toHaveCount(1)
    await service.start()
    await page.evaluate(() => window.site.flush())
    await expect(panel.getByRole('listitem').filter({ hasText: 'waiting' })).toHaveCount(0)
    expect(complaints.filter((text) => !/ERR_CONNECTION_REFUSED|unreachable/.test(text))).toEqual([])
  } finally {
    await site.close()
  }
})
