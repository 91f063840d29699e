import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Page, expect, test as base } from '@playwright/test'
import { awayFromMidnight, midnightTimeoutMs } from './fixtures/awayFromMidnight'
import { expectAccessible } from './fixtures/expectAccessible'
import { createService, type Service } from './fixtures/createService'
import { sendRecorded, sendUnidentified } from './fixtures/recorded'
import { personOf, send, sendShopVisits, type ShopVisit, shopVisits } from './fixtures/shopVisits'

/** Orders lack their total, and nobody has planned that maps are viewed. */
const plan = { events: { 'Order Placed': { type: 'object', required: ['total'] } } }

/** All tests read the same events, so they share a service. */
const test = base.extend<{ complaints: string[] }, { service: Service }>({
  service: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern here
    async ({}, use) => {
      await awayFromMidnight()
      const data = await mkdtemp(join(tmpdir(), 'waymark-screens-'))
      const planFile = join(data, 'plan.json')
      await writeFile(planFile, JSON.stringify(plan))
      const service = await createService(data, { more: ['--plan', planFile] })
      await sendShopVisits(service.url)
      await use(service)
      await service.stop()
      await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
    { scope: 'worker', timeout: midnightTimeoutMs },
  ],
  complaints: async ({ page, service }, use) => {
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (['warning', 'error'].includes(message.type())) complaints.push(message.text())
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url)) complaints.push(`a request to ${request.url()}`)
    })
    await use(complaints)
  },
})

// A file as long as this one would keep one worker busy after the other has ended. Each worker has a service.
test.describe.configure({ mode: 'parallel' })
test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

async function logIn(page: Page, { user, password }: Service) {
  await page.getByLabel('Name').fill(user)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** Opens a page of the screens, logged in. */
async function open(page: Page, service: Service, path: string) {
  await page.goto(`${service.url}${path}`)
  await logIn(page, service)
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible()
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const row = (page: Page, cardName: string, name: string) =>
  card(page, cardName)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) })

const isIn = (from: number, until: number) => (visit: ShopVisit) =>
  visit.daysAgo >= from && visit.daysAgo <= until
const now = shopVisits.filter(isIn(0, 29))
const before = shopVisits.filter(isIn(30, 59))

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const people = (visits: readonly ShopVisit[]) => new Set(visits.map(personOf)).size
const views = (visits: readonly ShopVisit[]) => visits.flatMap((visit) => visit.pages)
const events = (visits: readonly ShopVisit[]) => visits.flatMap((visit) => [...visit.pages, ...visit.events])

test.describe('the screens', () => {
  test('let nobody in with a wrong password, and everybody out again', async ({ page, service }) => {
    await page.goto(service.url)
    await expect(page).toHaveURL(`${service.url}/app/`)
    await logIn(page, { ...service, password: 'guessed' })
    await expect(page.getByRole('alert')).toHaveText('The user name or the password is wrong.')

    await logIn(page, service)
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  })

  test('count what was sent, now and in the period before', async ({ page, service, complaints }) => {
    await open(page, service, '/app/')
    complaints.length = 0
    for (const [title, figure, earlier] of [
      ['People', people(now), people(before)],
      ['Sessions', now.length, before.length],
      ['Page views', views(now).length, views(before).length],
      ['Events', events(now).length, events(before).length],
    ] as const) {
      const total = card(page, 'Totals').getByRole('button', { name: title })
      await expect(total).toContainText(`${title}${figure}`)
      await expect(total).toContainText(`from ${earlier}`)
    }

    // By day: the figures of the chart are a table for screen readers, too.
    const day = new Date(Date.now() - 5 * 86_400_000)
    const name = new Intl.DateTimeFormat('en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    }).format(day)
    const ofDay = row(page, 'People over time', name).getByRole('cell')
    await expect(ofDay).toHaveText([
      String(people(shopVisits.filter(isIn(5, 5)))),
      String(people(shopVisits.filter(isIn(35, 35)))),
    ])

    const expectRow = (
      cardName: string,
      value: string,
      count: number,
      persons: number,
      more: string[] = [],
    ) =>
      expect(row(page, cardName, value).getByRole('cell')).toHaveText([
        String(count),
        String(persons),
        ...more,
        // The change from the period before.
        /%$|^new$/,
      ])
    // Engaged time is not recorded, so a session of one page view is a bounce.
    const bounced = (visits: readonly ShopVisit[]) =>
      percent.format(visits.filter((visit) => visit.pages.length === 1).length / visits.length)
    const ofSession = (title: string) => card(page, 'Totals').getByRole('listitem').filter({ hasText: title })
    await expect(ofSession('Bounce rate')).toContainText(
      `Bounce rate${bounced(now)}${bounced(before)} before`,
    )
    const mean = new Intl.NumberFormat('en', { maximumFractionDigits: 2 }).format(
      views(now).length / now.length,
    )
    await expect(ofSession('Pages a session')).toContainText(`Pages a session${mean}`)
    await expect(ofSession('Engaged time')).toContainText('not recorded')
    const withPage = now.filter((visit) => visit.pages.includes('/pricing'))
    await expectRow(
      'Pages',
      '/pricing',
      views(now).filter((path) => path === '/pricing').length,
      people(withPage),
    )
    const mailed = now.filter((visit) => visit.source === 'newsletter')
    await expectRow('Sources', 'mail', mailed.length, people(mailed), [bounced(mailed)])
    await card(page, 'Sources').getByRole('button', { name: 'Referrers' }).click()
    const found = now.filter((visit) => visit.referrer)
    await expectRow('Sources', 'search.example', found.length, people(found), [bounced(found)])
    const ordered = now.filter((visit) => visit.events.includes('Order Placed'))
    await expectRow('Events', 'Order Placed', ordered.length, people(ordered))
    const firefox = now.filter((visit) => visit.browser === 'Firefox')
    await expectRow('Devices', 'Firefox', firefox.length, people(firefox), [bounced(firefox)])

    await card(page, 'Pages').getByRole('button', { name: 'Entry' }).click()
    const entered = now.filter((visit) => visit.pages[0] === '/maps')
    await expectRow('Pages', '/maps', entered.length, people(entered), [bounced(entered)])
    await card(page, 'Sources').getByRole('button', { name: 'Source', exact: true }).click()
    await expectRow('Sources', 'newsletter', mailed.length, people(mailed), [bounced(mailed)])
    expect(complaints).toEqual([])
  })

  test('count the sessions that a filter picks, which a link restores', async ({ page, service }) => {
    await open(page, service, '/app/?range=90d')
    await card(page, 'Pages').getByRole('button', { name: '/pricing' }).click()
    await card(page, 'Devices').getByRole('button', { name: 'Chrome' }).click()
    await card(page, 'Totals').getByRole('button', { name: 'Sessions' }).click()
    const picked = shopVisits.filter(
      (visit) => visit.pages.includes('/pricing') && visit.browser === 'Chrome',
    )
    const check = async () => {
      await expect(card(page, 'Totals').getByRole('button', { name: 'Sessions' })).toContainText(
        `Sessions${picked.length}`,
      )
      await expect(card(page, 'Totals').getByRole('button', { name: 'People' })).toContainText(
        `People${people(picked)}`,
      )
      await expect(card(page, 'Sessions over time')).toBeVisible()
      await expect(page.getByRole('button', { name: /^Remove the filter/ })).toHaveCount(2)
    }
    await check()
    await page.reload()
    await check()
    await page.getByRole('button', { name: 'Remove the filter Browser is Chrome' }).click()
    await expect(page).not.toHaveURL(/filter=browser/)
    await page.goBack()
    await check()
  })

  test('filter by a click anywhere on a row, and by what is typed', async ({ page, service }) => {
    await open(page, service, '/app/?range=90d')
    const sessions = async (visits: readonly ShopVisit[]) => {
      await expect(card(page, 'Totals').getByRole('button', { name: 'Sessions' })).toContainText(
        `Sessions${visits.length}`,
      )
    }
    const firefox = row(page, 'Devices', 'Firefox')
    const { width = 0, height = 0 } = (await firefox.boundingBox()) ?? {}
    expect(height).toBeGreaterThanOrEqual(24)
    await firefox.click({ position: { x: width - 4, y: height / 2 } })
    const ofFirefox = shopVisits.filter((visit) => visit.browser === 'Firefox')
    await sessions(ofFirefox)

    const field = page.getByRole('combobox', { name: 'Filter by' })
    await field.fill('page ~ ELDER')
    await field.press('Enter')
    const saw = (visit: ShopVisit) => visit.pages.some((path) => path.includes('elder'))
    await sessions(ofFirefox.filter(saw))

    await field.fill('Source')
    await field.press('Enter')
    await page.getByRole('combobox', { name: 'How Source is compared' }).selectOption('is none of')
    await page.getByRole('combobox', { name: 'Value of Source' }).fill('newsletter, walkers')
    await page.keyboard.press('Enter')
    await sessions(ofFirefox.filter(saw).filter((visit) => visit.source === undefined))

    await page.getByRole('button', { name: 'Remove all' }).click()
    await field.fill('page != /pricing')
    await field.press('Enter')
    await sessions(shopVisits.filter((visit) => !visit.pages.includes('/pricing')))
    // The other pages that heed filters keep them.
    await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).click()
    await expect(page.getByRole('button', { name: 'Remove the filter Page is not /pricing' })).toBeVisible()
  })

  test('show the SQL of a picture, which gives the same figures', async ({ page, service }) => {
    await open(page, service, '/app/')
    await page.getByRole('button', { name: 'More: Totals' }).click()
    await page.getByRole('button', { name: 'SQL: Totals' }).click()
    const dialog = page.getByRole('dialog', { name: 'SQL: Totals' })
    await expect(dialog.getByRole('link', { name: 'Open on the SQL page' })).toBeVisible()
    const statement = await dialog.getByRole('region', { name: 'Statement' }).textContent()
    const [first] = await service.sql(statement ?? '')
    expect(first?.slice(0, 5)).toEqual([
      'now',
      people(now),
      now.length,
      views(now).length,
      events(now).length,
    ])
    const link = await dialog.getByRole('link', { name: 'Open on the SQL page' }).getAttribute('href')
    expect(new URL(link ?? '', service.url).searchParams.get('q')).toBe(statement)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'More: Totals' })).toBeFocused()
    await page.keyboard.press('Enter')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV: Totals' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Totals.csv')
    const [, line = ''] = (await readFile(await download.path(), 'utf8')).split('\n')
    expect(line.split(',').slice(0, 5)).toEqual((first ?? []).slice(0, 5).map(String))
  })

  test('obey keys, unless one types or has turned them off', async ({ page, service }) => {
    await open(page, service, '/app/')
    await page.keyboard.press('1')
    await expect(page).toHaveURL(/range=today/)
    await page.keyboard.press('f')
    const field = page.getByRole('combobox', { name: 'Filter by' })
    await expect(field).toBeFocused()
    await page.keyboard.type('x1')
    await expect(field).toHaveValue('x1')
    await expect(page).toHaveURL(/range=today/)
    await field.fill('')
    await field.blur()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await expect(dialog).toContainText('Yesterday')
    await dialog.getByRole('switch').click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('2')
    await page.keyboard.press('?')
    await expect(dialog).toBeVisible()
    await expect(page).toHaveURL(/range=today/)
  })

  test('find a person by an earlier id or a trait, with all sessions', async ({ page, service }) => {
    const visits = shopVisits.filter((visit) => personOf(visit) === 'user-4')
    expect(visits.some((visit) => visit.userId === undefined)).toBe(true)
    await open(page, service, '/app/persons')
    for (const text of ['visitor-4', 'USER-4@EXAMPLE', visits[0]?.session ?? '']) {
      await page.getByRole('searchbox').fill(text)
      await page.getByRole('button', { name: 'Search' }).click()
      await expect(
        card(page, `People with “${text}”`).getByRole('link', { name: 'Ada of user-4', exact: true }),
      ).toBeVisible()
    }
    await page.getByRole('link', { name: 'Ada of user-4', exact: true }).click()
    await expect(card(page, 'Ada of user-4')).toContainText('user-4@example.org')
    await expect(card(page, 'Ada of user-4').getByRole('listitem')).toHaveText(['user-4', 'visitor-4'])

    const sessions = card(page, 'Timeline').getByRole('heading', { level: 3 })
    await expect(sessions).toHaveCount(visits.length)
    const newest = visits.toSorted((a, b) => a.daysAgo - b.daysAgo)[0]
    await expect(sessions.first()).toContainText(`${events(newest ? [newest] : []).length} event`)
    await expect(card(page, 'Timeline').locator('summary')).toHaveCount(events(visits).length)
    await card(page, 'Timeline')
      .getByRole('combobox', { name: 'Show' })
      .selectOption({ label: `Page views (${views(visits).length})` })
    await expect(card(page, 'Timeline').locator('summary')).toHaveCount(views(visits).length)

    await page.goto(`${service.url}/app/persons?id=visitor-4`)
    await expect(card(page, 'Ada of user-4')).toBeVisible()
  })

  test('list the people who did something, sorted by any column', async ({ page, service }) => {
    await open(page, service, '/app/persons')
    const field = page.getByRole('combobox', { name: 'Filter by' })
    await field.fill('event = Order Placed')
    await field.press('Enter')
    const buyers = new Set(now.filter((visit) => visit.events.includes('Order Placed')).map(personOf))
    const rows = card(page, 'People').locator('tbody').getByRole('row')
    await expect(page.getByRole('button', { name: 'Remove the filter did Order Placed' })).toBeVisible()
    await expect(rows).toHaveCount(buyers.size)
    await expect(card(page, 'People')).toContainText(`${buyers.size} people`)
    await card(page, 'People').getByRole('button', { name: 'Events' }).click()
    const eventsOf = (person: string) => events(now.filter((visit) => personOf(visit) === person)).length
    const most = Math.max(...[...buyers].map(eventsOf))
    await expect(card(page, 'People').getByRole('columnheader', { name: 'Events' })).toHaveAttribute(
      'aria-sort',
      'descending',
    )
    await expect(rows.first().getByRole('cell').nth(2)).toHaveText(String(most))

    await field.fill('email ~ USER-4@')
    await field.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter did Order Placed' }).click()
    await expect(rows).toHaveCount(1)
    // Who they are is asked of what they are, on any other page that has filters.
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
    const own = now.filter((visit) => personOf(visit) === 'user-4')
    await expect(card(page, 'Totals').getByRole('button', { name: 'Sessions' })).toContainText(
      `Sessions${own.length}`,
    )
  })

  test('show events as they come, but not while paused', async ({ page, service }) => {
    await open(page, service, '/app/live')
    const table = card(page, 'Newest events')
    await expect(table.getByRole('row').nth(1)).toBeVisible()
    const track = (event: string) =>
      send(service.url, '/track', [
        { environment: 'production', event, distinct_id: 'user-8', properties: {} },
      ])
    await track('Came Just Now')
    await expect(table.getByRole('button', { name: 'Came Just Now' })).toBeVisible()
    await page.getByRole('button', { name: 'Pause' }).click()
    await track('Came Meanwhile')
    await expect(table.getByRole('button', { name: 'Came Meanwhile' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect(table.getByRole('button', { name: 'Came Meanwhile' })).toBeVisible()
    await table.getByRole('link', { name: 'Ada of user-8' }).first().click()
    await expect(card(page, 'Ada of user-8')).toBeVisible()
  })

  test('ask for a new login over the page, and go on where it was', async ({ page, service }) => {
    await open(page, service, '/app/persons?q=user-4@')
    await expect(page.getByRole('link', { name: 'Ada of user-4', exact: true })).toBeVisible()
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Ada of user-4', exact: true }).click()
    await expect(page.getByText('Your session has ended.')).toBeVisible()
    await logIn(page, service)
    await expect(card(page, 'Ada of user-4')).toBeVisible()
    await expect(page).toHaveURL(/id=user-4/)
  })

  test('say that the service is away, and go on when it is back', async ({ page, service }) => {
    await open(page, service, '/app/')
    await expect(card(page, 'Totals')).toContainText('People')
    await service.stop()
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect(card(page, 'Totals').getByRole('alert')).toContainText('cannot be reached')
    // The old picture stays, and the cards ask again by themselves.
    await expect(card(page, 'Totals').getByRole('button', { name: 'Sessions' })).toBeVisible()
    await service.start()
    await expect(card(page, 'Totals').getByRole('alert')).toHaveCount(0)
    await expect(card(page, 'Totals').getByRole('button', { name: 'Sessions' })).toContainText(
      `${now.length}`,
    )
  })

  test('have nothing that axe objects to, and fit a phone', async ({ browser, service }) => {
    // Every page, by all of axe's rules, takes a while on a slow machine.
    const context = await browser.newContext({ bypassCSP: true, timezoneId: 'UTC' })
    const page = await context.newPage()
    await sendRecorded(service.url)
    await sendUnidentified(service.url)
    const check = async (name: string) => {
      await expectAccessible(page, name)
      await page.setViewportSize({ width: 360, height: 740 })
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, name).toBeLessThanOrEqual(360)
      await page.setViewportSize({ width: 1280, height: 900 })
    }
    await page.goto(`${service.url}/app/`)
    await check('login')
    await logIn(page, service)
    for (const [path, part] of [
      ['/app/?filter=browser%7Cis%7CFirefox', 'Devices'],
      ['/app/explore?event=Order+Placed&by=person_id', 'Events of Order Placed by Person'],
      ['/app/explore?by=prop.plan&over=day', 'Events by plan, by day'],
      ['/app/vitals', 'Largest contentful paint (LCP) by page and device'],
      ['/app/errors', 'Newest'],
      ['/app/plan', 'What drifts'],
      ['/app/live?event=Order+Placed', 'Newest events'],
      ['/app/persons?filter=event%7Cis%7COrder+Placed', 'People'],
      ['/app/persons?id=user-4', 'Timeline'],
    ] as const) {
      await page.goto(`${service.url}${path}`)
      await expect(card(page, part)).toBeVisible()
      await expect(page.getByText('Asking …')).toHaveCount(0)
      await check(path)
    }
    // Who did not consent is somebody new each day, and counts in a funnel only when asked for.
    await page.goto(`${service.url}/app/funnel?step=%2Fmaps&step=%2Frefused`)
    await expect(card(page, 'Funnel')).toContainText('went no further')
    const bars = card(page, 'Funnel').getByRole('listitem')
    await expect(bars.nth(1)).toContainText('0 people')
    await page.getByRole('switch', { name: 'With visitors without consent' }).check()
    await expect(bars.nth(1)).toContainText('1 people')
    await check('a funnel with visitors without consent')
    await page.goto(`${service.url}/app/`)
    await expect(row(page, 'Crawlers', 'AI crawler GPTBot').getByRole('cell')).toHaveText(['2', '2', /\d/])
    await row(page, 'Crawlers', 'AI crawler GPTBot').click()
    await expect(row(page, 'Crawlers', '/pricing')).toBeVisible()
    await check('what a crawler read')
    await page.getByRole('button', { name: 'More: Totals' }).click()
    await page.getByRole('button', { name: 'SQL: Totals' }).click()
    await check('the dialog of a statement')
    await context.close()
  })
})
