import { waitForEvent } from '../src/adapters/testing'
import { serveSite } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test.describe('waitForEvent', () => {
  test('resolves to the payload when the service has accepted it, not while it refuses', async ({
    page,
    service,
  }) => {
    const site = await serveSite({ endpoint: service.url })
    try {
      let isDown = true
      await page.route('**/track?*', (route) =>
        isDown && route.request().method() === 'POST'
          ? route.fulfill({ status: 503, headers: { 'access-control-allow-origin': '*' } })
          : route.continue(),
      )
      await page.goto(site.url)
      await waymarkOf(page).loaded()
      let isThere = false
      const accepted = waitForEvent(page, 'Plan Chosen').then((event) => {
        isThere = true
        return event
      })
      await waymarkOf(page).track('Plan Chosen', { plan: 'pro' })
      await page.waitForResponse((response) => response.status() === 503)
      expect(isThere).toBe(false)
      isDown = false
      await page.evaluate(() => dispatchEvent(new Event('online')))

      expect(await accepted).toMatchObject({ event: 'Plan Chosen', properties: { plan: 'pro' } })
      await expect.poll(service.events).toContain('Plan Chosen')
    } finally {
      await site.close()
    }
  })

  test('ends after its time when there is no such event', async ({ page, service }) => {
    const site = await serveSite({ endpoint: service.url })
    try {
      const missing = waitForEvent(page, 'Never', { timeoutMs: 1000 }).catch((error: Error) => error.message)
      await page.goto(site.url)
      await waymarkOf(page).loaded()
      await waymarkOf(page).track('Another')
      expect(await missing).toMatch(/timeout/i)
    } finally {
      await site.close()
    }
  })
})
