import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Page, expect, test as base } from '@playwright/test'
import { awayFromMidnight, midnightTimeoutMs } from './fixtures/awayFromMidnight'
import { expectAccessible } from './fixtures/expectAccessible'
import { createService, type Service } from './fixtures/createService'
import { personOf, sendShopVisits, shopVisits } from './fixtures/shopVisits'

/** All tests read the same events, so they share a service. */
const test = base.extend<{ complaints: void }, { service: Service }>({
  service: [
    async ({ browserName }, use) => {
      await awayFromMidnight()
      const data = await mkdtemp(join(tmpdir(), `waymark-explore-${browserName}-`))
      const service = await createService(data, {})
      await sendShopVisits(service.url)
      await use(service)
      await service.stop()
      await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
    { scope: 'worker', timeout: midnightTimeoutMs },
  ],
  /** A breach of the content security policy is an error of the console, too. */
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        // A statement that the service refuses is one, and expected here.
        const isRefusal = message.text().includes('status of 400')
        if (['warning', 'error'].includes(message.type()) && !isRefusal) complaints.push(message.text())
      })
      await use()
      expect(complaints).toEqual([])
    },
    { auto: true },
  ],
})

// As in screens.spec.ts.
test.describe.configure({ mode: 'parallel' })
test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 }, acceptDownloads: true })

test.beforeEach(async ({ context, service }) => {
  const { user, password, url } = service
  const response = await context.request.post(`${url}/session`, {
    data: { user, password },
    headers: { origin: url },
  })
  expect(response.ok()).toBe(true)
})

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** How many rows a statement has. */
const status = (page: Page) => page.locator('.sql-status [role=status]')
const editor = (page: Page) => page.getByRole('textbox', { name: 'Statement' })
const select = (page: Page, label: string) =>
  page.locator('main label', { hasText: new RegExp(`^${label}`) }).locator('select')
const address = (path: string, parameters: [string, string][]) =>
  `${path}?${new URLSearchParams(parameters).toString()}`

const dayMs = 86_400_000
const monthMs = 30 * dayMs

/** What was sent, as one list a person: the name of an event or the path of a page view, in the order of the times. */
function histories() {
  const byPerson = new Map<string, { name: string; time: number; device: string }[]>()
  for (const visit of shopVisits) {
    const names = [...visit.pages, ...visit.events]
    const events = names.map((name, step) => ({
      name,
      time: new Date().setUTCHours(12, 0, 0, 0) - visit.daysAgo * dayMs + step * 20_000,
      device: visit.device,
    }))
    byPerson.set(personOf(visit), [...(byPerson.get(personOf(visit)) ?? []), ...events])
  }
  // Sorting keeps the order of the acceptance among equal times.
  return new Map(
    [...byPerson].map(([person, events]) => [person, events.toSorted((a, b) => a.time - b.time)]),
  )
}

/** How many steps a person took, each after the one before and all within a time from the first. */
function countSteps(person: string, steps: readonly string[], withinMs: number): number {
  const events = histories().get(person) ?? []
  const from = (start: number): number => {
    const first = events[start]
    if (!first || first.name !== steps[0]) return 0
    let depth = 1
    for (const { name, time } of events.slice(start + 1))
      if (name === steps[depth] && time - first.time <= withinMs) depth++
    return depth
  }
  return Math.max(...events.map((_, start) => from(start)))
}

const funnelSteps = ['/maps', 'Order Placed', '/pricing']
const peopleAt = (withinMs: number) => {
  const depths = [...histories().keys()].map((person) => countSteps(person, funnelSteps, withinMs))
  return funnelSteps.map((_, at) => depths.filter((depth) => depth > at).length)
}

const monday = (time: number) => {
  const day = Math.floor(time / dayMs)
  return (day - ((day + 3) % 7)) * dayMs
}

test.describe('the funnel', () => {
  test('counts the people of each step, who can be looked at', async ({ page, service }) => {
    await page.goto(`${service.url}/app/funnel?range=90d`)
    await expect(card(page, 'Funnel')).toContainText('Choose two steps or more')
    for (const [at, step] of funnelSteps.entries()) {
      if (at === 2) await page.getByRole('button', { name: 'Add a step' }).click()
      await page.getByRole('combobox', { name: `Step ${at + 1}` }).fill(step)
      await page.keyboard.press('Enter')
    }
    const counts = async (withinMs: number) => {
      const [first = 0, ...rest] = peopleAt(withinMs)
      const people = [first, ...rest].map((count) => `${count} people`)
      await expect(card(page, 'Funnel').getByRole('button', { name: /did/ })).toHaveText(people)
      const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
      await expect(card(page, 'Funnel').getByRole('listitem').nth(2)).toContainText(
        share.format((rest[1] ?? 0) / first),
      )
    }
    await counts(7 * dayMs)
    await select(page, 'within').selectOption('30 days')
    await counts(monthMs)
    expect(peopleAt(monthMs)).not.toEqual(peopleAt(7 * dayMs))

    await page.getByRole('button', { name: /went no further than \/maps/ }).click()
    const dropped = [...histories().keys()].filter((person) => countSteps(person, funnelSteps, monthMs) === 1)
    const list = card(page, 'People who did /maps, but not Order Placed')
    const persons = list.getByRole('table').getByRole('link')
    await expect(persons).toHaveCount(dropped.length)
    const links = await persons.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    const ids = links.map((link) => new URL(link ?? '', service.url).searchParams.get('id') ?? '')
    expect(ids.toSorted()).toEqual(dropped.toSorted())

    await select(page, 'by').selectOption('$device')
    const phones = dropped.concat(
      [...histories().keys()].filter((person) => countSteps(person, funnelSteps, monthMs) > 1),
    )
    const onPhone = phones.filter((person) => histories().get(person)?.[0]?.device === 'phone')
    const cells = card(page, 'By $device at the first step')
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'phone' }) })
      .getByRole('cell')
    await expect(cells.first()).toHaveText(String(onPhone.length))

    // All of it is in the address, and what is there can be put in another order.
    await page.reload()
    await counts(monthMs)
    await expect(list).toBeVisible()
    await page.getByRole('button', { name: 'Move step 3 up' }).click()
    await expect(page.getByRole('combobox', { name: 'Step 2' })).toHaveValue('/pricing')
    await page.getByRole('button', { name: 'Remove step 1' }).click()
    await expect(page.getByRole('combobox', { name: 'Step 1' })).toHaveValue('/pricing')
  })

  test('says that nobody did the first step', async ({ page, service }) => {
    const steps = ['Never Seen', 'Map Viewed'].map((step): [string, string] => ['step', step])
    await page.goto(service.url + address('/app/funnel', steps))
    await expect(card(page, 'Funnel')).toContainText('Nobody did Never Seen in this time.')
  })
})

test.describe('the retention', () => {
  test('counts who came back in each week', async ({ page, service }) => {
    await page.goto(`${service.url}/app/retention?range=90d`)
    await page.getByRole('combobox', { name: 'People who did' }).fill('/maps')
    await page.keyboard.press('Enter')

    const cohorts = new Map<number, { size: number; people: number[] }>()
    for (const events of histories().values()) {
      const at = events.findIndex(({ name }) => name === '/maps')
      const first = events[at]
      if (!first) continue
      const start = monday(first.time)
      const last = (monday(Date.now()) - start) / (7 * dayMs)
      const cohort = cohorts.get(start) ?? { size: 0, people: Array.from({ length: last + 1 }, () => 0) }
      cohorts.set(start, cohort)
      cohort.size++
      const periods = events.slice(at + 1).map(({ time }) => (monday(time) - start) / (7 * dayMs))
      for (const period of new Set(periods)) cohort.people[period] = (cohort.people[period] ?? 0) + 1
    }
    const expected = [...cohorts]
      .toSorted(([a], [b]) => a - b)
      .map(([, { size, people }]) => [size, ...people])
    const rows = card(page, 'Retention').locator('tbody tr:not(.cohort-mean)')
    await expect(rows).toHaveCount(expected.length)
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => [
        Number(row.querySelector('td')?.textContent),
        ...[...row.querySelectorAll('.cohort-people')].map((each) => Number(each.textContent)),
      ]),
    )
    expect(shown).toEqual(expected)
    // Every cell names its share of the cohort.
    const [size = 1, people = 0] = expected[0] ?? []
    await expect(rows.first().locator('.cohort-cell').first()).toContainText(
      `${Math.round((people / size) * 100)}%`,
    )
  })
})

test.describe('the paths', () => {
  test('lead from page to page', async ({ page, service }) => {
    await page.goto(`${service.url}/app/paths?range=90d&start=%2Fmaps`)
    // A page that is loaded again is no way to another.
    const ways = shopVisits.flatMap(({ pages }) => {
      const moved = pages.filter((path, at) => path !== pages[at - 1])
      const at = moved.indexOf('/maps')
      return at === -1 ? [] : [moved[at + 1] ?? 'Session ended']
    })
    const first = card(page, 'From /maps')
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: '1', exact: true }) })
    for (const to of new Set(ways)) {
      const row = first.filter({ has: page.getByRole('cell', { name: to, exact: true }) })
      const count = ways.filter((way) => way === to).length
      const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
      await expect(row.getByRole('cell')).toHaveText([
        '/maps',
        to,
        String(count),
        ...[0, 1].map(() => share.format(count / ways.length)),
      ])
    }
    await page
      .getByRole('list', { name: 'Step 1' })
      .getByRole('button', { name: /^\/pricing/ })
      .click()
    await expect(card(page, 'From /pricing')).toBeVisible()
  })
})

test.describe('the SQL page', () => {
  test('runs a statement, which a link restores, and saves its rows', async ({ page, service }) => {
    await page.goto(`${service.url}/app/sql`)
    await editor(page).fill('SELECT event, count(*) AS n\nFROM events\nGROUP BY event ORDER BY event')
    await page.keyboard.press('Control+Enter')
    const expected = ['Map Viewed', 'Order Placed'].map((name) => [
      name,
      String(shopVisits.filter(({ events }) => events.includes(name)).length),
    ])
    const cells = card(page, 'Result').getByRole('cell')
    await expect(status(page)).toContainText('3 rows in')
    expect((await cells.allTextContents()).slice(2)).toEqual(expected.flat())

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    expect([lines[0], ...lines.slice(2)]).toEqual(['event,n', ...expected.map((row) => row.join())])

    await page.reload()
    await expect(status(page)).toContainText('3 rows in')
    await page.getByRole('button', { name: 'Chart' }).click()
    await expect(page.getByRole('figure', { name: 'n by event' })).toBeVisible()

    const past = card(page, 'History')
    await past.getByRole('button', { name: /^SELECT event/ }).click()
    await expect(editor(page)).toBeFocused()
    await past.getByRole('button', { name: 'Clear' }).click()
    await expect(past.getByRole('listitem')).toHaveCount(0)
  })

  test('says where a mistake is, before and after the statement is run', async ({ page, service }) => {
    await page.goto(`${service.url}/app/sql`)
    await editor(page).fill('SELECT event,\n  nonsense\nFROM events')
    await expect(page.getByText('Referenced column "nonsense" not found')).toBeVisible()
    await expect(editor(page)).toHaveAttribute('aria-invalid', 'true')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByRole('alert')).toContainText('Referenced column "nonsense" not found')
    await expect(page.getByRole('alert')).toContainText("Write prop(properties, 'nonsense')")
    await page.getByRole('button', { name: 'Go to line 2, column 3' }).click()
    await expect(editor(page)).toBeFocused()
    expect(await editor(page).evaluate((field: HTMLTextAreaElement) => field.selectionStart)).toBe(16)
  })

  test('runs a statement that is written for another database, and shows it in DuckDB’s SQL', async ({
    page,
    service,
  }) => {
    await page.goto(`${service.url}/app/sql`)
    await editor(page).fill("SELECT IFNULL(NULL, 'none') AS `source`")
    await expect(page.getByText('syntax error')).toBeVisible()
    await page.getByRole('combobox', { name: 'Written for' }).selectOption('MySQL')
    await page.getByText('In DuckDB’s SQL').click()
    await expect(page.getByRole('region', { name: 'In DuckDB’s SQL' })).toHaveText(
      `SELECT COALESCE(NULL, 'none') AS "source"`,
    )
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(card(page, 'Result').getByRole('cell')).toHaveText(['none'])
    await page.reload()
    await expect(page.getByRole('combobox', { name: 'Written for' })).toHaveValue('mysql')
    await expect(card(page, 'Result').getByRole('cell')).toHaveText(['none'])

    await editor(page).fill('SELECT `a`,\n  FROM (SELECT')
    await page.getByRole('button', { name: /^Go to line 2/ }).click()
    await expect(page.getByText('cannot be read as MySQL')).toBeVisible()
  })

  test('suggests names, and Tab leaves the field', async ({ page, service }) => {
    await page.goto(`${service.url}/app/sql`)
    await editor(page).fill('')
    await editor(page).pressSequentially('SELECT uniq FROM pers')
    const suggested = page.getByRole('listbox').getByRole('option')
    await expect(suggested.filter({ hasText: /^persons/ })).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('listbox').getByRole('option', { selected: true })).toContainText('persons')
    await page.keyboard.press('Enter')
    await expect(editor(page)).toHaveValue('SELECT uniq FROM persons')
    await expect(suggested).toHaveCount(0)
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Run' })).toBeFocused()

    await page.locator('summary', { hasText: /^identities$/ }).click()
    await page.getByRole('button', { name: 'identified', exact: true }).click()
    await expect(editor(page)).toHaveValue('SELECT uniq FROM personsidentified')
    await page.keyboard.press('Control+z')
    await expect(editor(page)).toHaveValue('SELECT uniq FROM persons')
  })

  test('ends a query that is cancelled, and keeps its session', async ({ page, service }) => {
    await page.goto(`${service.url}/app/sql`)
    await editor(page).fill('SET VARIABLE kept = 42')
    await page.keyboard.press('Control+Enter')
    await expect(status(page)).toContainText(/rows? in/)
    await editor(page).fill('SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b')
    const asked = page.waitForRequest((request) => new URL(request.url()).pathname === '/query')
    await page.keyboard.press('Control+Enter')
    // The service must know the query before it can cancel it.
    const { query_id: id } = (await asked).postDataJSON() as { query_id: string }
    const known = () => page.request.get(`${service.url}/query/${id}`, { headers: { origin: service.url } })
    await expect.poll(async () => (await known()).status()).toBe(200)
    const cancelled = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('alert')).toContainText('Cancelled.')
    expect(await (await cancelled).json()).toMatchObject({ cancelled: true })
    // Another query of the session waits for the one before.
    await editor(page).fill("SELECT getvariable('kept') AS kept")
    await page.keyboard.press('Control+Enter')
    await expect(card(page, 'Result').getByRole('cell')).toHaveText(['42'])
  })

  test('shows the first of many rows and says how many there are', async ({ page, service }) => {
    await page.goto(`${service.url}/app/sql`)
    await editor(page).fill('SELECT range AS n FROM range(20000)')
    await page.keyboard.press('Control+Enter')
    await expect(status(page)).toContainText('The first 5,000 of 20,000 rows')
    await page.getByRole('button', { name: 'Show 1,000 more' }).click()
    await expect(card(page, 'Result').getByRole('cell', { name: '1199', exact: true })).toBeAttached()
  })

  test('shows the statement of a foreign link, and runs it at a click', async ({ page, service }) => {
    const statement = "SELECT 'by link' AS a"
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes('by link')) sent.push(new URL(request.url()).pathname)
    })
    const link = service.url + address('/app/sql', [['q', statement]])
    await page.setContent(`<a href="${link.replaceAll('&', '&amp;')}">Look at this</a>`)
    await page.getByRole('link').click()
    await expect(page.getByText('This statement came by a link. Read it, then run it.')).toBeVisible()
    await expect(editor(page)).toHaveValue(statement)
    // By now the page has asked for what it asks by itself.
    await expect(page.locator('summary', { hasText: /^persons$/ })).toBeVisible()
    expect(sent).toEqual([])
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(status(page)).toContainText('1 row in')
    expect(sent[0]).toBe('/query')
    // It is the page's own now.
    await page.reload()
    await expect(status(page)).toContainText('1 row in')
  })

  test('runs the statement of a card, which is a link of its own', async ({ page, service }) => {
    await page.goto(`${service.url}/app/paths?range=90d`)
    await page.getByRole('button', { name: /^More:/ }).click()
    await page.getByRole('button', { name: /^SQL:/ }).click()
    await page.getByRole('link', { name: 'Open on the SQL page' }).click()
    await expect(status(page)).toContainText(/rows? in/)
  })

  test('does not run a statement that changes something a second time by itself', async ({
    page,
    service,
  }) => {
    await page.goto(`${service.url}/app/sql`)
    await editor(page).fill('CREATE TABLE by_reload AS SELECT 1 AS a')
    await page.keyboard.press('Control+Enter')
    await expect(status(page)).toContainText('1 row in')
    await service.sql('DROP TABLE by_reload')
    await page.reload()
    await expect(page.getByText('so it was not run')).toBeVisible()
    const tables = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'by_reload'"
    expect(await service.sql(tables)).toEqual([[0]])
  })
})

test('axe objects to nothing on the pages that explore, and they fit a phone', async ({
  browser,
  service,
}) => {
  const context = await browser.newContext({ bypassCSP: true, timezoneId: 'UTC' })
  const { user, password, url } = service
  await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
  const page = await context.newPage()
  const steps = funnelSteps.map((step): [string, string] => ['step', step])
  for (const [path, part] of [
    [
      address('/app/funnel', [...steps, ['range', '90d'], ['by', '$device'], ['people', 'reached-2']]),
      'People who did Order Placed',
    ],
    ['/app/retention?range=90d', 'Retention'],
    ['/app/paths?range=90d', 'From where sessions began'],
    [address('/app/sql', [['q', 'SELECT event, path, properties FROM events LIMIT 20']]), 'Result'],
    [address('/app/sql', [['q', 'SELECT nonsense']]), 'Result'],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(url + path)
    if (path.startsWith('/app/sql')) await page.getByRole('button', { name: 'Run' }).click()
    await expect(card(page, part)).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expectAccessible(page, path)
    await page.setViewportSize({ width: 360, height: 740 })
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, path).toBeLessThanOrEqual(360)
  }
  await context.close()
})
