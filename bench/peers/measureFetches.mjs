import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleDefaults } from './bundleEntry.mjs'
import { createPeerSink } from './createPeerSink.mjs'
import { servePeers } from './servePeers.mjs'

/** Those that ask for more than their bundle; the others start by defaults in their entries. */
const names = ['posthog', 'mixpanel', 'amplitude', 'segment', 'rudderstack', 'vercel']

/**
 * What a bundle asks for within some four seconds of a start by defaults, event requests included. There is no network: what
 * an answer would make it ask for next is not seen.
 * @param {import('../../e2e/ledger/engines/types').Engine} engine
 */
export async function measureFetches(engine) {
  /** @type {Map<string, Uint8Array>} */
  const bundles = new Map()
  for (const name of names) bundles.set(name, await bundleDefaults(name))
  const pages = await servePeers(bundles)
  const sink = await createPeerSink()
  const profile = mkdtempSync(join(tmpdir(), 'waymark-peers-'))
  const session = await engine.launch({ profile, proxyPort: pages.port })
  /** @type {Record<string, string[]>} */
  const found = {}
  try {
    const tabs = []
    for (const peer of names) {
      const plan = JSON.stringify({ act: 'stay', peer, scenario: 'fetches', round: 0, endpoint: sink.url })
      const tab = await session.open(`${pages.originOf(peer)}/page?plan=${encodeURIComponent(plan)}`)
      tabs.push({ peer, tab })
    }
    await sleep(4000)
    for (const { peer, tab } of tabs) {
      /** @type {string[]} */
      const urls = await tab.run("performance.getEntriesByType('resource').map(({ name }) => name)")
      const others = urls
        .map((url) => new URL(url))
        .filter(({ protocol, pathname }) => protocol !== 'data:' && !/^\/(peer\/|peerPage)/.test(pathname))
        .map(({ host, pathname }) => (/localhost|127\.0\.0\.1/.test(host) ? pathname : host + pathname))
      found[peer] = [...new Set(others)].toSorted()
    }
  } finally {
    await session.close()
    await sink.close()
    pages.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  return found
}
