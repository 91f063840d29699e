import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

const wrong = [
  {
    what: 'API key',
    serviceSettings: { apiKeys: 'another-key' },
    corrected: { apiKeys: 'another-key,test-key' },
    message: /API key/,
  },
  {
    what: 'environment',
    serviceSettings: { environments: 'staging' },
    corrected: { environments: 'staging,production' },
    message: /environment "production"/,
  },
]

for (const { what, serviceSettings, corrected, message } of wrong) {
  test.describe(`an ${what} that the service does not know`, () => {
    test.use({ serviceSettings })

    test('loses nothing, is told once in the console, and is delivered when it is known', async ({
      page,
      shop,
      service,
      complaints,
    }) => {
      await page.goto(`${shop}/maps/saltmarsh-way`)
      await waymarkOf(page).loaded()
      await expect.poll(async () => (await waymarkOf(page).stats()).state).toBe('paused')
      await waymarkOf(page).track('While Refused')
      expect(await waymarkOf(page).stats()).toMatchObject({ queued: 3, sent: 0, dropped: {} })
      const told = complaints.filter((text) => text.includes('[waymark]'))
      expect(told).toEqual([expect.stringMatching(message)])

      await service.stop()
      await service.start(corrected)
      await page.reload()
      const expected = ['$pageview', 'Map Viewed', 'While Refused', '$pageview', 'Map Viewed']
      await expect.poll(service.events, { timeout: 30_000 }).toEqual(expected)
    })
  })
}
