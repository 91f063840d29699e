import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Page, expect, test } from '@playwright/test'
import { createService, type Service } from './fixtures/createService'
import { send, sendShopVisits, shopVisits } from './fixtures/shopVisits'

/** Orders lack their total, and nobody has planned that maps are viewed. */
const plan = {
  events: { 'Order Placed': { type: 'object', required: ['total'] } },
  traits: { type: 'object', properties: { name: {}, email: {}, seats: { type: 'number' } } },
}

let data: string
let service: Service
test.beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'waymark-plan-'))
  await writeFile(join(data, 'plan.json'), JSON.stringify(plan))
  service = await createService(data, { more: ['--plan', join(data, 'plan.json')] })
  await sendShopVisits(service.url)
  const carl = { environment: 'production', distinct_id: 'carl', traits: { seats: '3' } }
  await send(service.url, '/identify', [carl])
})
test.afterAll(async () => {
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const row = (page: Page, cardName: string, name: string) =>
  card(page, cardName)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) })

test('list what is not as the plan has it, sorted by any column', async ({ page }) => {
  const count = (name: string) => shopVisits.filter((visit) => visit.events.includes(name)).length
  await page.goto(`${service.url}/app/plan?range=90d`)
  await page.getByLabel('Name').fill(service.user)
  await page.getByLabel('Password').fill(service.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(card(page, 'Events and the plan')).toContainText(
    `fit the plan: ${count('Map Viewed')} are not in it, ${count('Order Placed')} are not as it says.`,
  )
  const names = card(page, 'What drifts').getByRole('rowheader')
  await expect(names).toHaveText(['Map Viewed', 'Order Placed', 'Traits of users'])
  await expect(card(page, 'Events and the plan')).toContainText('What was said of users did not fit it once.')
  await expect(row(page, 'What drifts', 'Traits of users')).toContainText(/seats.*must be a number/)
  await expect(row(page, 'What drifts', 'Order Placed')).toContainText(/total.*is missing/)
  await expect(row(page, 'What drifts', 'Map Viewed')).toContainText('is not in the plan')

  const byEvent = card(page, 'What drifts').getByRole('button', { name: 'Event', exact: true })
  await byEvent.click()
  await byEvent.click()
  await expect(names).toHaveText(['Order Placed', 'Map Viewed', 'Traits of users'])
  await expect(page.getByRole('columnheader', { name: 'Event', exact: true })).toHaveAttribute(
    'aria-sort',
    'descending',
  )
  await row(page, 'What drifts', 'Order Placed').getByRole('button').click()
  await expect(names).toHaveText(['Order Placed'])
  await page.goto(`${service.url}/app/plan?filter=event%7Cis%7C%24pageview`)
  await expect(card(page, 'Events and the plan')).toContainText('of this time fit the plan.')
  await page.goto(`${service.url}/app/plan?filter=event%7Cis%7CNone`)
  await expect(card(page, 'Events and the plan')).toContainText(
    'None of the events that the filters leave was compared with a plan.',
  )
  await expect(card(page, 'What drifts')).toHaveCount(0)
})
