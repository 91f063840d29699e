// npm run bench:peers [-- bytes cost delivery kill service page] [--rounds N] [--add]
import { parseArgs } from 'node:util'
import { findEngine } from '../../e2e/ledger/engines/findEngines.mjs'
import { ensureBuilt, ensureInstalled } from '../../scripts/setup.mjs'
import { ensurePeers, readVersions } from './ensurePeers.mjs'
import { describeMachine, readResults, stamp, writeResults } from './results.mjs'

const usage = `Compares waymark with its peers in Chromium, and writes bench/peers/results.json and docs/peers.html.
It stops before a part when the machine is busy.

  npm run bench:peers -- [part…] [--rounds N] [--add]

  parts      bytes, first, burst, cost, delivery, kill, service, page (all of them, in this order, if none is named);
             or scenarios of delivery: calm navigate close close-later outage unavailable offline offline-close
  --rounds N rounds of burst, cost and service (default 3); the first load has five times as many
  --add      keep the rounds of cost and service that are there, and add to them
  --busy     measure though the machine is busy: the page tells its load beside the figures`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    add: { type: 'boolean', default: false },
    busy: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
await ensureInstalled()
await ensureBuilt()
await ensurePeers()

const { openBench } = await import('../delivery/openBench.mjs')
const { bundleEntry } = await import('./bundleEntry.mjs')
const { createPeerSink } = await import('./createPeerSink.mjs')
const { measureBytes } = await import('./measureBytes.mjs')
const { bareScript, burstNames, measureBurst } = await import('./measureBurst.mjs')
const { gaveUpAfterMs, measureCost } = await import('./measureCost.mjs')
const { measureDelivery } = await import('./measureDelivery.mjs')
const { measureFirst } = await import('./measureFirst.mjs')
const { measureFetches } = await import('./measureFetches.mjs')
const { measureService } = await import('./measureService.mjs')
const { runnable } = await import('./peers.mjs')
const { scenarios } = await import('./scenarios.mjs')
const { servePeers } = await import('./servePeers.mjs')
const { whyNotNow } = await import('./quietMachine.mjs')
const { writePage } = await import('./writePage.mjs')

const startedAt = Date.now()
const progress = (/** @type {string} */ text) =>
  console.log(`${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s  ${text}`)
const rounds = Number(values.rounds)
const results = readResults()

const bundleAll = async () => {
  /** @type {Map<string, Uint8Array>} */
  const bundles = new Map()
  for (const { name } of runnable) bundles.set(name, await bundleEntry(name))
  return bundles
}
const findChromium = () => {
  const engine = findEngine('chromium')
  if (typeof engine === 'string') throw new Error(engine)
  return engine
}

const deliver = async (/** @type {string[]} */ only) => {
  const engine = findChromium()
  const found = await measureDelivery({ engine, bundles: await bundleAll(), progress, only })
  const at = stamp()
  const kept = results.delivery.filter((/** @type {any} */ { scenario }) => !only.includes(scenario))
  results.delivery = [...kept, ...found.map((one) => ({ ...one, ...at }))]
  await engine.dispose()
}

/** @type {Record<string, () => Promise<void>>} */
const parts = {
  async bytes() {
    results.bytes = await measureBytes()
    const engine = findChromium()
    results.fetches = await measureFetches(engine)
    await engine.dispose()
  },

  async first() {
    const pages = await servePeers(await bundleAll())
    const sink = await createPeerSink()
    const found = await measureFirst({ pages, sink, rounds: 5 * rounds, progress })
    results.first = { ...stamp(), ...found }
    await sink.close()
    pages.close()
  },

  async burst() {
    const bundles = await bundleAll()
    const pages = await servePeers(bundles.set('bare', bareScript()))
    const bench = await openBench({ pages, sink: await createPeerSink() })
    results.burst = []
    try {
      for (let round = 0; round < rounds; round++) {
        /** @type {Record<string, object>} */
        const found = {}
        for (const peer of [...burstNames, 'nothing']) {
          progress(`  burst, round ${round + 1} of ${rounds}: ${peer}`)
          found[peer] = await measureBurst(bench, peer)
        }
        results.burst.push({ ...stamp(), peers: found })
      }
    } finally {
      await bench.close()
    }
  },

  async cost() {
    if (!values.add) results.cost = []
    const pages = await servePeers(await bundleAll())
    const sink = await createPeerSink()
    const flags = ['--js-flags=--expose-gc', '--enable-precise-memory-info']
    const bench = await openBench({ pages, sink, flags })
    try {
      for (let round = 0; round < rounds; round++) {
        /** @type {Record<string, object>} */
        const found = {}
        for (const peer of [...runnable.map(({ name }) => name), 'nothing']) {
          progress(`  cost, round ${round + 1} of ${rounds}: ${peer}`)
          found[peer] = await measureCost(bench, sink, peer)
        }
        results.cost.push({ ...stamp(), gaveUpAfterMs, peers: found })
        writeResults(results)
      }
    } finally {
      await bench.close()
    }
  },

  delivery: () => deliver(scenarios.map(({ name }) => name)),
  kill: () => deliver(['kill']),

  async service() {
    if (!values.add) results.service = []
    for (let round = 0; round < rounds; round++) {
      progress(`  service, round ${round + 1} of ${rounds}`)
      results.service.push({ ...stamp(), ...(await measureService()) })
    }
  },

  async page() {},
}

/** @param {string} text @returns {never} */
function refuse(text) {
  console.error(`${text}\n\n${usage}`)
  process.exit(2)
}
const named = scenarios.map(({ name }) => name)
const unknown = positionals.find((name) => !parts[name] && !named.includes(name))
if (unknown) refuse(`There is no part ${unknown}.`)
if (!Number.isInteger(rounds) || rounds < 1)
  refuse(`--rounds takes a whole number from 1, not ${values.rounds}.`)

const chromium = findChromium()
progress(
  `Chromium ${chromium.version}; ${runnable.length} libraries; each measurement in a browser of its own`,
)
Object.assign(results, { machine: describeMachine(chromium.version), versions: readVersions() })
await chromium.dispose()
const chosen = positionals.filter((name) => named.includes(name))
// Scenarios share one browser and one later visit.
const steps = positionals.length ? positionals.filter((name) => !named.includes(name)) : Object.keys(parts)
for (const name of [...steps, ...(chosen.length ? ['scenarios'] : [])]) {
  progress(name)
  const busy = values.busy || ['bytes', 'page'].includes(name) ? '' : await whyNotNow('docs/peers.html')
  if (busy) {
    console.error(busy)
    process.exit(1)
  }
  await (name === 'scenarios' ? deliver(chosen) : parts[name]?.())
  Object.assign(results, { at: stamp().at })
  writeResults(results)
}
writePage(results)
progress('bench/peers/results.json and docs/peers.html are written')
