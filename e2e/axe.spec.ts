import AxeBuilder from '@axe-core/playwright'
import { expect, test } from './fixtures/test'

const paths = ['/', '/maps/elderwood', '/basket', '/join', '/thanks', '/live']

test.describe('axe finds nothing', () => {
  for (const [name, colorScheme, width] of [
    ['on a wide screen', 'light', 1440],
    ['in the dark', 'dark', 1440],
    ['on a phone', 'light', 390],
  ] as const)
    test(name, async ({ page, shop }) => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      const found: string[] = []
      for (const path of paths) {
        await page.goto(shop + path)
        const { violations } = await new AxeBuilder({ page }).analyze()
        for (const { id, nodes } of violations)
          for (const { target } of nodes) found.push(`${path} ${id} ${target.join(' ')}`)
      }
      expect(found).toEqual([])
    })
})
