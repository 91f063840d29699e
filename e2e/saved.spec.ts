import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { awayFromMidnight, midnightTimeoutMs } from './fixtures/awayFromMidnight'
import { expectAccessible } from './fixtures/expectAccessible'
import { createService } from './fixtures/createService'
import { personOf, sendShopVisits, shopVisits } from './fixtures/shopVisits'

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

const now = shopVisits.filter(({ daysAgo }) => daysAgo <= 29)
const ordered = now.filter(({ events }) => events.includes('Order Placed'))
const people = (visits: typeof now) => new Set(visits.map(personOf)).size
const shareOf = (visits: typeof now) =>
  percent.format(visits.filter((visit) => ordered.includes(visit)).length / visits.length)

test('goals, views and annotations are saved, shown, changed and removed', async ({ browser }) => {
  test.setTimeout(test.info().timeout + midnightTimeoutMs)
  await awayFromMidnight()
  const data = await mkdtemp(join(tmpdir(), 'waymark-saved-'))
  const service = await createService(data, {})
  await sendShopVisits(service.url)
  const { user, password, url } = service
  const context = await browser.newContext({ bypassCSP: true, timezoneId: 'UTC' })
  await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  const dialog = page.getByRole('dialog')
  const saveIt = async () => {
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toHaveCount(0)
  }
  const openViews = () => page.getByRole('button', { name: 'Views', exact: true }).click()

  await test.step('a goal is counted in all, and on every card', async () => {
    await page.goto(`${url}/app/`)
    await card(page, 'Goal').getByRole('button', { name: 'New goal' }).click()
    await dialog.getByLabel('Name').fill('An order')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog.getByRole('alert')).toHaveText(
      'Name an event or a page, or a property and its value.',
    )
    await dialog.getByLabel('Event, or page').fill('Order Placed')
    await saveIt()
    await expect(page).toHaveURL(/goal=An\+order/)
    const total = card(page, 'Goal').getByRole('listitem')
    await expect(total.first()).toContainText(`${people(ordered)} of ${people(now)}`)
    await expect(total.last()).toContainText(`Of sessions${shareOf(now)}`)
    const cell = async (cardName: string, value: string) => {
      const heads = await card(page, cardName).getByRole('columnheader').allInnerTexts()
      // The first column has the headers of the rows.
      const at = heads.findIndex((head) => head.startsWith('Goal')) - 1
      return card(page, cardName)
        .getByRole('row')
        .filter({ has: page.getByRole('rowheader', { name: value, exact: true }) })
        .getByRole('cell')
        .nth(at)
    }
    for (const name of ['Pages', 'Events', 'Sources', 'Devices', 'Places'])
      await expect(card(page, name).getByRole('columnheader', { name: 'Goal' })).toBeVisible()
    await expect(await cell('Pages', '/pricing')).toHaveText(
      shareOf(now.filter(({ pages }) => pages.includes('/pricing'))),
    )
    await expect(await cell('Events', 'Order Placed')).toHaveText('100%')
  })

  await test.step('a goal is certified as a metric, which SQL lists, and is one no more', async () => {
    await page.goto(`${url}/app/?goal=An+order`)
    await expect(card(page, 'Goal').getByRole('listitem').first()).toContainText(' of ')
    await openViews()
    await page.getByRole('button', { name: 'Certify as a metric' }).click()
    await expect(dialog.getByLabel('Name')).toHaveValue('An order')
    await dialog.getByLabel('Definition').fill('People with an order.')
    await dialog.getByLabel('Owner').fill('Sales')
    await expectAccessible(page, 'the form of a metric')
    await saveIt()
    const metrics = `SELECT name, definition, owner, answer->>'name', answer->>'goal', answer->>'from' FROM analytics.metrics`
    expect(await service.sql(metrics)).toEqual([
      ['An order', 'People with an order.', 'Sales', 'goal_totals', 'An order', null],
    ])
    await page.reload()
    await openViews()
    await page.getByRole('list', { name: 'Metrics' }).getByRole('button', { name: 'An order' }).click()
    await expect(dialog.getByLabel('Owner')).toHaveValue('Sales')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(dialog).toHaveCount(0)
    expect(await service.sql(metrics)).toEqual([])
  })

  await test.step('a view restores time, filter and goal from another page', async () => {
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 90 days')
    await card(page, 'Pages').getByRole('button', { name: '/pricing' }).click()
    await openViews()
    await page.getByRole('button', { name: 'Save this view' }).click()
    await dialog.getByLabel('Name').fill('Orders from pricing')
    await saveIt()
    await page.goto(`${url}/app/paths`)
    await openViews()
    await page.getByRole('link', { name: 'Orders from pricing' }).click()
    await expect(page.getByRole('button', { name: 'Remove the filter Page is /pricing' })).toBeVisible()
    await expect(page.getByRole('combobox', { name: 'Time' })).toHaveValue('90d')
    await expect(card(page, 'Goal').getByRole('combobox')).toHaveValue('An order')
    await expect(page.getByRole('link', { name: 'Orders from pricing' })).toHaveCount(0)
    await openViews()
    await page.getByRole('button', { name: 'Change the view Orders from pricing' }).click()
    await dialog.getByLabel('Name').fill('Pricing')
    await saveIt()
    await openViews()
    await expect(page.getByRole('link', { name: 'Pricing', exact: true })).toHaveAttribute(
      'aria-current',
      'page',
    )
    await page.keyboard.press('Escape')
  })

  await test.step('an annotation stands in the charts of its time', async () => {
    const over = card(page, 'People over time')
    await over.getByRole('button', { name: 'Annotate' }).click()
    await dialog.getByLabel('Text').fill('Prices were raised')
    await saveIt()
    const marked = over.getByRole('row').filter({ hasText: 'Prices were raised' })
    await expect(marked).toHaveCount(1)
    await page.goto(`${url}/app/explore?show=events&over=day`)
    await expect(page.getByRole('figure').getByRole('cell', { name: 'Prices were raised' })).toHaveCount(1)
    await page.goto(`${url}/app/explore?range=yesterday&over=hour`)
    await expect(page.getByRole('figure')).toBeVisible()
    await expect(page.getByRole('figure').getByText('Prices were raised')).toHaveCount(0)
  })

  await test.step('axe objects to nothing, and all fits a phone', async () => {
    await page.goto(`${url}/app/?goal=An+order`)
    await expect(card(page, 'Goal').getByRole('listitem')).toHaveCount(2)
    await page.waitForLoadState('networkidle')
    await expectAccessible(page, 'overview')
    await openViews()
    await expectAccessible(page, 'views')
    await page.keyboard.press('Escape')
    await card(page, 'Goal').getByRole('button', { name: 'Change' }).click()
    await expectAccessible(page, 'form')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })

  await test.step('what is removed is gone', async () => {
    await card(page, 'Goal').getByRole('button', { name: 'Change' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(page.getByRole('columnheader', { name: 'Goal' })).toHaveCount(0)
    expect(await service.sql('SELECT kind FROM analytics.saved ORDER BY kind')).toEqual([
      ['annotation'],
      ['view'],
    ])
  })

  expect(problems).toEqual([])
  await context.close()
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})
