import { inTab } from './fixtures/inTab'
import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { engineNames, useEngine } from './fixtures/useEngine'

/** The database of the site's instance. */
const database = 'waymark production test-key'

/**
 * How long another tab, which holds it from before the page starts, goes on when the page has tracked. A page without
 * IndexedDB is one that waits for longer.
 */
const heldMs = [2000, 1000, 3500].slice(0, Number(process.env['WAYMARK_ROUNDS'] ?? 1))

const rowsOf = (round: number) =>
  `SELECT event, distinct_id, session_id = first_session, device_id = first_device, properties->>'plan', properties->>'touch'
   FROM events, (SELECT session_id AS first_session, device_id AS first_device FROM events WHERE event = 'Signed In')
   WHERE properties->>'$."$url"' LIKE '%/${round}/%' ORDER BY timestamp, event_id`

let site: Site
test.afterEach(() => site.close())

for (const name of engineNames) {
  test.describe(name, () => {
    const open = useEngine(name)
    test('a database that another tab holds as the page starts changes nobody', async ({ service }) => {
      site = await serveSite({ endpoint: service.url, first: ['hold.js'] })
      const tab = await open(`${site.url}/first`)
      await inTab(tab).loaded()
      await inTab(tab).ready()
      await inTab(tab).call('identify', 'ann')
      await inTab(tab).call('register', { plan: 'pro' })
      await inTab(tab).call('registerOnce', { touch: 'first' })
      await inTab(tab).call('track', 'Signed In')
      await inTab(tab).sent()
      await tab.goto(`${site.url}/empty`)

      for (const [round, forMs] of heldMs.entries()) {
        expect(await tab.run(`hold('${database}')`)).toBe(true)
        const page = await open(`${site.url}/${round}/slow`)
        await inTab(page).loaded()
        await inTab(page).call('registerOnce', { touch: 'later' })
        await inTab(page).call('track', 'While Slow')
        expect(await tab.run('isHeld'), 'the database was held until the page had tracked').toBe(true)
        await tab.run(`(letGo(${forMs}), 0)`)
        await expect.poll(() => tab.run('isHeld')).toBe(false)
        await inTab(page).sent()
        await page.goto(`${site.url}/${round}/next`)
        await inTab(page).loaded()
        await inTab(page).call('track', 'After')
        await inTab(page).sent()
        await page.close()

        await expect.poll(async () => (await service.sql(rowsOf(round))).length).toBe(4)
        const events = ['$pageview', 'While Slow', '$pageview', 'After']
        expect
          .soft(await service.sql(rowsOf(round)), `held for ${forMs} ms more`)
          .toEqual(events.map((event) => [event, 'ann', true, true, 'pro', 'first']))
      }
    })
  })
}
