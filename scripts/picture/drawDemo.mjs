// node scripts/picture/drawDemo.mjs: draws docs/demo.png anew, the picture of the demo in the README. It starts the
// demo with empty data, walks through the shop in Chromium, and takes the picture.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from '../setup/root.mjs'
import { takePicture } from './takePicture.mjs'

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

await takePicture('docs/demo.png', startDemo, visit)
