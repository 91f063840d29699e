// node scripts/screenshot.mjs: draws docs/demo.png anew, the picture of the demo in the README. It starts the demo with
// empty data, walks through the shop in Chromium, and takes the picture.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { ensureBrowser } from './setup.mjs'
import { reduceColours } from './setup/reduceColours.mjs'
import { root } from './setup/root.mjs'

const picture = join(root, 'docs/demo.png')
const mostBytes = 150_000

/** Starts the demo and gives the shop's address. @param {string} data */
async function startDemo(data) {
  const args = [join(root, 'scripts/demo.mjs'), '--port', '0', '--data', data]
  const demo = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(demo, 'close')
  let output = ''
  for await (const text of demo.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += text
    if (output.includes('Ctrl-C')) break
  }
  const url = /The shop +(\S+)/.exec(output)?.[1]
  if (!url) throw new Error(`The demo did not start.\n${output}`)
  const stop = async () => {
    demo.kill('SIGTERM')
    await ended
  }
  return { url, stop }
}

/** One visitor looks at two maps, signs up and buys. @param {import('playwright').Page} page @param {string} url */
async function visit(page, url) {
  const put = page.getByRole('button', { name: /Put in the basket/ })
  await page.goto(`${url}/maps/elderwood`)
  await put.click()
  await page.goto(`${url}/join`)
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.waitForURL(`${url}/`)
  await page.goto(`${url}/basket`)
  await page.getByRole('button', { name: /Order/ }).click()
  await page.waitForURL(`${url}/thanks`)
  await page.goto(`${url}/maps/kettle-tarn`)
  await put.click()
  // All that was done is in DuckDB, and on the screen.
  const latest = page.getByRole('region', { name: 'Latest rows' })
  await latest.getByRole('row').nth(1).getByText('Added to Basket').waitFor()
  await page.locator('#n-queued').getByText('0', { exact: true }).waitFor()
}

const data = await mkdtemp(join(tmpdir(), 'waymark-picture-'))
const demo = await startDemo(data)
try {
  const executablePath = await ensureBrowser()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 880 }, colorScheme: 'light' })
    await visit(page, demo.url)
    const drawn = await page.screenshot()
    await page.goto('about:blank')
    await writeFile(picture, await reduceColours(page, drawn))
  } finally {
    await browser.close()
  }
  const { size } = await stat(picture)
  console.log(`docs/demo.png: ${size} bytes`)
  if (size > mostBytes) throw new Error(`The picture has more than ${mostBytes} bytes.`)
} finally {
  await demo.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
