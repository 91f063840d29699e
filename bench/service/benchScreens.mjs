import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { chromium } from 'playwright'
import { ensureBrowser } from '../../scripts/setup.mjs'
import { eventBody } from './eventBody.mjs'
import { openShop, sizes } from './openShop.mjs'
import { startService } from './startProcess.mjs'

const folder = fileURLToPath(new URL('../../server/dist/screens/', import.meta.url))
const visits = 7

const weigh = () => {
  const files = [
    join(folder, 'index.html'),
    ...readdirSync(join(folder, 'assets')).map((name) => join(folder, 'assets', name)),
  ]
  return files.reduce((bytes, file) => bytes + brotliCompressSync(readFileSync(file)).length, 0)
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** The times of a first visit, with nothing in the browser's cache: until the form is painted, and from the login until the figures are there. */
const visit = async (browser, url) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url)
  await page.getByLabel('Name').fill('a')
  await page.getByLabel('Password').fill('b')
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0].startTime,
  )
  const began = performance.now()
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: /^People/ }).waitFor()
  const figuresMs = performance.now() - began
  await context.close()
  return { paintMs, figuresMs }
}

/** A month and the month before, of which no answer is in the cache. */
const visitShop = async (browser, millions) => {
  const service = await startService([], undefined, await openShop(millions))
  const { figuresMs } = await visit(
    browser,
    `${service.url}/app/?range=custom&from=2025-11-01&until=2025-11-30`,
  )
  await service.stop()
  const mostMs = 1000
  return [
    `screens: from the login to the figures of a month, ${millions} M events`,
    `≤ ${mostMs / 1000} s`,
    `${figuresMs.toFixed(0)} ms`,
    figuresMs <= mostMs,
  ]
}

/** What the screens weigh, and how soon they are there. */
export const benchScreens = async () => {
  const service = await startService()
  const send = (n) =>
    fetch(`${service.url}/track?apiKey=key&sync=true`, { method: 'POST', body: eventBody(n) })
  for (let n = 0; n < 500; n++) await send(n)
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: ['--no-sandbox'] })
  const found = []
  for (let n = 0; n < visits; n++) found.push(await visit(browser, `${service.url}/app/`))
  await service.stop()
  const shops = []
  for (const size of sizes) shops.push(await visitShop(browser, size))
  await browser.close()
  const bytes = weigh()
  const paintMs = median(found.map((each) => each.paintMs))
  const figuresMs = median(found.map((each) => each.figuresMs))
  return [
    ['screens: all files, brotli', '≤ 150 kB', `${(bytes / 1000).toFixed(1)} kB`, bytes <= 150_000],
    [
      `screens: first contentful paint, median of ${visits} first visits`,
      '≤ 1 s',
      `${paintMs.toFixed(0)} ms`,
      paintMs <= 1000,
    ],
    [
      'screens: from the login to the figures of 10,000 events',
      '≤ 1 s',
      `${figuresMs.toFixed(0)} ms`,
      figuresMs <= 1000,
    ],
    ...shops,
  ]
}
