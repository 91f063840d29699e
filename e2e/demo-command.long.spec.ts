import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'

const root = fileURLToPath(new URL('..', import.meta.url))

let folder: string
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-demo-'))
})
test.afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

/** Runs `npm run demo` with flags, until it has printed its addresses. */
async function runDemo(...flags: string[]) {
  const args = ['scripts/demo.mjs', '--port', '0', '--data', join(folder, 'data'), ...flags]
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  const child = spawn(process.execPath, args, { cwd: root, env })
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const hasEnded = () => child.exitCode !== null
  await until(() => hasEnded() || output.includes('Ctrl-C'), true)
  const address = (name: string) => new RegExp(`${name} +(http:\\S+)`).exec(output)?.[1] ?? ''
  return {
    output: () => output,
    shop: address('The shop'),
    service: address('The service'),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

test.describe('npm run demo', () => {
  test('--open opens the shop, and the printed address of the service opens a page', async ({ page }) => {
    // What stands in for the machine's browser notes what it was asked to open.
    await writeFile(join(folder, 'xdg-open'), `#!/bin/sh\necho "$1" > "${folder}/opened"\n`)
    await chmod(join(folder, 'xdg-open'), 0o755)
    const demo = await runDemo('--open')
    try {
      const opened = () => readFile(join(folder, 'opened'), 'utf8').catch(() => '')
      await until(opened, `${demo.shop}\n`)
      await page.goto(demo.service)
      await expect(page).toHaveURL(`${demo.service}/app/`)
    } finally {
      await demo.stop()
    }
  })

  test('--host 0.0.0.0 lets other machines use all of it, the SQL box too', async ({ page }) => {
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    // Where there is no network, this machine's own address is all that there is.
    const outer = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
    const demo = await runDemo('--host', '0.0.0.0')
    try {
      const shop = demo.shop.replace('127.0.0.1', outer ?? 'localhost')
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(`${shop}/maps/elderwood`)
      await expect(page.locator('#n-stored')).toHaveText('2')
    } finally {
      await demo.stop()
    }
  })

  test('says what is wrong with a host that is not of this machine', async () => {
    const demo = await runDemo('--host', '203.0.113.7')
    expect(demo.output()).toMatch(
      /--host 203\.0\.113\.7 cannot be used: .*It takes an address of this machine\./,
    )
  })
})
