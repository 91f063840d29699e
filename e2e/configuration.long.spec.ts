import { serveSite } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

const wrong = [
  {
    what: 'API key',
    serviceSettings: { apiKeys: 'another-key' },
    corrected: { apiKeys: 'another-key,test-key' },
    message: /unauthorized: /,
  },
  {
    what: 'environment',
    serviceSettings: { environments: 'staging' },
    corrected: { environments: 'staging,production' },
    message: /environment-not-found: .*production/,
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
      await expect.poll(service.events).toEqual(expected)
    })
  })
}

test('data-debug names wrong options and puts errors into words, under a policy that allows no inline code', async ({
  page,
  service,
  complaints,
}) => {
  const site = await serveSite({
    endpoint: service.url,
    config: { enviroment: 'staging' },
    attributes: 'data-debug data-plugins="campaign nosuch"',
  })
  try {
    await page.goto(`${site.url}/?utm_source=letter`)
    await waymarkOf(page).loaded()
    await waymarkOf(page).track('')
    await expect.poll(service.events).toEqual(['$pageview'])
    const told = complaints.filter((text) => text.includes('[waymark]'))
    expect(told).toEqual([
      expect.stringMatching(/unknown-option: .*"enviroment".*"environment"/),
      expect.stringMatching(/invalid-event-name: An event was refused/),
    ])
    // The one plugin that is there has loaded before the first page view, the other one stops nothing.
    const [row] = await service.sql(`SELECT properties FROM events`)
    expect(JSON.stringify(row)).toContain('first_utm_source')
  } finally {
    await site.close()
  }
})
