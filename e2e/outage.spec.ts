import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test.describe('a service that is not there', () => {
  test('costs nothing: the queue survives a reload and is delivered once', async ({
    page,
    shop,
    service,
  }) => {
    await page.goto(`${shop}/maps`)
    await waymarkOf(page).loaded()
    await expect.poll(service.events).toEqual(['$pageview'])

    await service.stop()
    const tracked: string[] = []
    for (const step of [1, 2, 3]) tracked.push(await waymarkOf(page).track('Offline', { step }))
    await expect.poll(async () => (await waymarkOf(page).stats()).state).toBe('waiting')
    await page.reload()
    await waymarkOf(page).loaded()
    for (const step of [4, 5]) tracked.push(await waymarkOf(page).track('Offline', { step }))

    const before = service.arrivals.length
    await service.start()
    const steps = () =>
      service.sql(`SELECT insert_id FROM events WHERE event = 'Offline' ORDER BY (properties->>'step')::INT`)
    await expect.poll(steps).toEqual(tracked.map((id) => [id]))
    const offline = service.arrivals.slice(before).filter(({ event }) => event === 'Offline')
    expect(offline.map(({ insertId }) => insertId).toSorted()).toEqual(tracked.toSorted())
    await expect.poll(async () => (await waymarkOf(page).stats()).queued).toBe(0)
  })

  test('throws nothing into a page that meets it at its first visit', async ({ page, shop, service }) => {
    const thrown: string[] = []
    page.on('pageerror', (error) => thrown.push(error.message))
    await service.stop()
    await page.goto(`${shop}/maps/peat-road`)
    await waymarkOf(page).loaded()

    await expect
      .poll(() => waymarkOf(page).stats())
      .toMatchObject({ state: 'waiting', store: 'indexeddb', queued: 2, sent: 0, dropped: {} })
    expect(thrown).toEqual([])

    await service.start()
    await expect.poll(service.events).toEqual(['$pageview', 'Map Viewed'])
  })
})
