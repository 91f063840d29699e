// node scripts/screenshot.mjs: buys something in the demo's shop and draws the shop beside its live view, as docs/demo.png.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { createServiceSwitch } from '../demo/server/createServiceSwitch.mjs'
import { startDemo } from '../demo/server/startDemo.mjs'
import { ensureBrowser, ensureBuilt } from './setup.mjs'
import { root } from './setup/root.mjs'

await ensureBuilt()
const executablePath = await ensureBrowser()
const data = await mkdtemp(join(tmpdir(), 'waymark-screenshot-'))
const serviceSwitch = await createServiceSwitch({
  port: 0,
  data,
  apiKeys: 'demo-key',
  users: 'demo:demo',
  log: () => {},
})
const { url: endpoint } = serviceSwitch
const settings = {
  endpoint,
  apiKey: 'demo-key',
  environment: 'production',
  sqlUser: 'demo',
  sqlPassword: 'demo',
}
const demo = await startDemo({ settings, serviceSwitch })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme: 'light' })
  await page.goto(`${demo.url}/maps/elderwood`)
  await page.getByRole('button', { name: /Put in the basket/ }).click()
  await page.getByText('Elderwood is in the basket.').waitFor()
  await page.goto(`${demo.url}/maps/elderwood`)
  // The rows that those pages have sent are drawn.
  await page.locator('#latest').getByText('Added to Basket').waitFor()
  await page.screenshot({ path: join(root, 'docs/demo.png') })
} finally {
  await browser.close()
  await demo.close()
  await serviceSwitch.close()
  await rm(data, { recursive: true, force: true })
}
