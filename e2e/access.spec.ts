import { expect, test } from './fixtures/test'

const paths = ['/', '/maps', '/maps/ness-and-skerries', '/basket', '/join', '/thanks', '/live']

test.describe('the shop', () => {
  test('can be used with the keyboard alone', async ({ page, shop, service }) => {
    await page.goto(`${shop}/maps/elderwood`)
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    const add = page.getByRole('button', { name: /Put in the basket/ })
    await expect(add).toBeFocused()
    expect(await add.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${shop}/basket`)

    await page.getByRole('button', { name: /Order/ }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: /Thank you/ })).toBeVisible()
    await expect.poll(service.events).toContain('Order Placed')
  })

  test('fits a screen of 360 pixels and names all that can be used', async ({ page, shop }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    for (const path of paths) {
      await page.goto(shop + path)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, path).toBeLessThanOrEqual(360)
      for (const control of await page.locator('a, button, input, textarea').filter({ visible: true }).all())
        await expect(control, path).toHaveAccessibleName(/./)
    }
  })
})
