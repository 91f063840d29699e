import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type Page, expect, test } from '@playwright/test'
import { freePort } from '../scripts/setup/freePort.mjs'
import { serveOnePage } from './fixtures/serveOnePage'
import { until } from './fixtures/until'

const root = fileURLToPath(new URL('..', import.meta.url))

let data: string
test.beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'waymark-first-'))
})
test.afterEach(() => rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

/** `npm run server` without a flag; the folder and the port are the test's own. */
async function runServer(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['scripts/server.mjs'], {
    cwd: root,
    env: { ...process.env, WAYMARK_DATA: data, WAYMARK_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await until(() => /ready at [^]*API key.*\n/.test(said) || child.exitCode !== null, true)
  return {
    url: /ready at (\S+)/.exec(said)?.[1] ?? '',
    link: /Open +(\S+)/.exec(said)?.[1] ?? '',
    user: /User +(\w+)/.exec(said)?.[1] ?? '',
    password: /password (\S+)/.exec(said)?.[1] ?? '',
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const person =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** Opens an address as a person's browser, whose name does not say that a program drives it. */
async function visit(browser: Browser, url: string) {
  const context = await browser.newContext({ userAgent: person })
  await (await context.newPage()).goto(url)
  return context
}

const note = (page: Page) => page.locator('.arrivals')
const axe = async (page: Page) => (await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)

test('from the start without a flag to the first row on a chart, by what the screens say', async ({
  browser,
  page,
}) => {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) complaints.push(message.text())
  })
  // It is started anew there.
  const port = String(await freePort())
  const server = await runServer({ WAYMARK_PORT: port })
  // The link logs in, and its token is in the address no more.
  await page.goto(server.link)
  await expect(note(page)).toContainText('Waiting for the first event.')
  expect(page.url()).toBe(`${server.url}/app/`)
  await expect(page.getByText('Nothing in this time')).toHaveCount(0)
  expect(await axe(page)).toEqual([])

  const snippet = await page.getByRole('region', { name: 'Snippet' }).innerText()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('region', { name: 'Snippet' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(snippet)

  const site = await serveOnePage(`<!doctype html><title>A shop</title>${snippet}`, '')
  try {
    // A browser that a program drives says so, and is told apart.
    const bot = await (await browser.newContext()).newPage()
    await bot.goto(`${site.url}/plans`)
    await expect(note(page)).toContainText('Only bots have come so far: $pageview from')

    const visitor = await visit(browser, `${site.url}/plans?utm_source=letter`)
    await expect(note(page)).toContainText(`Events arrive. The newest: $pageview from ${site.url}/plans`)
    await expect(note(page)).not.toContainText('campaign')
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Show the overview' }).click()
    await expect(page.getByRole('region', { name: 'Pages', exact: true })).toContainText('/plans')
    await visitor.close()
  } finally {
    await site.close()
  }
  expect(complaints).toEqual([])

  // The link is used up; the login goes on after a start anew, and so does the password.
  const other = await browser.newContext()
  const stranger = await other.newPage()
  await stranger.goto(server.link)
  await expect(stranger.getByRole('alert')).toContainText('This link is no longer good')
  await stranger.getByLabel('Name').fill(server.user)
  await stranger.getByLabel('Password').fill(server.password)
  await stranger.getByRole('button', { name: 'Log in' }).click()
  await expect(stranger.getByRole('heading', { name: 'Overview' })).toBeVisible()
  await server.stop()

  const again = await runServer({ WAYMARK_PORT: port })
  try {
    expect([again.url, again.link, again.password]).toEqual([server.url, `${server.url}/`, ''])
    await page.reload()
    await page.getByRole('link', { name: 'Set up' }).click()
    await expect(note(page)).toContainText('Events arrive.')
    await expect(page.getByRole('region', { name: 'API keys' })).toContainText(/pk_\S+/)
    await expect(page.getByRole('region', { name: 'Users' })).toContainText('admin')
    await expect(page.getByRole('region', { name: 'Environments' })).toContainText('for ever')
    expect(await axe(page)).toEqual([])
  } finally {
    await again.stop()
  }
})

test('what is in the way of the first event is said: another environment, a wrong key', async ({
  browser,
  page,
}) => {
  const server = await runServer({ WAYMARK_ENVIRONMENTS: 'production,staging' })
  try {
    await page.goto(server.link)
    const snippet = await page.getByRole('region', { name: 'Snippet' }).innerText()
    const wrong = snippet.replace(/data-api-key="[^"]+"/, 'data-api-key="pk_typo"')
    const elsewhere = snippet.replace('data-pageviews', 'data-environment="staging" data-pageviews')
    for (const [html, said] of [
      [wrong, /A request of a page of http:\/\/127\.0\.0\.1:\d+ was refused.*: The API key is wrong\./],
      [elsewhere, /production has no events, but staging has some. The newest: \$pageview from http/],
    ] as const) {
      const site = await serveOnePage(`<!doctype html><title>A shop</title>${html}`, '')
      const visitor = await visit(browser, site.url)
      await expect(note(page)).toContainText(said)
      await visitor.close()
      await site.close()
    }
    await page.getByRole('link', { name: 'Show staging' }).click()
    await expect(note(page)).toContainText('Events arrive.')
  } finally {
    await server.stop()
  }
})

test('both addresses of the base path keep a login', async ({ page }) => {
  const server = await runServer()
  try {
    const overview = page.getByRole('heading', { name: 'Overview' })
    await page.goto(server.link)
    for (const path of ['/w/app/', '/app/', '/w/app/']) {
      await expect(overview).toBeVisible()
      await page.goto(server.url + path)
    }
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Name').fill(server.user)
    await page.getByLabel('Password').fill(server.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect(overview).toBeVisible()
    await page.reload()
    await expect(overview).toBeVisible()
  } finally {
    await server.stop()
  }
})
