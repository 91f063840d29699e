import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test.describe('a visit', () => {
  test('becomes rows with the page, the ids and the library’s version', async ({ page, shop, service }) => {
    await page.goto(shop)
    await waymarkOf(page).loaded()
    await page.getByRole('link', { name: 'Maps', exact: true }).click()
    // What a page calls is in an array until the script is there, and the array goes with the page.
    await page.waitForURL(`${shop}/maps`)
    await waymarkOf(page).loaded()
    await page.getByRole('link', { name: /Kettle Tarn/ }).click()
    await page.waitForURL(/kettle-tarn/)
    await waymarkOf(page).loaded()

    await expect.poll(service.events).toEqual(['$pageview', '$pageview', '$pageview', 'Map Viewed'])
    const { deviceId, anonymousId } = await waymarkOf(page).ids()
    const rows = await service.sql(
      `SELECT properties->>'$."$url"', device_id, distinct_id, environment, properties->>'$."$lib"'
       FROM events WHERE event = '$pageview' ORDER BY timestamp`,
    )
    expect(rows).toEqual(
      ['/', '/maps', '/maps/kettle-tarn'].map((path) => [
        shop + path,
        deviceId,
        anonymousId,
        'production',
        'waymark',
      ]),
    )
  })

  test('breaks no rule of the Content-Security-Policy and throws nothing into the page', async ({
    page,
    shop,
    service,
    complaints,
  }) => {
    for (const path of ['/', '/maps', '/maps/elderwood', '/basket', '/join', '/live'])
      await page.goto(shop + path)
    await expect.poll(service.events).toContain('Map Viewed')
    expect(complaints).toEqual([])
  })

  test('counts the choices of the single-page part, back and forward included', async ({
    page,
    shop,
    service,
  }) => {
    await page.goto(`${shop}/maps`)
    await page.getByRole('link', { name: 'Coast', exact: true }).click()
    await expect(page.getByText('2 sheets')).toBeVisible()
    await page.getByRole('link', { name: 'Moor', exact: true }).click()
    await page.goBack()
    await expect(page).toHaveURL(/terrain=coast/)

    const choices = () =>
      service.sql(
        `SELECT properties->>'terrain' FROM events WHERE event = 'Country Chosen' ORDER BY timestamp`,
      )
    await expect.poll(choices).toEqual([['coast'], ['moor'], ['coast']])
  })
})
