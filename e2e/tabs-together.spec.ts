import { inTab } from './fixtures/inTab'
import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { engineNames, useEngine, type Tab } from './fixtures/useEngine'

const rounds = Number(process.env['WAYMARK_ROUNDS'] ?? 2)
const visitors = Math.ceil(rounds / 2)
const tabs = 4

/**
 * Opens pages as a browser does that restores its tabs: at the same moment. Frames start closer together than tabs, and
 * a driven WebKit opens no windows for a script: there they are frames always, elsewhere every second time.
 */
const openAll = (urls: string[], inFrames: boolean) =>
  inFrames
    ? `(window.opened = ${JSON.stringify(urls)}.map((url) => {
        const frame = document.body.appendChild(document.createElement('iframe'))
        frame.src = url
        return { close: () => frame.remove(), get closed() { return !frame.isConnected } }
      }), 0)`
    : `(window.opened = ${JSON.stringify(urls)}.map((url) => window.open(url, '_blank', 'popup')), 0)`

const sessionsByRound = `SELECT round, count(*), count(DISTINCT session_id), count(DISTINCT device_id) FROM (
    SELECT regexp_extract(properties->>'$."$url"', '/round/(\\d+)/', 1)::INTEGER AS round, * FROM events
    WHERE event = '$pageview'
  ) GROUP BY round ORDER BY round`
const waitingByRound = `SELECT properties->>'round', count(*), count(DISTINCT session_id), count(DISTINCT device_id) FROM events
  WHERE event = 'Waiting' GROUP BY 1 ORDER BY 1`

const sites: Site[] = []
const serve = async (options: Parameters<typeof serveSite>[0]) => {
  const site = await serveSite(options)
  sites.push(site)
  return site
}
test.afterEach(async () => {
  for (const site of sites.splice(0)) await site.close()
})
test.beforeEach(() => test.setTimeout(test.info().timeout + rounds * 10_000))

for (const name of engineNames) {
  test.describe(name, () => {
    const open = useEngine(name)
    test('tabs that are restored together are one session', async ({ service }) => {
      const site = await serve({ endpoint: service.url, first: ['clock.js'] })
      // The visits lie half an hour and more apart, the last one before now.
      const startMs = Date.now() - (rounds + 1) * 40 * 60_000
      const opener = await open(`${site.url}/empty`)
      for (let round = 0; round < rounds; round++) {
        const now = startMs + round * 40 * 60_000
        const urls = Array.from({ length: tabs }, (_, tab) => `${site.url}/round/${round}/${tab}?now=${now}`)
        await opener.run(openAll(urls, name === 'webkit' || round % 2 === 1))
        await expect
          .poll(async () => (await service.sql(sessionsByRound)).find(([at]) => at === round)?.[1])
          .toBe(tabs)
        await opener.run('(opened.forEach((tab) => tab.close()), 0)')
        await expect.poll(() => opener.run('opened.every((tab) => tab.closed)')).toBe(true)
      }
      const expected = Array.from({ length: rounds }, (_, round) => [round, tabs, 1, 1])
      expect(await service.sql(sessionsByRound), 'round, page views, sessions, devices').toEqual(expected)
      expect(
        await service.sql('SELECT count(DISTINCT session_id), count(DISTINCT device_id) FROM events'),
      ).toEqual([[rounds, 1]])
    })

    test('consent that is given in one of three tabs is one session', async ({ service }) => {
      for (let round = 0; round < visitors; round++) {
        // Another port is another origin: a visitor who was never here.
        const next = await serve({ endpoint: service.url, config: { consent: 'pending' } })
        const three: Tab[] = []
        for (const path of ['/0', '/1', '/2']) three.push(await open(next.url + path))
        for (const tab of three) {
          await inTab(tab).loaded()
          await inTab(tab).call('track', 'Waiting', { round })
        }
        await inTab(three[round % 3]!).call('setConsent', 'granted')
        const rows = async () => (await service.sql(waitingByRound)).find(([at]) => Number(at) === round)
        await expect.poll(async () => (await rows())?.[1]).toBe(3)
        for (const tab of three) await tab.close()
      }
      const expected = Array.from({ length: visitors }, (_, round) => [String(round), 3, 1, 1])
      expect(await service.sql(waitingByRound), 'round, events, sessions, devices').toEqual(expected)
    })
  })
}
