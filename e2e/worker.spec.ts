import { bundle } from './fixtures/bundle'
import { serveSite } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test('a service worker delivers its events, as the visitor that the pages know', async ({
  page,
  service,
}) => {
  const site = await serveSite({
    endpoint: service.url,
    scripts: { '/serviceWorker.js': await bundle('serviceWorker.js') },
  })
  try {
    await page.goto(site.url)
    await waymarkOf(page).loaded()
    await expect.poll(service.events).toEqual(['$pageview'])
    const { deviceId, anonymousId } = await waymarkOf(page).ids()

    const status = await page.evaluate(async (endpoint) => {
      const script = `/serviceWorker.js?endpoint=${encodeURIComponent(endpoint)}`
      // The page's policy asks for a value that a policy has made.
      const policy = (
        window as unknown as {
          trustedTypes: {
            createPolicy(name: string, rules: object): { createScriptURL(url: string): string }
          }
        }
      ).trustedTypes.createPolicy('journey', { createScriptURL: (url: string) => url })
      await navigator.serviceWorker.register(policy.createScriptURL(script))
      const { active } = await navigator.serviceWorker.ready
      return new Promise((resolve) => {
        navigator.serviceWorker.onmessage = ({ data }) => resolve(data)
        active!.postMessage('Push Received')
      })
    }, service.url)

    expect(status).toBe('accepted')
    const rows = `SELECT device_id, distinct_id, properties->>'$."$url"', properties->>'$."$viewport"'
      FROM events WHERE event = 'Push Received'`
    await expect.poll(() => service.sql(rows)).toEqual([[deviceId, anonymousId, `${site.url}/`, null]])
  } finally {
    await site.close()
  }
})
