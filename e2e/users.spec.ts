import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect, type Page, test } from '@playwright/test'
import { writeUsers } from '../server/test/fixtures/usersFile'
import { createService } from './fixtures/createService'
import { expectAccessible } from './fixtures/expectAccessible'

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const row = (page: Page, name: string, text: string) =>
  card(page, name).getByRole('row').filter({ hasText: text })

test('an admin makes users and keys, replaces and withdraws them, by clicking', async ({ browser }) => {
  const data = await mkdtemp(join(tmpdir(), 'waymark-users-'))
  const file = join(data, 'users-of-a-flag.json')
  writeUsers(file, { root: ['of all evil', 'admin'] })
  const service = await createService(data, {
    environments: 'production,staging',
    more: [`--users-file=${file}`],
  })
  const { url } = service
  const contextOf = async (of: Browser, user?: string, password?: string) => {
    const context = await of.newContext({ bypassCSP: true, timezoneId: 'UTC' })
    if (user !== undefined)
      await context.request.post(`${url}/session`, { data: { user, password }, headers: { origin: url } })
    return context
  }
  const page = await (await contextOf(browser, 'root', 'of all evil')).newPage()
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  const dialog = page.getByRole('dialog')
  const shown = async () => {
    const value = await dialog.getByLabel('Copy it now').inputValue()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(dialog).toHaveCount(0)
    return value
  }
  const isTaken = async (key: string, environment = 'production') => {
    const response = await fetch(`${url}/track`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ event: 'Seen', environment, properties: {}, distinct_id: 'a' }),
    })
    return response.status
  }

  await page.goto(`${url}/app/setup`)
  await expect(row(page, 'Users', 'tester')).toContainText('--users')
  await expect(row(page, 'Users', 'tester').getByRole('button')).toHaveCount(0)
  await expect(row(page, 'API keys', 'test-key')).toContainText('--api-keys')

  const [guest, invited] = await test.step('an invitation', async () => {
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByLabel('Name').fill('zoe')
    await dialog.getByRole('button', { name: 'Make a link' }).click()
    const link = await shown()
    await expect(card(page, 'Users').getByRole('table', { name: 'Open invitations' })).toContainText('zoe')
    const context = await contextOf(browser)
    const her = await context.newPage()
    await her.goto(link)
    await expect(her.getByLabel('Name')).toHaveValue('zoe')
    await expectAccessible(her, 'an invitation')
    await her.getByLabel('Password, 8').fill('a password of hers')
    await her.getByRole('button', { name: 'Set it and log in' }).click()
    await expect(her.getByRole('button', { name: 'Log out' })).toBeVisible()
    expect(her.url()).toBe(`${url}/app/`)
    return [her, link] as const
  })
  await test.step('a link that was used says so', async () => {
    const stranger = await (await contextOf(browser)).newPage()
    await stranger.goto(invited)
    await expect(stranger.getByRole('alert')).toContainText('This link is no longer good')
  })
  await test.step('her own password', async () => {
    await guest.goto(`${url}/app/setup`)
    await expect(guest.getByText('Users who may write see keys and users here.')).toBeVisible()
    await guest.getByRole('button', { name: 'Change my password' }).click()
    await guest.getByLabel('Old password').fill('a guess')
    await guest.getByLabel('New password').fill(' with blanks around ')
    await guest.getByRole('button', { name: 'Save' }).click()
    await expect(guest.getByRole('alert')).toHaveText('The old password is wrong.')
    await guest.getByLabel('Old password').fill('a password of hers')
    await guest.getByRole('button', { name: 'Save' }).click()
    await expect(guest.getByRole('dialog')).toHaveCount(0)
    const given = { user: 'zoe', password: ' with blanks around ' }
    const login = await guest.request.post(`${url}/session`, { data: given, headers: { origin: url } })
    expect(login.status()).toBe(200)
  })
  await test.step('a role', async () => {
    await page.getByLabel('Role of zoe').selectOption('write')
    await expect(card(page, 'Who changed what')).toContainText('changed the role of zoe (reads and writes)')
    await guest.reload()
    await expect(card(guest, 'API keys')).toContainText('test-key')
  })

  await test.step('keys', async () => {
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog.getByLabel('Name').fill('the shop')
    await dialog.getByLabel('all environments').uncheck()
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('Choose an environment.')
    await dialog.getByLabel('production').check()
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    const key = await shown()
    expect(await isTaken(key)).toBe(200)
    await expect(row(page, 'API keys', 'the shop')).toContainText(key)
    await expectAccessible(page, 'users and keys')
    await page.getByRole('button', { name: 'Replace: the shop' }).click()
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await expect(dialog).toContainText('The old key works until')
    const next = await shown()
    expect([await isTaken(key), await isTaken(next)]).toEqual([200, 200])
    await expect(row(page, 'API keys', key)).toContainText('replaced, works until')
    await row(page, 'API keys', key).getByRole('button', { name: 'Withdraw' }).click()
    await dialog.getByRole('button', { name: 'Withdraw' }).click()
    await expect(row(page, 'API keys', key)).toHaveCount(0)
    expect([await isTaken(key), await isTaken(next)]).toEqual([401, 200])
  })

  await test.step('environments', async () => {
    await page.getByRole('button', { name: 'New environment' }).click()
    await dialog.getByLabel('Name').fill('production')
    await dialog.getByRole('button', { name: 'Add it' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('There is an environment "production" already.')
    await dialog.getByLabel('Name').fill('preview')
    await expectAccessible(page, 'a new environment')
    await dialog.getByRole('button', { name: 'Add it' }).click()
    await expect(row(page, 'Environments', 'preview')).toContainText('test-key')
    expect(await isTaken('test-key', 'preview')).toBe(200)
    await expect(row(page, 'Environments', 'staging').getByRole('button')).toHaveCount(0)
    await page.getByRole('button', { name: 'Environments: the shop' }).click()
    await dialog.getByLabel('preview').check()
    await expectAccessible(page, 'the environments of a key')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(row(page, 'API keys', 'the shop')).toContainText('production, preview')
    await page.getByRole('button', { name: 'Withdraw: the environment preview' }).click()
    await dialog.getByRole('button', { name: 'Withdraw' }).click()
    await expect(row(page, 'Environments', 'preview')).toContainText('takes no events since')
    expect(await isTaken('test-key', 'preview')).toBe(400)
    await page.reload()
    await page.getByLabel('Environment').selectOption('preview')
    await page.getByRole('button', { name: 'Use again: the environment preview' }).click()
    await expect(row(page, 'Environments', 'preview')).toContainText('test-key')
    await expect(card(page, 'Who changed what')).toContainText('added the environment preview')
    expect(await isTaken('test-key', 'preview')).toBe(200)
  })

  await test.step('on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await expectAccessible(page, 'users and keys on a phone')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  await test.step('her end', async () => {
    await page.getByRole('button', { name: 'Remove: zoe' }).click()
    await expectAccessible(page, 'a question')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(card(page, 'Users')).not.toContainText('zoe')
    await guest.reload()
    await expect(guest.getByRole('heading', { name: 'Log in' })).toBeVisible()
  })
  expect(problems).toEqual([])
  await page.context().close()
  await guest.context().close()
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})
