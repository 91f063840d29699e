import { sendShop } from './fixtures/shop.mjs'
import { expect, test } from './fixtures/test'

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 700 } })

const steps = 'step=Product+Viewed&step=Order+Placed'
/** Pages with figures, and what asks another question on each. */
const pages: Record<string, string> = {
  '': 'Time',
  'explore?by=browser': 'Time',
  'explore?event=Order+Placed&over=day': 'Time',
  [`funnel?${steps}&by=%24device&people=reached-1`]: 'Time',
  'retention?first=Signed+Up': 'Time',
  paths: 'Time',
  vitals: 'Time',
  errors: 'Time',
  plan: 'Time',
  persons: 'Time',
  'persons?id=user-1': 'Reload',
  'explore?by=country': 'Browser',
  'vitals?vital=LCP': 'INP',
}

test('while another question is asked, what was there stays at its height, and Back leads to where it was left', async ({
  page,
  service: { url, user, password },
}) => {
  await sendShop(url, 'test-key')
  await page.context().request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
  const places = () =>
    page.locator('main .card, main .table-frame, main .chart-frame').evaluateAll((all) =>
      all.map((each) => {
        const { top, height } = each.getBoundingClientRect()
        return [each.className, top, height]
      }),
    )
  const isAnswered = async () => {
    await expect(page.locator('.card-body').first()).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expect(page.locator('[aria-busy=true], .loading')).toHaveCount(0)
  }

  for (const [path, other] of Object.entries(pages)) {
    await page.goto(`${url}/app/${path}`)
    await isAnswered()
    const before = await places()
    expect(before.length, path).toBeGreaterThan(0)
    // The answers wait until all has been looked at.
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/answer', async (route) => {
      await held
      await route.continue()
    })
    if (other === 'Time')
      await page.getByRole('combobox', { name: 'Time', exact: true }).selectOption('Last 90 days')
    else if (other === 'Browser')
      await page.getByRole('combobox', { name: 'by', exact: true }).selectOption('Browser')
    else await page.getByRole('button', { name: other }).click()
    await expect(page.getByText('Asking …').first()).toBeVisible()
    expect(await places(), path).toEqual(before)
    await expect(page.locator('.is-stale').first()).toBeVisible()
    answer()
    await isAnswered()
    await page.unroute('**/answer')
  }

  await page.goto(`${url}/app/`)
  await isAnswered()
  const top = () => page.evaluate(() => scrollY)
  const left = await page.evaluate(() => {
    scrollTo(0, 700)
    return scrollY
  })
  expect(left).toBeGreaterThan(300)
  await page.keyboard.press('g')
  await page.getByRole('link', { name: 'Errors' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Errors')
  expect(await top()).toBe(0)
  await page.goBack()
  await expect.poll(top).toBe(left)
  await isAnswered()
  expect(await top()).toBe(left)
})
