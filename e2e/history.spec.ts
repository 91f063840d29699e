import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { createService } from './fixtures/createService'
import { expectAccessible } from './fixtures/expectAccessible'

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

const orders = `Created,event,user_id,plan
2024-06-01T10:00:00Z,Ordered,ada,pro
2024-06-02T10:00:00Z,Ordered,bob,free
1717236000,Ordered,eve,
`
const sums = 'date,visitors,pageviews,visits\n2024-06-01,120,300,150\n2024-06-02,90,200,100\n'

test('history is brought, looked at before, drawn apart, and taken back', async ({ browser }) => {
  const data = await mkdtemp(join(tmpdir(), 'waymark-history-'))
  const service = await createService(data, {})
  const { user, password, url } = service
  try {
    const context = await browser.newContext({ timezoneId: 'UTC' })
    await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
    const page = await context.newPage()
    await page.goto(`${url}/app/setup`)
    const card = page.getByRole('region', { name: 'Bring your history' })
    const give = async (program: string, name: string, text: string) => {
      await card.getByRole('combobox', { name: 'from' }).selectOption(program)
      await card
        .getByLabel('file', { exact: true })
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
      await card.getByRole('button', { name: 'Look at it' }).click()
    }

    await test.step('a file whose columns are called otherwise', async () => {
      await give('Any file', 'orders.csv', orders)
      await expect(card.locator('p[role=status]')).toContainText('No column is called as a time')
    })
    await test.step('what would be stored and refused, then the import', async () => {
      await give('Any file', 'orders.csv', orders.replace('Created', 'time'))
      await expect(card).toContainText(
        '2 of 3 rows are events of about 2 people, from 2024-06-01 to 2024-06-02.',
      )
      await expect(card.getByRole('table', { name: 'Rows that are refused' })).toContainText(
        'a time in seconds, where milliseconds are read',
      )
      await expectAccessible(page, 'history that is read')
      await card.getByRole('combobox', { name: 'url' }).selectOption('plan')
      await card.getByRole('button', { name: 'Read with these columns' }).click()
      await expect(card.getByRole('combobox', { name: 'url' })).toHaveValue('plan')
      await card.getByRole('button', { name: 'Import', exact: true }).click()
      await expect(card.locator('p[role=status]')).toContainText('Imported.')
      await expect(card.getByRole('table', { name: 'Imports' })).toContainText('2024-06-02')
    })
    await test.step('sums are drawn dotted, and nobody is counted by them', async () => {
      await give('Plausible', 'imported_visitors_20240601_20240602.csv', sums)
      await expect(card).toContainText('2 of 2 rows are sums of days')
      await card.getByRole('button', { name: 'Import', exact: true }).click()
      await expect(card.locator('p[role=status]')).toContainText('Imported.')
      await page.goto(`${url}/app/?range=custom&from=2024-06-01&until=2024-06-10`)
      const chart = page.getByRole('region', { name: 'People over time' })
      await expect(chart).toContainText('Plausible’s own sums')
      await expect(chart).toContainText('it is in no other figure here')
      await expect(page.getByRole('region', { name: 'Totals', exact: true })).not.toContainText('120')
    })
    await test.step('each import is taken back', async () => {
      await page.goto(`${url}/app/setup`)
      const buttons = card.getByRole('button', { name: 'Take back' })
      await expect(buttons).toHaveCount(2)
      await buttons.first().click()
      await expect(buttons).toHaveCount(1)
      await buttons.first().click()
      await expect(card).toContainText('Nothing was imported yet.')
    })
  } finally {
    await service.stop()
    await rm(data, { recursive: true, force: true })
  }
})
