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

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const within = (days: number) => shopVisits.filter(({ daysAgo }) => daysAgo < days)
const peopleWithin = (days: number) => String(new Set(within(days).map(personOf)).size)
const gone = 'There is nothing at this link'

test('a link shows figures to guests, in frames too, until it is taken back', async ({ browser }) => {
  test.setTimeout(test.info().timeout + midnightTimeoutMs)
  await awayFromMidnight()
  const data = await mkdtemp(join(tmpdir(), 'waymark-guests-'))
  const service = await createService(data, {})
  await sendShopVisits(service.url)
  const { user, password, url } = service
  const context = await browser.newContext({ timezoneId: 'UTC' })
  await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
  const page = await context.newPage()
  const problems: string[] = []
  const hear = (heard: Page) => {
    heard.on('pageerror', ({ message }) => problems.push(message))
    heard.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  }
  hear(page)
  const frames = await serveOnePage(
    '<!doctype html><title>Site</title><iframe width="900" height="600"></iframe>',
    '',
  )
  const dialog = page.getByRole('dialog')

  /** Shares the page that is open, and gives the address. */
  const share = async (name: string, what: RegExp) => {
    await page.getByRole('button', { name: 'Views', exact: true }).click()
    await page.getByRole('button', { name: 'Share by a link' }).click()
    await dialog.getByLabel('Name').fill(name)
    const option = await dialog.getByRole('option', { name: what }).getAttribute('value')
    await dialog.getByLabel('What it shows').selectOption(option)
    await dialog.getByLabel('Sites').fill(frames.url)
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await expectAccessible(page, 'the form')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const address = await dialog.getByLabel('Copy it now').inputValue()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Views', exact: true }).click()
    await expect(page.getByRole('list', { name: 'Links for guests' }).getByText(name)).toBeVisible()
    await page.keyboard.press('Escape')
    return address
  }
  const guests = await browser.newContext({ bypassCSP: true, timezoneId: 'UTC' })
  const guest = await guests.newPage()
  hear(guest)
  let view = ''
  let all = ''

  await test.step('links are made on the screen', async () => {
    await page.goto(`${url}/app/?filter=path%7Cis%7C%2Fpricing&range=7d`)
    await expect(card(page, 'Totals')).toBeVisible()
    view = await share('Pricing', /Overview as it is now/)
    await page.goto(`${url}/app/persons`)
    all = await share('Everything', /All pages/)
  })

  await test.step('one page shows the same figures, and another time alone can be chosen', async () => {
    const totals = await card(page, 'Totals').count()
    expect(totals).toBe(0)
    await page.goto(`${url}/app/?filter=path%7Cis%7C%2Fpricing&range=7d`)
    const people = card(page, 'Totals')
      .getByRole('button', { name: /^People/ })
      .locator('.figure')
    const figure = await people.textContent()
    await guest.goto(view)
    await expect(guest.getByRole('heading', { level: 1, name: 'Pricing' })).toBeVisible()
    const seen = card(guest, 'Totals')
      .getByRole('button', { name: /^People/ })
      .locator('.figure')
    await expect(seen).toHaveText(figure ?? '')
    await expect(guest.getByText('Page is /pricing')).toBeVisible()
    for (const name of ['⋯', 'SQL', 'CSV', '/pricing', 'Explore', 'Views', 'Log out', 'Annotate', 'New goal'])
      await expect(guest.locator('a, button').getByText(name, { exact: true })).toHaveCount(0)
    await guest.getByRole('combobox', { name: 'Time' }).selectOption('Last 30 days')
    await expect(card(guest, 'Pages').getByRole('rowheader', { name: '/pricing' })).toBeVisible()
    await guest.reload()
    await expect(guest.getByRole('combobox', { name: 'Time' })).toHaveValue('30d')
    await expect(card(guest, 'Pages').getByRole('rowheader', { name: '/pricing' })).toBeVisible()
  })

  await test.step('axe objects to nothing, and all fits a phone', async () => {
    await guest.waitForLoadState('networkidle')
    await expectAccessible(guest, 'one page')
    await guest.setViewportSize({ width: 360, height: 740 })
    expect(await guest.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await guest.setViewportSize({ width: 1280, height: 900 })
  })

  await test.step('all pages are those of figures, with filters', async () => {
    await guest.goto(all)
    const people = card(guest, 'Totals')
      .getByRole('button', { name: /^People/ })
      .locator('.figure')
    await expect(people).toHaveText(peopleWithin(30))
    const nav = guest.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    await expect(nav).toHaveText(['Overview', 'Explore', 'Funnel', 'Retention', 'Paths', 'Vitals', 'Errors'])
    await card(guest, 'Pages').getByRole('button', { name: '/pricing' }).click()
    await expect(guest.getByRole('button', { name: 'Remove the filter Page is /pricing' })).toBeEnabled()
    for (const name of ['Explore', 'Funnel', 'Retention', 'Paths', 'Vitals', 'Errors']) {
      await nav.getByText(name, { exact: true }).click()
      await expect(guest.getByRole('heading', { level: 1, name })).toBeVisible()
      await guest.waitForLoadState('networkidle')
    }
    await expect(guest.getByRole('alert')).toHaveCount(0)
    await expectAccessible(guest, 'errors')
    await guest.goto(all.replace('/#', '/persons#'))
    await expect(guest.getByText('There is no page at this address.')).toBeVisible()
  })

  await test.step('who asks for persons or SQL with the link is refused', async () => {
    const token = all.split('#')[1] ?? ''
    const statuses = await guest.evaluate(async (link) => {
      const ask = async (path: string, body: object) => {
        const headers = {
          'content-type': 'application/json',
          'x-waymark-link': link,
          authorization: `Bearer ${link}`,
        }
        return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).status
      }
      const time = { from: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' }
      return [
        await ask('/query', { statement: 'FROM analytics.persons' }),
        await ask('/persons/export', { environment: 'production', distinct_id: 'x' }),
        await ask('/guest', { name: 'people', ...time }),
      ]
    }, token)
    expect(statuses).toEqual([401, 401, 403])
  })

  // The refusals above and below are in the console of the browser.
  const mine = problems.splice(0).filter((text) => !/status of 40[13]/.test(text))
  expect(mine).toEqual([])

  await test.step('a site that is named shows it in a frame, and another does not', async () => {
    const framed = await browser.newContext({ timezoneId: 'UTC' })
    const site = await framed.newPage()
    const show = async (origin: string) => {
      await site.goto(origin)
      await site.locator('iframe').evaluate((frame, address) => frame.setAttribute('src', address), view)
    }
    await show(frames.url)
    await expect(
      site.frameLocator('iframe').getByRole('heading', { level: 1, name: 'Pricing' }),
    ).toBeVisible()
    await expect(site.frameLocator('iframe').getByText('/pricing').first()).toBeVisible()
    const refusal = site.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()))
    await show(frames.url.replace('127.0.0.1', 'localhost'))
    await refusal
    await expect(site.frameLocator('iframe').getByRole('heading', { level: 1, name: 'Pricing' })).toHaveCount(
      0,
    )
    await framed.close()
  })

  await test.step('what is taken back says so in one sentence', async () => {
    await page.getByRole('button', { name: 'Views', exact: true }).click()
    await page.getByRole('button', { name: 'Take back the link Pricing' }).click()
    await expect(page.getByRole('list', { name: 'Links for guests' }).getByRole('listitem')).toHaveCount(1)
    await guest.goto('about:blank')
    await guest.goto(view)
    await expect(guest.getByText(gone)).toBeVisible()
    await guest.goto('about:blank')
    await guest.goto(`${all}x`)
    await expect(guest.getByText(gone)).toBeVisible()
    await expectAccessible(guest, 'gone')
  })

  await guests.close()
  await context.close()
  await frames.close()
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})
