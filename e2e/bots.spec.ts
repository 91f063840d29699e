import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { awayFromMidnight, midnightTimeoutMs } from './fixtures/awayFromMidnight'
import { createService } from './fixtures/createService'
import { expectAccessible } from './fixtures/expectAccessible'
import { send } from './fixtures/shopVisits'

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

const noon = new Date().setUTCHours(12, 0, 0, 0) - 86_400_000
const agent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36'

const visit = (id: string, { atMs = 0, pages = 1, visibleMs = 0, viewport = '800x600' } = {}) => {
  const did = (event: string, ms: number, properties: object) => ({
    ...{ environment: 'production', event, timestamp: noon + atMs + ms },
    ...{ anonymous_id: `v-${id}`, session_id: `s-${id}` },
    properties: { $user_agent: agent, $viewport: viewport, ...properties },
  })
  return [
    ...Array.from({ length: pages }, (_, n) =>
      did('$pageview', n * 1000, { $url: `https://shop.example/maps/${n % 5}` }),
    ),
    ...(visibleMs > 0 ? [did('Page Engaged', visibleMs, { visible_ms: visibleMs })] : []),
  ]
}
const many = (count: number, of: (n: number) => object[]) => Array.from({ length: count }, (_, n) => of(n))
const people = 12
const crowd = 24
const visits = [
  ...many(people, (n) => visit(`person-${n}`, { visibleMs: 90_000, viewport: '1440x900' })),
  ...many(crowd, (n) => visit(`program-${n}`, { atMs: n * 60_000 })),
  visit('headless', { pages: 45, viewport: '1x1' }),
  visit('later', { atMs: 7_200_000, visibleMs: 5000, viewport: '390x844' }),
]

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('suspects are looked at, left out of all figures, and counted again', async ({ browser }) => {
  test.setTimeout(test.info().timeout + midnightTimeoutMs)
  await awayFromMidnight()
  const data = await mkdtemp(join(tmpdir(), 'waymark-bots-'))
  const service = await createService(data, {})
  const { user, password, url } = service
  try {
    await send(url, '/track', visits.flat())
    const context = await browser.newContext({ bypassCSP: true, timezoneId: 'UTC' })
    await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
    const page = await context.newPage()
    const status = card(page, 'Suspects').getByText(/^Suspects (?:count|are left out) /)
    const figure = (name: string) =>
      card(page, 'Figures without them')
        .getByRole('row')
        .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
    const countPeople = async (count: number) => {
      await page.getByRole('link', { name: 'Overview', exact: true }).click()
      await expect(page.getByRole('listitem').filter({ hasText: 'People' }).first()).toContainText(
        String(count),
      )
      await page.getByRole('link', { name: 'Bots', exact: true }).click()
    }

    await page.goto(`${url}/app/bots`)
    await expect(status).toHaveText('Suspects count in all figures of production.')
    const reasons = card(page, 'Suspects').getByRole('row')
    await expect(reasons.filter({ hasText: 'many visits alike' })).toContainText(`${crowd}`)
    await expect(reasons.filter({ hasText: 'pages faster' })).toContainText('45')
    await expect(figure('People')).toContainText(`${people + crowd + 2}${people + 1}`)
    await expect(card(page, 'Examples').getByRole('row')).toHaveCount(1 + crowd + 1)
    await expectAccessible(page, 'suspects')

    await page.getByRole('button', { name: 'pages faster than people read' }).click()
    const examples = card(page, 'Examples: pages faster than people read')
    await expect(examples.getByRole('row')).toHaveCount(2)
    await expect(examples.getByRole('link', { name: 'v-headless' })).toBeVisible()

    await countPeople(people + crowd + 2)
    await page.getByRole('button', { name: 'Leave them out' }).click()
    await expect(status).toContainText('left out of all figures of production')
    await countPeople(people + 1)
    await expect(figure('People')).toContainText(`${people + crowd + 2}${people + 1}`)
    await page.getByRole('button', { name: 'Count them again' }).click()
    await expect(status).toHaveText('Suspects count in all figures of production.')
    await countPeople(people + crowd + 2)
  } finally {
    await service.stop()
    await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})
