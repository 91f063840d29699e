import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { awayFromMidnight, midnightTimeoutMs } from './fixtures/awayFromMidnight'
import { createService } from './fixtures/createService'
import { expectAccessible } from './fixtures/expectAccessible'
import { serveOnePage } from './fixtures/serveOnePage'
import { personOf, sendShopVisits, shopVisits } from './fixtures/shopVisits'

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

const card = (page: Page, name: string | RegExp) =>
  page.getByRole('region', { name, ...(typeof name === 'string' ? { exact: true } : {}) })
const people = (visits: typeof shopVisits) => String(new Set(visits.map(personOf)).size)
const month = shopVisits.filter(({ daysAgo }) => daysAgo <= 29)
const pricing = shopVisits.filter(({ daysAgo, pages }) => daysAgo < 7 && pages.includes('/pricing'))

/** What is asked anew is dimmed, and has less contrast for that while. */
const accessible = async (page: Page, where: string) => {
  await expect(page.locator('.is-stale')).toHaveCount(0)
  await expectAccessible(page, where)
}

test('cards of pages are put on a board, arranged by keys, shared and embedded', async ({ browser }) => {
  test.setTimeout(test.info().timeout + midnightTimeoutMs)
  await awayFromMidnight()
  const data = await mkdtemp(join(tmpdir(), 'waymark-boards-'))
  const service = await createService(data, {})
  await sendShopVisits(service.url)
  const { user, password, url } = service
  const frames = await serveOnePage('<!doctype html><title>Site</title><body></body>', '')
  const problems: string[] = []
  const open = async (mayIn: boolean) => {
    const context = await browser.newContext({ bypassCSP: true, timezoneId: 'UTC' })
    if (mayIn)
      await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
    const page = await context.newPage()
    page.on('pageerror', ({ message }) => problems.push(message))
    return page
  }
  const page = await open(true)
  const dialog = page.getByRole('dialog')
  const titles = (of: Page) => of.locator('.board .card h2')
  const add = async (name: string, board: string, isNew = false) => {
    for (const button of ['More', 'Board'])
      await card(page, name)
        .getByRole('button', { name: `${button}: ${name}` })
        .click()
    if (isNew) await dialog.getByLabel('Name of the new board').fill(board)
    else await dialog.getByRole('combobox', { name: 'Board' }).selectOption(board)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toHaveCount(0)
  }
  const figure = (of: Page, name: string) =>
    card(of, 'Totals')
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .locator('.figure')

  await test.step('each card of a page can be put on a board', async () => {
    await page.goto(`${url}/app/`)
    await add('People over time', 'Team', true)
    await page.goto(`${url}/app/explore?show=events&by=browser`)
    await add('Events by Browser', 'Team')
    await page.goto(`${url}/app/?range=7d&filter=path%7Cis%7C%2Fpricing`)
    await add('Totals', 'Team')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Boards' }).click()
    await page.getByRole('link', { name: 'Team' }).click()
    await expect(titles(page)).toHaveText(['People over time', 'Events by Browser', 'Totals'])
    // The first was added with the board's time, the last keeps its own time and filter.
    await expect(figure(page, 'People')).toHaveText(people(pricing))
    await expect(page.getByText('Last 7 days · Page is /pricing')).toBeVisible()
    await expect(card(page, 'Events by Browser').getByRole('row')).not.toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Annotate' })).toHaveCount(0)
  })

  await test.step('keys arrange it, and say what they did', async () => {
    await page.getByRole('button', { name: 'Arrange' }).click()
    const right = page.getByRole('button', { name: 'Move right: People over time' })
    await right.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status').filter({ hasText: 'place 2 of 3' })).toHaveCount(1)
    await expect(right).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(titles(page)).toHaveText(['Events by Browser', 'Totals', 'People over time'])
    await page.getByRole('button', { name: 'Wider: People over time' }).press('Enter')
    await expect(page.getByText('People over time: two thirds of the width')).toHaveCount(1)
    await accessible(page, 'arranging')
    // It asks anew, in a moment.
    await page.getByRole('button', { name: 'Own filters: Totals' }).press('Enter')
    // Both are in view: what is dragged does not scroll here.
    await page.setViewportSize({ width: 1280, height: 2000 })
    await page
      .getByRole('group', { name: 'Arrange Events by Browser' })
      .locator('.board-grip')
      .dragTo(card(page, 'People over time'))
    await expect(titles(page)).toHaveText(['Totals', 'People over time', 'Events by Browser'])
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('button', { name: 'Arrange' })).toBeVisible()
    await page.reload()
    await expect(titles(page)).toHaveText(['Totals', 'People over time', 'Events by Browser'])
    await expect(page.locator('.board-cell.is-4')).toHaveCount(1)
    await expect(page.locator('.scope-note')).toHaveText('Last 7 days')
  })

  await test.step('of two who change it at once, the later is told', async () => {
    const other = await open(true)
    await other.goto(page.url())
    for (const each of [page, other]) await each.getByRole('button', { name: 'Arrange' }).click()
    await page.getByLabel('Name of the board').fill('Our team')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('heading', { name: 'Our team' })).toBeVisible()
    await other.getByRole('button', { name: 'Remove: Totals' }).click()
    await other.getByRole('button', { name: 'Save' }).click()
    await expect(other.getByRole('alert')).toContainText('Somebody else has changed')
    await other.getByRole('button', { name: 'Cancel' }).click()
    await other.reload()
    await expect(titles(other)).toHaveCount(3)
    await other.context().close()
  })

  const guest = await open(false)
  await test.step('a guest of its link sees its cards alone, and a change at once', async () => {
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await dialog.getByLabel('Name').fill('For all')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const address = await dialog.getByLabel('Copy it now').inputValue()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await guest.goto(address)
    await expect(guest.getByRole('heading', { level: 1, name: 'Our team' })).toBeVisible()
    await expect(titles(guest)).toHaveText(['Totals', 'People over time', 'Events by Browser'])
    await expect(card(guest, 'Events by Browser').getByRole('row')).not.toHaveCount(0)
    await expect(card(guest, 'People over time').getByRole('figure')).toBeVisible()
    for (const name of [
      '⋯',
      'SQL',
      'CSV',
      'Board',
      'Embed',
      'Open',
      'Arrange',
      'Share',
      'Overview',
      'Annotate',
    ])
      await expect(guest.locator('a, button').getByText(name, { exact: true })).toHaveCount(0)
    await expect(guest.getByRole('alert')).toHaveCount(0)
    await guest.getByRole('combobox', { name: 'Time' }).selectOption('Last 90 days')
    await expect(card(guest, 'People over time').getByRole('figure')).toBeVisible()
    await expect(guest.getByRole('alert')).toHaveCount(0)
    await guest.waitForLoadState('networkidle')
    await accessible(guest, 'the board of a guest')

    await page.getByRole('button', { name: 'Arrange' }).click()
    await page.getByRole('button', { name: 'Remove: Events by Browser' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('button', { name: 'Arrange' })).toBeVisible()
    await guest.getByRole('button', { name: 'Reload' }).click()
    await expect(titles(guest)).toHaveText(['Totals', 'People over time'])
  })

  await test.step('one card stands in a frame of another site', async () => {
    await page.goto(`${url}/app/?range=30d`)
    await card(page, 'Totals').getByRole('button', { name: 'More: Totals' }).click()
    await card(page, 'Totals').getByRole('button', { name: 'Embed: Totals' }).click()
    await dialog.getByLabel('Sites').fill(frames.url)
    await dialog.getByRole('button', { name: 'Save' }).click()
    const line = await dialog.getByLabel('Copy it now').inputValue()
    expect(line).toMatch(/^<iframe src="http[^"]+" title="Totals"/)
    await expect(dialog.getByRole('button', { name: 'Copy' })).toBeVisible()
    await accessible(page, 'the line for a page')
    await dialog.getByRole('button', { name: 'Done' }).click()
    const site = await open(false)
    await site.goto(frames.url)
    await site.evaluate((html) => (document.body.innerHTML = html), line)
    const frame = site.frameLocator('iframe')
    await expect(frame.locator('.figure').first()).toHaveText(people(month))
    await expect(frame.locator('.card')).toHaveCount(1)
    await expect(frame.getByText('Last 30 days')).toBeVisible()
    await expect(frame.locator('header.header, nav, .filters')).toHaveCount(0)
    await site.context().close()
  })

  await test.step('what cannot be shown says so in its place, and all fits a phone', async () => {
    await page.goto(`${url}/app/boards`)
    await page.getByRole('link', { name: 'Our team' }).click()
    const id = new URL(page.url()).searchParams.get('id') ?? ''
    const [row] = await service.sql(`SELECT value::VARCHAR FROM analytics.saved WHERE kind = 'board'`)
    const board = JSON.parse(String(row?.[0])) as { version: number; cards: object[] }
    const [first] = board.cards
    board.version++
    board.cards.push(
      { ...first, id: 'gone', path: '/app/gone', title: 'A page that was' },
      { ...first, id: 'no-card', card: 'nothing', title: 'A card that was' },
    )
    const saved = await page.request.post(`${url}/saved`, {
      data: { kind: 'board', name: id, value: board },
      headers: { origin: url },
    })
    expect(saved.status()).toBe(200)
    await page.reload()
    await expect(page.getByText('“A page that was” is of a page that is not there any more.')).toBeVisible()
    await expect(page.getByText('“A card that was” has nothing to show.')).toBeVisible()
    await expect(figure(page, 'People').first()).not.toBeEmpty()
    await page.waitForLoadState('networkidle')
    await accessible(page, 'a board')
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })

  await test.step('a point of a chart and a cell of retention list as many people as they say', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    const list = card(page, /^People who/)
    const counted = (count: string) => list.getByText(new RegExp(`^${count} (person|people)`))
    await page.goto(`${url}/app/`)
    const over = card(page, 'People over time')
    await over.locator('.u-over').click()
    await expect(list).toBeVisible()
    await page.goBack()
    await over.getByRole('button', { name: /^Table/ }).click()
    const row = over.getByRole('row').nth(3)
    const told = await row.getByRole('cell').first().textContent()
    await row.getByRole('link').press('Enter')
    await expect(counted(told ?? '')).toBeVisible()
    await expect(list.locator('tbody tr')).toHaveCount(Number(told))
    await accessible(page, 'the people of a day')

    // A line told apart by a value has those with that value, by the keyboard and where the pointer is nearest.
    await page.goto(`${url}/app/explore?show=people&by=browser&over=day`)
    const lines = card(page, 'People by Browser, by day')
    await lines.locator('.u-over').click()
    await expect(page.getByRole('button', { name: /^Remove the filter Browser is / })).toBeVisible()
    await expect(list).toBeVisible()
    await page.goBack()
    await lines.getByRole('button', { name: /^Table/ }).click()
    const cell = lines
      .getByRole('link', { name: /, Firefox, .*: people$/ })
      .filter({ hasText: /^[1-9]/ })
      .first()
    const some = await cell.textContent()
    await cell.press('Enter')
    await expect(page.getByRole('button', { name: 'Remove the filter Browser is Firefox' })).toBeVisible()
    await expect(counted(some ?? '')).toBeVisible()

    await page.goto(`${url}/app/retention?everybody=1`)
    const link = card(page, 'Retention').getByRole('link', { name: /people: show them$/ })
    const size = await link.first().textContent()
    await link.first().click()
    await expect(counted(size ?? '')).toBeVisible()

    await page.goto(`${url}/app/`)
    // The marks come after the figures, and the chart is then drawn anew.
    await page.waitForLoadState('networkidle')
    const plane = over.locator('.u-over')
    await plane.dragTo(plane, {
      sourcePosition: { x: 100, y: 50 },
      targetPosition: { x: 300, y: 50 },
    })
    await expect(page).toHaveURL(/range=custom&from=\d{4}-\d\d-\d\d&until=/)
  })

  expect(problems).toEqual([])
  await frames.close()
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})
