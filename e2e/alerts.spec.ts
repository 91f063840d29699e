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
  const received: { kind: string; alert: string; value: number; text: string }[] = []
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
    await page.getByRole('button', { name: 'More: Events by Browser' }).click()
    await expectAccessible(page, 'the menu of a card')
    await page.getByRole('button', { name: 'Alert: Events by Browser' }).click()
    await dialog.getByLabel('of Value').selectOption('Chrome')
    await dialog.getByLabel('Tell me when it').selectOption('is above')
    await dialog.getByLabel('Number').fill('0')
    await dialog.getByLabel('Time').selectOption('Last full week')
    await dialog.getByLabel('Send to').selectOption('A webhook')
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

  await test.step('a digest is filled from cards, and loses a figure', async () => {
    const add = async (path: string, title: string) => {
      await page.goto(`${url}/app/${path}`)
      await page.getByRole('button', { name: `More: ${title}` }).click()
      await page.getByRole('button', { name: `Alert: ${title}` }).click()
      await dialog.getByLabel('Tell me when it').selectOption('in any case, as a digest')
      // Which alerts there are is known by then.
      await expect(dialog.getByLabel('Send to')).toHaveValue('as:Events by Browser')
    }
    const saveIt = async () => {
      await dialog.getByRole('button', { name: 'Save' }).click()
      await expect(dialog).toHaveCount(0)
    }
    await add('explore?by=browser&over=total', 'Events by Browser')
    await dialog.getByLabel('Name').fill('The week')
    await saveIt()
    await add('explore?event=Signed+Up', 'Events of Signed Up by day')
    await dialog.getByRole('combobox', { name: 'Digest', exact: true }).selectOption('The week')
    await expect(dialog.getByLabel('Name')).toHaveCount(0)
    await expectAccessible(page, 'a figure for a digest')
    await saveIt()
    await page.goto(`${url}/app/alerts`)
    const digest = page.getByRole('row', { name: /^The week/ }).first()
    await expect(digest).toContainText('Events by Browser · Events of Signed Up by day')
    await page.getByRole('button', { name: 'The week', exact: true }).click()
    await expectAccessible(page, 'a digest of two figures')
    await dialog.getByRole('button', { name: 'Send a test now' }).click()
    await expect(dialog.getByRole('status').last()).toContainText('Sent.')
    expect(received.at(-1)).toMatchObject({ kind: 'test', alert: 'The week' })
    expect(received.at(-1)!.text).toContain('Events of Signed Up by day')
    await dialog.getByRole('button', { name: 'Take out: Events by Browser' }).click()
    await expect(dialog.getByLabel('Question')).toHaveValue('Events of Signed Up by day')
    await saveIt()
    await expect(digest).not.toContainText('Events by Browser')
  })

  await context.close()
  await service.stop()
  receiver.close()
  await rm(data, { recursive: true, force: true })
})
