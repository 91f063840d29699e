import { AxeBuilder } from '@axe-core/playwright'
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

  for (const [look, settings] of Object.entries({
    light: { viewport: { width: 1440, height: 900 } },
    dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' as const },
    phone: { viewport: { width: 360, height: 740 } },
  })) {
    test.describe(look, () => {
      test.use({ ...settings, bypassCSP: true })
      test(`has nothing that axe objects to (${look})`, async ({ page, shop }) => {
        await page.goto(`${shop}/maps/elderwood`)
        await page.getByRole('button', { name: /Put in the basket/ }).click()
        for (const path of [...paths, '/nowhere']) {
          await page.goto(shop + path)
          if (path === '/live') {
            await page.getByText(/^Columns of/).click()
            await expect(page.getByText('when it happened').first()).toBeVisible()
            await page.getByRole('button', { name: 'Run' }).click()
            await expect(page.getByRole('region', { name: 'Answer' })).toBeVisible()
          }
          const { violations } = await new AxeBuilder({ page }).analyze()
          const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ target }) => target.join())])
          expect(found, path).toEqual([])
        }
      })
    })
  }

  test('shows the switch, the chart and the buttons in forced colours', async ({ page, shop }) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto(shop)
    const style = (selector: string, name: string, pseudo?: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, [key, part]) => getComputedStyle(element, part).getPropertyValue(key), [
          name,
          pseudo,
        ] as const)
    await expect(page.locator('.chart .now')).toBeAttached()
    const thumb = await style('.switch .track', 'background-color', '::after')
    expect(thumb).not.toBe(await style('.switch .track', 'background-color'))
    expect(await style('.button', 'border-top-style')).toBe('solid')
    expect(await style('.chart text', 'fill')).toBe(await style('body', 'color'))
  })
})
