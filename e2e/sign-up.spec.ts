import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test.describe('a sign-up', () => {
  test('makes one person of the visitor before and the user after', async ({ page, shop, service }) => {
    await page.goto(`${shop}/maps/elderwood`)
    await waymarkOf(page).loaded()
    const { anonymousId } = await waymarkOf(page).ids()
    await page.getByRole('link', { name: 'Sign up' }).click()
    // What a page calls is in an array until the script is there, and the array goes with the page.
    await page.waitForURL(`${shop}/join`)
    await waymarkOf(page).loaded()
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.org')
    await page.getByLabel(/Surveyor/).check()
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect(page.getByText('Ada', { exact: true }).first()).toBeVisible()

    await expect
      .poll(service.events)
      .toEqual(['$pageview', 'Map Viewed', '$pageview', 'Signed Up', '$pageview'])
    await expect
      .poll(() => service.sql(`SELECT traits->>'name', traits->>'plan', events FROM persons`))
      .toEqual([['Ada', 'surveyor', 5]])
    const [signedUp] = await service.sql(
      `SELECT distinct_id, anonymous_id FROM events WHERE event = 'Signed Up'`,
    )
    expect(signedUp).toEqual([expect.stringMatching(/^walker-/), anonymousId])
    expect(JSON.stringify(await service.sql('SELECT * FROM events'))).not.toContain('ada@example.org')
  })

  test('ends at the sign-out: what comes after has a new anonymous id on the same device', async ({
    page,
    shop,
    service,
  }) => {
    await page.goto(`${shop}/join`)
    await waymarkOf(page).loaded()
    await page.getByLabel('Name').fill('Grace')
    await page.getByLabel('Email').fill('grace@example.org')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.waitForURL(`${shop}/`)
    await waymarkOf(page).loaded()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Maps', exact: true }).click()

    await expect.poll(async () => (await service.events()).slice(-2)).toEqual(['Signed Out', '$pageview'])
    const rows = await service.sql('SELECT distinct_id, device_id FROM events ORDER BY timestamp')
    const [signedOut, after] = rows.slice(-2)
    expect(signedOut?.[0]).toMatch(/^walker-/)
    expect(after?.[0]).toMatch(/^anonymous-/)
    expect(after?.[0]).not.toBe(rows[0]?.[0])
    expect(after?.[1]).toBe(signedOut?.[1])
  })
})
