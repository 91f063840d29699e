import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Locator, type Page, expect, test as base } from '@playwright/test'
import { awayFromMidnight, midnightTimeoutMs } from './fixtures/awayFromMidnight'
import { createService, type Service } from './fixtures/createService'
import { personOf, sendShopVisits, type ShopVisit, shopVisits } from './fixtures/shopVisits'
import { everyVital, recorded, sendRecorded } from './fixtures/recorded'

/** Counts what somebody does who asks: clicks, and words that are typed. */
const createHand = () => {
  const did = { clicks: 0, words: 0 }
  return {
    did,
    async click(target: Locator) {
      did.clicks++
      await target.click()
    },
    /** A list is opened by one click, and one more chooses. */
    async choose(list: Locator, option: string) {
      did.clicks += 2
      await list.selectOption(option)
    },
    /** A click into the field, then the word and Enter. */
    async type(field: Locator, word: string) {
      did.clicks++
      did.words++
      await field.fill(word)
      await field.press('Enter')
    },
  }
}

const test = base.extend<{ hand: ReturnType<typeof createHand> }, { service: Service }>({
  service: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern here
    async ({}, use) => {
      await awayFromMidnight()
      const data = await mkdtemp(join(tmpdir(), 'waymark-questions-'))
      const service = await createService(data, {})
      await sendShopVisits(service.url)
      await sendRecorded(service.url)
      await use(service)
      await service.stop()
      await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
    { scope: 'worker', timeout: midnightTimeoutMs },
  ],
  /** Each question begins on the overview, after the login, and has cost little when it is answered. */
  hand: async ({ page, service: { url, user, password } }, use) => {
    const response = await page.context().request.post(`${url}/session`, {
      data: { user, password },
      headers: { origin: url },
    })
    expect(response.ok()).toBe(true)
    await page.goto(`${url}/app/`)
    const hand = createHand()
    await use(hand)
    expect(hand.did.clicks).toBeLessThanOrEqual(4)
    expect(hand.did.words).toBeLessThanOrEqual(1)
  },
})

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

const card = (page: Page, name: string | RegExp) => page.getByRole('region', { name, exact: true })
const row = (table: Locator, name: string) =>
  table.getByRole('row').filter({ has: table.page().getByRole('rowheader', { name, exact: true }) })
const rows = (table: Locator) => table.locator('tbody').getByRole('row')
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })
const list = (page: Page, label: string) =>
  page.locator('label', { hasText: new RegExp(`^${label}`) }).locator('select')
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

const groupBy = <T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

const recent = shopVisits.filter(({ daysAgo }) => daysAgo < 30)
/** By the page on which they began, how many visits saw no other. */
const bouncedAt = (entry: string) => {
  const began = recent.filter(({ pages }) => pages[0] === entry)
  return share.format(began.filter(({ pages }) => pages.length === 1).length / began.length)
}

/** How many people have each value at their first page, and how many of them ordered within 7 days. */
const converted = (valueOf: (visit: ShopVisit) => string) => {
  const counts = new Map<string, [string, string]>()
  const persons = [...groupBy(recent, personOf).values()].map((visits) => chainOf(visits))
  for (const [value, all] of groupBy(persons, ({ first }) => valueOf(first)))
    counts.set(value, [String(all.length), String(all.filter(({ ordered }) => ordered).length)])
  return counts
}

/** Which visit begins the chain: the first that leads to an order in time, else the first of all. */
const chainOf = (visits: readonly ShopVisit[]) => {
  const inOrder = visits.toSorted((a, b) => b.daysAgo - a.daysAgo)
  const orders = inOrder.filter(({ events }) => events.includes('Order Placed'))
  const leads = (visit: ShopVisit) =>
    orders.some(({ daysAgo }) => daysAgo <= visit.daysAgo && daysAgo >= visit.daysAgo - 7)
  const start = inOrder.find(leads)
  const first = start ?? inOrder[0]
  if (!first) throw new Error('A person has no visit.')
  return { first, ordered: start !== undefined }
}

const readFunnel = async (groups: Locator) => {
  await expect(rows(groups).first()).toBeVisible()
  const texts = await rows(groups).evaluateAll((all) =>
    all.map((each) => [...each.children].map((cell) => cell.textContent?.trim().split(' ')[0] ?? '')),
  )
  return new Map(texts.map(([value = '', begun = '', ordered = '']) => [value, [begun, ordered]]))
}

test.describe('a question is answered by at most four clicks and a word', () => {
  test('how many visitors come this week, and came in the last', async ({ page, hand }) => {
    await hand.choose(list(page, 'Time'), 'This week')
    const monday = (new Date().getUTCDay() + 6) % 7
    const midnight = new Date().setUTCHours(0, 0, 0, 0)
    const came = [
      ...shopVisits.map((visit) => ({ person: personOf(visit), daysAgo: visit.daysAgo })),
      ...recorded.map(({ anonymous_id, timestamp }) => ({
        person: anonymous_id,
        daysAgo: Math.ceil((midnight - timestamp) / 86_400_000),
      })),
    ]
    const cameIn = (first: number, last: number) =>
      new Set(came.filter(({ daysAgo }) => daysAgo <= first && daysAgo >= last).map(({ person }) => person))
        .size
    const totals = card(page, 'Totals')
    // Today's visits would be at noon; nobody came today.
    await expect(totals.getByRole('button', { name: 'People' }).locator('.figure')).toHaveText(
      String(cameIn(monday, 0)),
    )
    await hand.choose(list(page, 'Time'), 'Last week')
    await expect(totals.getByRole('button', { name: 'People' }).locator('.figure')).toHaveText(
      String(cameIn(monday + 7, monday + 1)),
    )
    await expect(rows(card(page, 'People over time'))).toHaveCount(7)
  })

  test('the conversion by source', async ({ page, hand }) => {
    await hand.click(tab(page, 'Funnel'))
    await hand.type(page.getByRole('combobox', { name: 'Step 2' }), 'Order Placed')
    await hand.choose(list(page, 'by'), '$utm_source')
    const groups = card(page, 'By $utm_source at the first step')
    expect(await readFunnel(groups)).toEqual(converted(({ source }) => source ?? '(none)'))
  })

  test('a funnel by device', async ({ page, hand }) => {
    await hand.click(tab(page, 'Funnel'))
    await hand.type(page.getByRole('combobox', { name: 'Step 2' }), 'Order Placed')
    await hand.choose(list(page, 'by'), '$device')
    const groups = card(page, 'By $device at the first step')
    expect(await readFunnel(groups)).toEqual(converted(({ device }) => device))
  })

  test('the retention by week of sign-ups', async ({ page, hand }) => {
    await hand.click(tab(page, 'Retention'))
    await hand.type(page.getByRole('combobox', { name: 'People who did' }), '/join')
    await hand.choose(list(page, 'Time'), 'Last 90 days')
    const cohorts = card(page, 'Retention').locator('tbody tr:not(.cohort-mean)')
    const signedUp = groupBy(
      shopVisits.filter(({ pages }) => pages.includes('/join')),
      personOf,
    )
    const sum = async () => {
      const people = await cohorts.locator('td:nth-child(2)').allTextContents()
      return people.reduce((all, each) => all + Number(each), 0)
    }
    await expect.poll(sum).toBe(signedUp.size)
    await expect(card(page, 'Retention')).toContainText('for the first time ever in that week')
  })

  test('the page on which most visitors of a campaign arrive', async ({ page, hand }) => {
    const sources = card(page, 'Sources')
    await hand.click(sources.getByRole('button', { name: 'Source', exact: true }))
    await hand.click(row(sources, 'newsletter').getByRole('button'))
    await hand.click(card(page, 'Pages').getByRole('button', { name: 'Entry' }))
    const began = groupBy(
      recent.filter(({ source }) => source === 'newsletter'),
      ({ pages }) => pages[0] ?? '',
    )
    const most = Math.max(...[...began.values()].map(({ length }) => length))
    await expect(page.getByRole('button', { name: 'Remove the filter Source is newsletter' })).toBeVisible()
    await expect(rows(card(page, 'Pages')).first().getByRole('cell').first()).toHaveText(String(most))
  })

  test('the bounce rate by page, on the overview', async ({ page, hand }) => {
    await hand.click(card(page, 'Pages').getByRole('button', { name: 'Entry' }))
    await expect(row(card(page, 'Pages'), '/maps').getByRole('cell').nth(2)).toHaveText(bouncedAt('/maps'))
  })

  test('the bounce rate by page, of all pages', async ({ page, hand }) => {
    await hand.click(page.getByRole('link', { name: 'Bounce rate' }))
    await hand.choose(list(page, 'by'), 'Entry page')
    for (const path of ['/maps', '/', '/pricing'])
      await expect(row(card(page, 'Bounce rate by Entry page'), path).getByRole('cell').first()).toHaveText(
        bouncedAt(path),
      )
  })

  test('where visitors go after a page', async ({ page, hand }) => {
    await hand.click(tab(page, 'Paths'))
    await hand.type(page.getByRole('combobox', { name: 'From' }), '/pricing')
    await expect(card(page, 'From /pricing').getByRole('row').nth(1)).toBeVisible()
  })

  test('the five people with most orders, and their traits', async ({ page, hand }) => {
    await hand.click(tab(page, 'Explore'))
    await hand.type(page.getByRole('combobox', { name: 'of event' }), 'Order Placed')
    await hand.choose(list(page, 'by'), 'Person')
    const answer = card(page, 'Events of Order Placed by Person')
    const orders = groupBy(
      recent.filter(({ events }) => events.includes('Order Placed')),
      personOf,
    )
    const counts = [...orders.values()].map(({ length }) => length).toSorted((a, b) => b - a)
    await expect(rows(answer)).toHaveCount(orders.size)
    for (const [at, count] of counts.slice(0, 5).entries())
      await expect(rows(answer).nth(at).getByRole('cell').first()).toHaveText(String(count))
    const known = [...orders.keys()].find((person) => person.startsWith('user-'))
    await expect(row(answer, `Ada of ${known}`)).toContainText(`email: ${known}@example.org`)
  })

  test('the slowest pages', async ({ page, hand }) => {
    await hand.click(tab(page, 'Vitals'))
    const answer = card(page, 'Largest contentful paint (LCP) by page and device')
    await expect(rows(answer).first().getByRole('rowheader')).toHaveText('/search')
    await expect(rows(answer).first().getByRole('cell').first()).toHaveText('5 s poor')
    await expect(row(answer, '/').getByRole('cell').first()).toHaveText('1 s good')
    await expect(rows(answer).first().getByRole('cell').last()).toHaveText(String(everyVital))
  })

  test('the errors by release', async ({ page, hand }) => {
    await hand.click(tab(page, 'Errors'))
    const where = card(page, 'Where')
    await expect(row(where, '1.1').getByRole('cell').first()).toHaveText('4')
    await expect(row(where, '1.0').getByRole('cell').first()).toHaveText('2')
    const first = row(card(page, 'Errors'), 'TypeError: x is not a function').getByRole('cell')
    await expect(first.nth(0)).toHaveText('5')
    await expect(first.nth(3)).toHaveText('1.0')
    await expect(first.nth(4)).toHaveText('1.1')
  })

  test('a value of a property by day', async ({ page, hand }) => {
    await hand.click(tab(page, 'Explore'))
    await hand.type(page.getByRole('combobox', { name: 'Filter by' }), 'plan=pro')
    await expect(page.getByRole('button', { name: 'Remove the filter plan is pro' })).toBeVisible()
    const figures = rows(card(page, 'Events by day'))
      .getByRole('cell')
      .filter({ hasText: /^[1-9]\d*$/ })
    await expect(figures).toHaveText(['3', '2'])
  })

  test('who spent most, by an example of SQL', async ({ page, hand, service }) => {
    await hand.click(tab(page, 'SQL'))
    const examples = card(page, 'Examples')
    const docs = examples.getByRole('link', { name: 'Views, columns and times' })
    const text = await page.request.get(new URL((await docs.getAttribute('href')) ?? '', service.url).href)
    expect(await text.text()).toContain('# SQL over events')
    await hand.click(examples.getByRole('button', { name: 'The sum of a property by person' }))
    await hand.click(page.getByRole('button', { name: 'Run' }))
    const person = card(page, 'Result').getByRole('table').getByRole('link').first()
    const id = await person.textContent()
    await hand.click(person)
    await expect(card(page, 'Timeline')).toBeVisible()
    expect(new URL(page.url()).searchParams.get('id')).toBe(id)
  })

  test('yesterday by hour', async ({ page, hand }) => {
    await hand.choose(list(page, 'Time'), 'Yesterday')
    const yesterday = shopVisits.filter(({ daysAgo }) => daysAgo === 1)
    const noon = rows(card(page, 'People over time')).filter({ hasText: '12:00' })
    await expect(noon.getByRole('cell').first()).toHaveText(String(new Set(yesterday.map(personOf)).size))
    await expect(rows(card(page, 'People over time'))).toHaveCount(24)
  })
})
