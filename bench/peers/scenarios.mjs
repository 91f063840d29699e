import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @typedef {object} Stage what a scenario works with
 * @property {import('../../e2e/ledger/engines/types').Session} session
 * @property {import('./servePeers.mjs').PeerPages} pages
 * @property {import('./createPeerSink.mjs').PeerSink} sink
 * @property {string[]} names of the peers
 * @property {(peer: string, more?: object) => string} urlOf
 * @property {(peer: string, count: number, round?: number) => void} expect
 * @property {(peer: string, text: string) => void} note
 */

/** Opens a page of every peer, and waits until each is ready. */
const openAll = (/** @type {Stage} */ { session, names, urlOf }, round = 0) =>
  Promise.all(
    names.map(async (peer) => {
      const tab = await session.open(urlOf(peer, { round }))
      await tab.run('bench.started')
      return { peer, tab }
    }),
  )

/**
 * 25 events while something is wrong for ten seconds.
 * @param {Stage} stage
 * @param {Record<'begin' | 'end', (tabs: import('../../e2e/ledger/engines/types').Tab[]) => unknown>} fault
 */
async function endure(stage, { begin, end }) {
  const opened = await openAll(stage)
  const tabs = opened.map(({ tab }) => tab)
  await begin(tabs)
  for (const { peer, tab } of opened) {
    await tab.run('bench.trackMany(25)')
    stage.expect(peer, 25)
  }
  await sleep(10_000)
  await end(tabs)
  await sleep(20_000)
  for (const tab of tabs) await tab.close()
}

/**
 * Each is played by all peers, in the order of the tables.
 * @type {{ name: string, title: string, about: string, rounds: number, act: (stage: Stage, rounds: number) => Promise<void> }[]}
 */
export const scenarios = [
  {
    name: 'calm',
    title: 'nothing happens',
    about:
      '25 events, and the page stays for ten seconds: shows that each peer takes the answers for success',
    rounds: 1,
    async act(stage) {
      const opened = await openAll(stage)
      for (const { peer, tab } of opened) {
        await tab.run('bench.trackMany(25)')
        stage.expect(peer, 25)
      }
      await sleep(10_000)
      for (const { peer, tab } of opened) {
        if (await tab.run('bench.isStored()')) stage.note(peer, 'an event was still stored after ten seconds')
        await tab.close()
      }
    },
  },
  {
    name: 'navigate',
    title: 'on to the next page',
    about: '5 events in the task that leaves for the next page of the site',
    rounds: 10,
    async act({ session, pages, names, urlOf, expect }, rounds) {
      for (const peer of names) {
        const left = pages.heard('left', peer)
        const tab = await session.open(urlOf(peer, { act: 'leave', rounds, count: 5 }))
        await left
        for (let round = 0; round < rounds; round++) expect(peer, 5, round)
        await tab.close()
      }
    },
  },
  {
    name: 'close',
    title: 'the tab is closed',
    about: '5 events, and the tab is closed at once',
    rounds: 10,
    async act({ session, names, urlOf, expect }, rounds) {
      for (let round = 0; round < rounds; round++) {
        for (const peer of names) {
          const tab = await session.open(urlOf(peer, { round }))
          await tab.run('bench.started')
          await tab.run('bench.trackMany(5)')
          expect(peer, 5, round)
          await tab.close()
        }
      }
    },
  },
  {
    name: 'close-later',
    title: 'the tab is closed after half a second',
    about: '5 events, and the tab is closed 500 ms later: before most batches are due',
    rounds: 10,
    async act(stage, rounds) {
      for (let round = 0; round < rounds; round++) {
        const opened = await openAll(stage, round)
        for (const { peer, tab } of opened) {
          await tab.run('bench.trackMany(5)')
          stage.expect(peer, 5, round)
        }
        await sleep(500)
        for (const { tab } of opened) await tab.close()
      }
    },
  },
  {
    name: 'outage',
    title: 'connections are refused for ten seconds',
    about: '25 events meanwhile; the browser says that it is online; the page stays for another 20 s',
    rounds: 1,
    act: (stage) => endure(stage, { begin: () => stage.sink.goAway(), end: () => stage.sink.comeBack() }),
  },
  {
    name: 'unavailable',
    title: 'the service answers 503 for ten seconds',
    about: '25 events meanwhile; the page stays for another 20 s',
    rounds: 1,
    act: (stage) =>
      endure(stage, { begin: () => stage.sink.answer(503), end: () => stage.sink.answer(undefined) }),
  },
  {
    name: 'offline',
    title: 'the browser is offline for ten seconds',
    about:
      '25 events meanwhile; the browser says that it is offline, then online; the page stays for another 20 s',
    rounds: 1,
    act: (stage) =>
      endure(stage, {
        begin: async (tabs) => {
          await stage.sink.goAway()
          for (const tab of tabs) await tab.run('bench.setOnline(false)')
        },
        end: async (tabs) => {
          await stage.sink.comeBack()
          for (const tab of tabs) await tab.run('bench.setOnline(true)')
        },
      }),
  },
  {
    name: 'offline-close',
    title: 'closed while the browser is offline',
    about: '25 events, and the tab is closed 3 s later; a later visit finds the network and the service',
    rounds: 1,
    async act(stage) {
      const { sink, expect } = stage
      const opened = await openAll(stage)
      await sink.goAway()
      for (const { peer, tab } of opened) {
        await tab.run('bench.setOnline(false)')
        await tab.run('bench.trackMany(25)')
        expect(peer, 25)
      }
      await sleep(3000)
      for (const { tab } of opened) await tab.close()
      await sleep(500)
      await sink.comeBack()
    },
  },
]

/** The one that needs browsers of its own. */
export const kill = {
  name: 'kill',
  title: 'the browser is killed',
  about:
    '25 events in half a second, and 100 ms later the browser is killed; it is started again with the same profile',
  rounds: 2,
}

/** @type {Record<string, string>} */
export const scenarioTitles = Object.fromEntries([...scenarios, kill].map(({ name, title }) => [name, title]))
