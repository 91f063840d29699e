import { expectAccessible } from './fixtures/expectAccessible'
import { expect, test } from './fixtures/test'

test.use({ bypassCSP: true, timezoneId: 'UTC' })

test('every page is two clicks away on any screen, or keys, and the header leaves a phone its room', async ({
  page,
  service: { url, user, password },
}) => {
  await page.context().request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const heading = page.getByRole('heading', { level: 1 })

  for (const width of [1440, 1024, 390]) {
    const isPhone = width === 390
    await page.setViewportSize({ width, height: 844 })
    await page.goto(`${url}/app/`)
    const open = async () => {
      if (isPhone)
        await page.getByRole('button', { name: (await heading.textContent()) ?? '', exact: true }).click()
    }
    await expect(heading).toBeVisible()
    await open()
    const titles = await pages.getByRole('link').allTextContents()
    expect(titles.length).toBeGreaterThan(11)
    expect(await pages.getByRole('group').count()).toBeLessThanOrEqual(5)
    for (const title of titles) {
      const link = pages.getByRole('link', { name: title, exact: true })
      await expect(link).toBeInViewport({ ratio: 1 })
      await link.click()
      await expect(heading).toHaveText(title)
      if (isPhone) {
        await expect(pages).toBeHidden()
        const { height = 0 } = (await page.getByRole('banner').boundingBox()) ?? {}
        expect(height, title).toBeGreaterThan(0)
        expect(height, title).toBeLessThanOrEqual(96)
        expect(await page.evaluate(() => document.documentElement.scrollWidth), title).toBeLessThanOrEqual(
          390,
        )
      }
      await open()
      await expect(link).toHaveAttribute('aria-current', 'page')
      await expect(link).toBeInViewport()
    }
    if (isPhone) {
      await expectAccessible(page, 'the menu of pages')
      await page.keyboard.press('Escape')
      await page.goto(`${url}/app/paths`)
      await page.getByRole('button', { name: 'What is shown: Last 30 days' }).click()
      await expectAccessible(page, 'what is shown')
      await page.getByLabel('Time').selectOption('Last 90 days')
      await expect(page).toHaveURL(/range=90d/)
    }
    // By keys alone.
    await page.goto(`${url}/app/explore`)
    await expect(heading).toHaveText('Explore')
    await page.keyboard.press('g')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(heading).toHaveText('Funnel')
  }
})
