import { readFileSync } from 'node:fs'
import { packSpa } from './fixtures/packSpa'
import { serveSpa } from './fixtures/serveSpa'
import { expect, test } from './fixtures/test'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

test.describe('the packed tarball in a bundled application', () => {
  test.use({ serviceSettings: { environments: 'production,staging' } })
  let packed: Awaited<ReturnType<typeof packSpa>>
  test.beforeAll(async () => {
    packed = await packSpa()
  })
  test.afterAll(() => packed.remove())

  test('tracks routes, calls made before init, and two instances apart', async ({
    page,
    service,
    complaints,
  }) => {
    const spa = await serveSpa(packed.code, service.url)
    try {
      await page.goto(`${spa.url}/start?utm_source=letter&token=secret`)
      await page.getByRole('link', { name: 'Notes' }).click()
      await page.getByRole('link', { name: 'Seventh' }).click()
      await page.goBack()
      await expect(page.locator('#where')).toHaveText('/notes')
      await page.getByRole('button').click()
      await expect(page.locator('output')).toHaveText('accepted')

      const routes = `SELECT properties->>'route', properties->>'$."$url"' FROM events
        WHERE event = '$pageview' ORDER BY timestamp`
      await expect
        .poll(() => service.sql(routes))
        .toEqual([
          ['/start', `${spa.url}/start?utm_source=letter`],
          ['/notes', `${spa.url}/notes`],
          ['/notes/7', `${spa.url}/notes/7`],
          ['/notes', `${spa.url}/notes`],
        ])
      const others = `SELECT event, environment, properties->>'words', properties->>'when',
          properties->>'$."$release"', properties->>'$."$lib_version"'
        FROM events WHERE event <> '$pageview' ORDER BY event`
      await expect
        .poll(() => service.sql(others))
        .toEqual([
          ['Before Init', 'production', null, null, '2.1.0', manifest.version],
          ['Saved', 'production', '12', '1970-01-01T00:00:00.000Z', '2.1.0', manifest.version],
          ['Saved Elsewhere', 'staging', null, null, null, manifest.version],
        ])
      expect(complaints).toEqual([])
    } finally {
      await spa.close()
    }
  })

  test('is built of the published file and the two dependencies, of nothing else', () => {
    const packages = new Set(packed.modules.map((path) => path.replace(/\/.*/, '')))
    expect([...packages].toSorted()).toEqual(['idb-keyval', 'nanoid', 'waymark'])
    expect(packed.modules).toContain('waymark/dist/waymark.js')
  })
})
