import { inTab } from './fixtures/inTab'
import { serveSite, type Site } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { engineNames, withEngine, type Tab } from './fixtures/withEngine'

const rounds = Number(process.env['WAYMARK_ROUNDS'] ?? 4)
const tabs = 4

/** Opens tabs as a browser does that restores them: at the same moment. */
const openAll = (urls: string[]) =>
  `(window.opened = ${JSON.stringify(urls)}.map((url) => window.open(url, '_blank', 'popup')), 0)`

const sessionsByRound = `SELECT round, count(*), count(DISTINCT session_id), count(DISTINCT device_id) FROM (
    SELECT regexp_extract(properties->>'$."$url"', '/round/(\\d+)/', 1)::INTEGER AS round, * FROM events
    WHERE event = '$pageview'
  ) GROUP BY round ORDER BY round`
const waitingByRound = `SELECT properties->>'round', count(*), count(DISTINCT session_id) FROM events
  WHERE event = 'Waiting' GROUP BY 1 ORDER BY 1`

let site: Site
test.afterEach(() => site.close())

for (const name of engineNames) {
  test(`tabs that are restored together are one session in ${name}`, async ({ service }) => {
    site = await serveSite({ endpoint: service.url, first: ['clock.js'] })
    // The visits lie half an hour and more apart, the last one before now.
    const startMs = Date.now() - (rounds + 1) * 40 * 60_000
    await withEngine(name, site.url, async (open) => {
      const opener = await open(`${site.url}/empty`)
      for (let round = 0; round < rounds; round++) {
        const now = startMs + round * 40 * 60_000
        const urls = Array.from({ length: tabs }, (_, tab) => `${site.url}/round/${round}/${tab}?now=${now}`)
        await opener.run(openAll(urls))
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
  })

  test(`consent that is given in one of three tabs is one session in ${name}`, async ({ service }) => {
    site = await serveSite({ endpoint: service.url, config: { consent: 'pending' } })
    await withEngine(name, site.url, async (open) => {
      const three: Tab[] = []
      for (const path of ['/0', '/1', '/2']) three.push(await open(site.url + path))
      for (const tab of three) await inTab(tab).loaded()
      const everywhere = (state: string) =>
        expect
          .poll(() => Promise.all(three.map((tab) => tab.run('waymark.getConsent()'))))
          .toEqual([state, state, state])

      for (let round = 0; round < rounds; round++) {
        for (const tab of three) await inTab(tab).call('track', 'Waiting', { round })
        await inTab(three[round % 3]!).call('setConsent', 'granted')
        await everywhere('granted')
        await expect
          .poll(async () => (await service.sql(waitingByRound)).find(([at]) => Number(at) === round)?.[1])
          .toBe(3)
        // Everything is forgotten, and the visitor may choose once more.
        await inTab(three[0]!).call('setConsent', 'denied')
        await everywhere('denied')
        await inTab(three[0]!).call('setConsent', 'pending')
        await everywhere('pending')
      }
      const expected = Array.from({ length: rounds }, (_, round) => [String(round), 3, 1])
      expect(await service.sql(waitingByRound), 'round, events, sessions').toEqual(expected)
    })
  })
}
