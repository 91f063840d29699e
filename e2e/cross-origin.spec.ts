import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { createService } from './fixtures/createService'

/** A service whose table holds one row. */
const startVictim = async () => {
  const data = await mkdtemp(join(tmpdir(), 'waymark-attack-'))
  const service = await createService(data, { apiKeys: 'key', origins: '' })
  await service.sql(`CREATE TABLE secret AS SELECT 'a row of secrets' AS word`)
  const stop = async () => {
    await service.stop()
    await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  return { ...service, stop }
}

/** A page of another port: the same site, as browsers see it, and another origin. */
const startAttacker = async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Attack</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

/** The operator's, of every service that the fixture starts. */
test.use({ httpCredentials: { username: 'tester', password: 'only-for-tests' } })

let victim: Awaited<ReturnType<typeof startVictim>>
let attacker: Awaited<ReturnType<typeof startAttacker>>
test.beforeEach(async () => {
  victim = await startVictim()
  attacker = await startAttacker()
})
test.afterEach(async () => {
  attacker.stop()
  await victim.stop()
})

test("a page of the same site can do nothing with the operator's cached password", async ({ page }) => {
  const { url, sql } = victim
  // The operator has looked at something of the service, so the browser knows the password.
  const seen = await page.goto(`${url}/query/00000000-0000-4000-8000-000000000000`)
  expect(seen?.status()).toBe(404)

  await page.goto(attacker.url)
  const attempts = await page.evaluate(async (service) => {
    const read = `SELECT * FROM secret`
    const drop = `DROP TABLE secret`
    const send = async (statement: string, init: RequestInit) => {
      try {
        const body = JSON.stringify({ statement })
        const response = await fetch(`${service}/query`, {
          method: 'POST',
          credentials: 'include',
          body,
          ...init,
        })
        return `${response.type} ${response.status} ${await response.text()}`
      } catch (error) {
        return String(error)
      }
    }
    return [
      await send(read, {}),
      await send(read, { headers: { 'content-type': 'application/json' } }),
      await send(drop, { mode: 'no-cors' }),
    ]
  }, url)
  const answered = page.waitForResponse((response) => response.request().resourceType() === 'document')
  await page.evaluate((service) => {
    const form = document.createElement('form')
    form.action = `${service}/query`
    form.method = 'POST'
    form.enctype = 'text/plain'
    form.target = 'frame'
    const field = document.createElement('input')
    field.name = '{"statement":"DROP TABLE secret","requested_by":"'
    field.value = '"}'
    form.append(field)
    const frame = document.createElement('iframe')
    frame.name = 'frame'
    document.body.append(frame, form)
    form.submit()
  }, url)
  await answered
  for (const attempt of attempts) expect(attempt).not.toContain('a row of secrets')
  // A beacon tells its page nothing, so wait until one that may be sent has arrived behind it.
  await page.evaluate((service) => {
    navigator.sendBeacon(`${service}/query`, JSON.stringify({ statement: 'DROP TABLE secret' }))
    const event = { environment: 'production', event: 'after', properties: {} }
    navigator.sendBeacon(`${service}/track?apiKey=key`, JSON.stringify(event))
  }, url)
  await expect.poll(() => sql('SELECT event FROM events')).toEqual([['after']])
  expect(await sql('SELECT * FROM secret')).toEqual([['a row of secrets']])
})
