import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from '@playwright/test'
import { expectAccessible } from './fixtures/expectAccessible'
import { createService } from './fixtures/createService'
import { sendShopVisits } from './fixtures/shopVisits'

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

test('an alert is made of a card, tested, seen to fire, and paused; a second one takes one click', async ({
  browser,
}) => {
  const received: { kind: string; alert: string; value: number }[] = []
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      received.push(JSON.parse(body) as (typeof received)[number])
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const data = await mkdtemp(join(tmpdir(), 'waymark-alerts-'))
  const service = await createService(data, { more: ['--webhook-hosts', host] })
  await sendShopVisits(service.url)
  const { user, password, url } = service
  const context = await browser.newContext({ bypassCSP: true, timezoneId: 'UTC' })
  await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
  const page = await context.newPage()
  const dialog = page.getByRole('dialog')

  await test.step('a card fills the form', async () => {
    await page.goto(`${url}/app/explore?by=browser&over=total`)
    await page.getByRole('button', { name: 'Alert: Events by Browser' }).click()
    await dialog.getByLabel('of Value').selectOption('Chrome')
    await dialog.getByLabel('Tell me when it').selectOption('is above')
    await dialog.getByLabel('Number').fill('0')
    await dialog.getByLabel('Time').selectOption('Last full week')
    await dialog.getByLabel('Send to').selectOption('Another webhook')
    await dialog.getByLabel('Address of the webhook').fill(`http://${host}/hook`)
    await expectAccessible(page, 'the form of an alert')
    await dialog.getByRole('button', { name: 'Send a test now' }).click()
    await expect(dialog.getByRole('status').last()).toContainText('Sent.')
    expect(received).toMatchObject([{ kind: 'test', alert: 'Events by Browser' }])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toHaveCount(0)
  })

  await test.step('it fires, and the page tells what was found and sent', async () => {
    await expect.poll(() => received.at(-1)?.kind).toBe('fired')
    expect(received.at(-1)!.value).toBeGreaterThan(0)
    await page.goto(`${url}/app/alerts`)
    const alerts = page.getByRole('region', { name: 'Alerts', exact: true })
    await expect(alerts.getByRole('row', { name: /Events by Browser/ })).toContainText('Firing')
    const messages = page.getByRole('region', { name: 'Messages' })
    await expect(async () => {
      await page.getByRole('button', { name: 'Reload' }).click()
      await expect(messages.getByRole('row', { name: /Events by Browser/ })).toContainText('Sent', {
        timeout: 1000,
      })
    }).toPass()
    await expectAccessible(page, 'alerts')
    await alerts.getByRole('button', { name: 'Pause Events by Browser' }).click()
    await expect(alerts.getByRole('button', { name: 'Resume Events by Browser' })).toBeVisible()
  })

  await test.step('one click, and silence is told to the same receiver', async () => {
    await page.getByRole('button', { name: 'Alert me when events stop' }).click()
    await expect(
      page.getByRole('button', { name: 'Events of production have stopped', exact: true }),
    ).toBeVisible()
    await expect(page.getByRole('button', { name: 'Alert me when events stop' })).toHaveCount(0)
  })

  await context.close()
  await service.stop()
  receiver.close()
  await rm(data, { recursive: true, force: true })
})
