import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { awayFromMidnight, midnightTimeoutMs } from './fixtures/awayFromMidnight'
import { expectAccessible } from './fixtures/expectAccessible'
import { createService } from './fixtures/createService'
import { personOf, sendShopVisits, type ShopVisit, shopVisits } from './fixtures/shopVisits'

test.use({ timezoneId: 'UTC', viewport: { width: 1440, height: 900 } })

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const now = shopVisits.filter(({ daysAgo }) => daysAgo <= 29)
const people = (visits: readonly ShopVisit[]) => new Set(visits.map(personOf)).size
const chip = (page: Page, text: string) => page.getByRole('button', { name: `Remove the filter ${text}` })

test('a segment is typed as people write, holds on every page, says what people did, and is kept', async ({
  browser,
}) => {
  test.setTimeout(test.info().timeout + midnightTimeoutMs)
  await awayFromMidnight()
  const data = await mkdtemp(join(tmpdir(), 'waymark-segments-'))
  const service = await createService(data, {})
  await sendShopVisits(service.url)
  const { user, password, url } = service
  const context = await browser.newContext({
    ...{ bypassCSP: true, timezoneId: 'UTC', viewport: { width: 1440, height: 900 } },
  })
  await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))

  const field = page.getByRole('combobox', { name: 'Filter by' })
  const type = async (text: string) => {
    await field.fill(text)
    await field.press('Enter')
  }
  const total = (name: string) => card(page, 'Totals').getByRole('button', { name }).locator('.figure')
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })
  const ofFirefox = now.filter((visit) => visit.browser === 'Firefox')

  await test.step('the editor is one row, and nothing moves when it opens', async () => {
    const filters = ['path|is|/pricing', 'browser|is|Firefox'].map((each) => ['filter', each])
    await page.goto(`${url}/app/?${new URLSearchParams(filters).toString()}`)
    const both = now.filter((visit) => visit.browser === 'Firefox' && visit.pages.includes('/pricing'))
    await expect(total('Sessions')).toHaveText(String(both.length))
    const middleOf = async (part: Locator) => {
      const { y: top = 0, height = 0 } = (await part.boundingBox()) ?? {}
      return Math.round((top + height / 2) / 4)
    }
    // What is filtered by stands beside the field.
    expect(await middleOf(chip(page, 'Browser is Firefox'))).toBe(await middleOf(field))
    const { y } = (await card(page, 'Totals').boundingBox()) ?? {}
    await type('Event')
    await page.getByRole('combobox', { name: 'How Event is compared' }).selectOption('the person did')
    const parts = [field, page.getByLabel('Times'), page.getByRole('combobox', { name: 'Value of Event' })]
    expect(new Set(await Promise.all(parts.map(middleOf))).size).toBe(1)
    expect((await card(page, 'Totals').boundingBox())?.y).toBe(y)
    await page.goto(`${url}/app/`)
    await expect(total('Sessions')).toHaveText(String(now.length))
  })

  await test.step('a value that nobody has is told, with those that may be meant', async () => {
    await type('browser = fierfox')
    await expect(total('Sessions')).toHaveText('0')
    await expect(page.getByText('In this time there is no Browser “fierfox”.')).toBeVisible()
    await page.getByRole('button', { name: 'Firefox', exact: true }).first().click()
    await expect(chip(page, 'Browser is Firefox')).toBeVisible()
    await chip(page, 'Browser is Firefox').click()
    await type('browser = FIREFOX')
    await expect(total('Sessions')).toHaveText(String(ofFirefox.length))
    await expect(page.getByText('In this time there is no')).toHaveCount(0)
  })

  await test.step('it holds on every page of figures, and the others say that it does not', async () => {
    for (const [name, shown] of [
      ['Retention', 'Retention'],
      ['Paths', 'From where sessions began'],
      ['Vitals', '75th percentiles'],
      ['Errors', 'Errors'],
      ['Explore', 'Events by day'],
      ['People', 'People'],
    ] as const) {
      await tab(name).click()
      await expect(card(page, shown)).toBeVisible()
      await expect(chip(page, 'Browser is FIREFOX')).toBeVisible()
    }
    await expect(card(page, 'People').locator('tbody').getByRole('row')).toHaveCount(people(ofFirefox))
    await tab('SQL').click()
    await expect(page.getByText('The filters do not hold here: Browser is FIREFOX.')).toBeVisible()
    await tab('Funnel').click()
    await page.getByRole('combobox', { name: 'Step 2' }).fill('Order Placed')
    await page.keyboard.press('Enter')
    const bars = card(page, 'Funnel').locator('.funnel-bars').getByRole('listitem')
    await expect(bars.first()).toContainText(`${people(ofFirefox)} people`)

    // A step has conditions of its own.
    await page.getByRole('button', { name: 'Add a condition to step 1' }).click()
    const ofStep = page.getByRole('combobox', { name: 'Condition of step 1' })
    await ofStep.fill('page = /PRICING')
    await ofStep.press('Enter')
    await expect(page.getByRole('button', { name: 'Remove the condition Page is /PRICING' })).toBeVisible()
    const saw = ofFirefox.filter(({ pages }) => pages.includes('/pricing'))
    await expect(bars.first()).toContainText(`${people(saw)} people`)
  })

  await test.step('a name that only a trait has is one, and filters are joined by or', async () => {
    await tab('Overview').click()
    await type('EMAIL = user-4@EXAMPLE.org')
    await expect(chip(page, 'Trait email is user-4@EXAMPLE.org')).toBeVisible()
    const isUser4 = (visit: ShopVisit) => personOf(visit) === 'user-4'
    await expect(total('Sessions')).toHaveText(String(ofFirefox.filter(isUser4).length))
    await page.getByRole('button', { name: /^and, before Trait email/ }).click()
    const either = now.filter((visit) => visit.browser === 'Firefox' || isUser4(visit))
    await expect(total('Sessions')).toHaveText(String(either.length))
    await expect(page.getByText('Asking …')).toHaveCount(0)
    await expectAccessible(page, 'the overview with two filters')
  })

  await test.step('it is kept by a name, and chosen on another page', async () => {
    await page.getByRole('button', { name: 'Keep as segment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Firefox or Ada')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('button', { name: 'Change the segment' })).toBeVisible()
    await page.getByRole('button', { name: 'Remove all' }).click()
    await tab('Paths').click()
    await page.getByRole('combobox', { name: 'Segment' }).selectOption('Firefox or Ada')
    await expect(chip(page, 'Trait email is user-4@EXAMPLE.org')).toBeVisible()
    await page.getByRole('button', { name: 'Remove all' }).click()
  })

  await test.step('what people did, and how often, is asked', async () => {
    await tab('People').click()
    await type('Event')
    await page.getByRole('combobox', { name: 'Value of Event' }).waitFor()
    await page.getByLabel('Times').fill('2')
    await page.getByRole('combobox', { name: 'Value of Event' }).fill('map viewed')
    await page.keyboard.press('Enter')
    await expect(chip(page, 'did map viewed at least 2 times')).toBeVisible()
    const views = new Map<string, number>()
    for (const visit of now.filter(({ events }) => events.includes('Map Viewed')))
      views.set(personOf(visit), (views.get(personOf(visit)) ?? 0) + 1)
    const often = [...views.values()].filter((count) => count >= 2).length
    expect(often).toBeGreaterThan(0)
    await expect(card(page, 'People').locator('tbody').getByRole('row')).toHaveCount(often)
  })

  expect(problems).toEqual([])
  await context.close()
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})
