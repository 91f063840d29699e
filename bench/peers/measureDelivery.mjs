import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { account } from './account.mjs'
import { createPeerSink } from './createPeerSink.mjs'
import { runnable } from './peers.mjs'
import { kill, scenarios } from './scenarios.mjs'
import { servePeers } from './servePeers.mjs'

const names = runnable.map(({ name }) => name)
const killCount = 25

/**
 * Plays every scenario for every peer in one browser profile, and after it a later visit that finds what was left.
 * @param {object} parts
 * @param {import('../../e2e/ledger/engines/types').Engine} parts.engine
 * @param {Map<string, Uint8Array>} parts.bundles
 * @param {(text: string) => void} parts.progress
 * @param {string[]} parts.only names of scenarios; `kill` is one of them
 */
export async function measureDelivery({ engine, bundles, progress, only }) {
  const pages = await servePeers(bundles)
  const sink = await createPeerSink()
  const profile = mkdtempSync(join(tmpdir(), 'waymark-peers-'))
  const launch = { profile, proxyPort: pages.port }
  /** @type {Map<string, Set<string>>} events that were tracked, by peer and scenario */
  const expected = new Map()
  /** @type {{ peer: string, scenario: string, text: string }[]} */
  const notes = []
  const played = scenarios.filter(({ name }) => only.includes(name))

  const urlOf =
    (/** @type {string} */ scenario) =>
    (/** @type {string} */ peer, more = {}) => {
      const plan = { act: 'stay', peer, scenario, round: 0, endpoint: sink.url, ...more }
      return `${pages.originOf(`${peer}-${scenario}`)}/page?plan=${encodeURIComponent(JSON.stringify(plan))}`
    }
  const expectOf =
    (/** @type {string} */ scenario) =>
    (/** @type {string} */ peer, /** @type {number} */ count, round = 0) => {
      const key = `${peer}/${scenario}`
      const ids = expected.get(key) ?? new Set()
      for (let index = 0; index < count; index++) ids.add(`${key}/${round}/${index}`)
      expected.set(key, ids)
    }

  /** Pages of every origin that was used, until nothing has come for twelve seconds. */
  const visitAgain = async (/** @type {import('../../e2e/ledger/engines/types').Session} */ session) => {
    progress('  a later visit')
    const tabs = []
    for (const scenario of only) {
      // The scenario `calm` has one too: what a peer did not take for delivered would come again here.
      for (const peer of names) tabs.push(await session.open(urlOf(scenario)(peer, { round: 999 })))
    }
    let seen = -1
    for (let waits = 0; waits < 3 && seen !== sink.arrivals().length; waits++) {
      seen = sink.arrivals().length
      await sleep(12_000)
    }
    for (const tab of tabs) await tab.close()
  }

  try {
    if (only.includes('kill')) {
      for (let round = 0; round < kill.rounds; round++) {
        for (const peer of names) {
          progress(`  kill ${round + 1} of ${kill.rounds}: ${peer}`)
          const tracked = pages.heard('tracked', peer)
          const url = urlOf('kill')(peer, { act: 'tick', round, count: killCount })
          const alone = await engine.launchAlone({ ...launch, url })
          await tracked
          await alone.killBrowser()
          expectOf('kill')(peer, killCount, round)
        }
      }
    }
    const session = await engine.launch(launch)
    for (const { name, rounds, act } of played) {
      progress(`  ${name}`)
      const note = (/** @type {string} */ peer, /** @type {string} */ text) =>
        void notes.push({ peer, scenario: name, text })
      const stage = { session, pages, sink, names, urlOf: urlOf(name), expect: expectOf(name), note }
      await act(stage, rounds)
    }
    await visitAgain(session)
    await session.close()
  } finally {
    await sink.close()
    pages.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }

  return only.map((scenario) => ({
    scenario,
    peers: Object.fromEntries(
      names.map((peer) => {
        const ids = expected.get(`${peer}/${scenario}`) ?? new Set()
        const note = notes.find((one) => one.peer === peer && one.scenario === scenario)?.text
        return [peer, { ...account(ids, sink.arrivals()), ...(note && { note }) }]
      }),
    ),
  }))
}
