// node scripts/picture/drawPages.mjs [name …]: draws each page of the screens, on a desktop and a phone, in light and in
// dark, into .cache/pages, for somebody to look at.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { sendShop } from '../../e2e/fixtures/shop.mjs'
import { ensureBrowser, ensureBuilt } from '../setup.mjs'
import { root } from '../setup/root.mjs'
import { startService } from '../startService.mjs'

const steps = 'step=Product+Viewed&step=Added+to+Cart&step=Order+Placed'
const filters = 'filter=device%7Cis%7Cphone&filter=country%7Cin%7CDE%7CFR'
/** What each picture shows: the part of the address behind `/app/`. */
const pages = {
  overview: '',
  filtered: `?${filters}`,
  explore: 'explore?by=country',
  'explore-time': 'explore?event=Order+Placed&over=day&by=prop.product',
  live: 'live',
  people: 'persons',
  person: 'persons?id=user-1',
  funnel: `funnel?${steps}&by=%24device`,
  retention: 'retention?first=%24pageview&range=90d',
  paths: 'paths',
  vitals: 'vitals',
  errors: 'errors',
  plan: 'plan',
  sql: 'sql?q=SELECT+event%2C+count(*)+FROM+events+GROUP+BY+1+ORDER+BY+2+DESC',
  boards: 'boards',
  bots: 'bots',
  alerts: 'alerts',
  setup: 'setup',
}
const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }

const wanted = process.argv.slice(2)
const folder = join(root, '.cache/pages')
await mkdir(folder, { recursive: true })
await ensureBuilt()
const data = await mkdtemp(join(tmpdir(), 'waymark-pages-'))
const service = await startService({ data, apiKeys: 'picture', users: 'ada:lovelace' })
try {
  await sendShop(service.url, 'picture')
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: ['--no-sandbox'] })
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const context = await browser.newContext({ viewport, colorScheme, timezoneId: 'Europe/Berlin' })
      await context.request.post(`${service.url}/session`, {
        data: { user: 'ada', password: 'lovelace' },
        headers: { origin: service.url },
      })
      const page = await context.newPage()
      for (const [name, address] of Object.entries(pages)) {
        if (wanted.length > 0 && !wanted.includes(name)) continue
        await page.goto(`${service.url}/app/${address}`)
        if (name === 'sql') await page.getByRole('button', { name: 'Run' }).click()
        await page.waitForLoadState('networkidle')
        await page.locator('.card').first().waitFor()
        const file = join(folder, `${name}-${size}-${colorScheme}.png`)
        await page.screenshot({ path: file, fullPage: true })
        console.log(file)
      }
      await context.close()
    }
  await browser.close()
} finally {
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
