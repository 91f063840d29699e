import { inTab } from './fixtures/inTab'
import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { engineNames, useEngine } from './fixtures/useEngine'

const second = 1000
const minute = 60 * second

/** The sessions of the events in the order of time: 0 for the first one, 1 for the next. */
const sessionRows = `SELECT event, dense_rank() OVER (ORDER BY first_at) - 1 FROM (
    SELECT *, min(timestamp) OVER (PARTITION BY session_id) AS first_at FROM events
  ) ORDER BY timestamp, event_id`

let site: Site
test.afterEach(() => site.close())

for (const name of engineNames) {
  test.describe(name, () => {
    const open = useEngine(name)
    test('29:55 of idleness go on with the session, 30:01 do not', async ({ service }) => {
      site = await serveSite({ endpoint: service.url, first: ['clock.js'] })
      const startMs = Date.now() - 600 * minute
      const at = (now: number) => `${site.url}/?now=${now}`
      const tab = await open(at(startMs))
      await inTab(tab).loaded()
      await inTab(tab).ready()
      for (const event of ['Second', 'Third', 'Fourth'])
        await tab.run(`(forward(${3 * second}), waymark.track('${event}'), 0)`)
      let lastMs = Number(await tab.run('Date.now()'))
      await inTab(tab).sent()

      // The page view is the first event of each page.
      await tab.goto(at((lastMs += 29 * minute + 55 * second)))
      await inTab(tab).loaded()
      await inTab(tab).sent()
      // What was accepted becomes a row within a second.
      await expect.poll(async () => (await service.events()).length).toBe(5)
      const [[viewedAt]] = (await service.sql('SELECT epoch_ms(max(timestamp)) FROM events')) as [[number]]
      await tab.goto(at(viewedAt + 30 * minute + second))
      await inTab(tab).loaded()
      await inTab(tab).sent()

      await expect
        .poll(() => service.sql(sessionRows))
        .toEqual([
          ['$pageview', 0],
          ['Second', 0],
          ['Third', 0],
          ['Fourth', 0],
          ['$pageview', 0],
          ['$pageview', 1],
        ])
    })

    test('an event in another tab keeps the session alive', async ({ service }) => {
      site = await serveSite({ endpoint: service.url, first: ['clock.js'] })
      const startMs = Date.now() - 600 * minute
      const first = await open(`${site.url}/?now=${startMs}`)
      await inTab(first).loaded()
      await inTab(first).sent()
      const other = await open(`${site.url}/?now=${startMs + 2 * second}`)
      await inTab(other).loaded()
      await inTab(other).ready()
      await other.run(`(forward(${7 * second}), waymark.track('Elsewhere'), 0)`)
      const lastMs = Number(await other.run('Date.now()'))
      await inTab(other).sent()
      await first.run(
        `(forward(${lastMs + 29 * minute + 55 * second} - Date.now()), waymark.track('Here'), 0)`,
      )
      await inTab(first).sent()
      await expect
        .poll(() => service.sql(sessionRows))
        .toEqual([
          ['$pageview', 0],
          ['$pageview', 0],
          ['Elsewhere', 0],
          ['Here', 0],
        ])
    })

    test('what waits for consent has the sessions of its own times', async ({ service }) => {
      site = await serveSite({ endpoint: service.url, config: { consent: 'pending' }, first: ['clock.js'] })
      const startMs = Date.now() - 600 * minute
      const tab = await open(`${site.url}/?now=${startMs}`)
      await inTab(tab).loaded()
      await tab.run(`(forward(${10 * minute}), waymark.track('Before'), 0)`)
      await tab.run(`(forward(${40 * minute}), waymark.track('After'), 0)`)
      await tab.run(`(forward(${minute}), waymark.setConsent('granted'), 0)`)
      await inTab(tab).ready()
      await inTab(tab).call('track', 'Granted')
      await inTab(tab).sent()
      await expect
        .poll(() => service.sql(sessionRows))
        .toEqual([
          ['$pageview', 0],
          ['Before', 0],
          ['After', 1],
          ['Granted', 1],
        ])
    })
  })
}
