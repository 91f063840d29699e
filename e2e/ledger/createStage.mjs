import { createBook } from './createBook.mjs'
import { waitFor } from './engines/waitFor.mjs'
import { createFaultProxy } from './serve/createFaultProxy.mjs'

/** @typedef {{ name: string, engine: string, key: string, endpoint: string, consent: string }} Known */

/** @param {import('./scenarios/types').Plan & Known} plan @param {string} origin */
const toUrl = (plan, origin) =>
  `${origin}${plan.behindServiceWorker ? '/behind' : ''}/page?plan=${encodeURIComponent(JSON.stringify(plan))}`

/**
 * What one scenario works with in one engine: a proxy, an API key and so a queue of its own.
 * @param {object} parts
 * @param {import('./scenarios/types').Scenario} parts.scenario
 * @param {import('./engines/types').Engine} parts.engine
 * @param {import('./serve/createPageServer.mjs').PageServer} parts.pages
 * @param {string} parts.serviceUrl
 * @param {string} parts.key
 * @param {number} parts.rounds
 * @param {boolean} parts.fast
 * @param {string} parts.profile
 * @param {string} parts.consent of all pages; without `granted` they store nothing, and may lose something
 */
export async function createStage({
  scenario,
  engine,
  pages,
  serviceUrl,
  key,
  rounds,
  fast,
  profile,
  consent,
}) {
  const mayLose = consent !== 'granted'
  const proxy = await createFaultProxy(serviceUrl)
  const book = createBook()
  const { name } = scenario
  /** @type {string[]} */
  const notes = []
  /** @type {string[]} */
  const missed = []
  const origin = {
    same: `http://127.0.0.1:${pages.port}`,
    other: `http://localhost:${pages.port}`,
    insecure: 'http://app.example.test',
  }
  // A page on a name goes through the proxy server, and so does what it sends: a browser keeps names off loopback.
  const endpointFor = (/** @type {string} */ at) =>
    at === origin.insecure ? `http://api-${proxy.port}.example.test` : proxy.url

  /** @type {import('./scenarios/types').Stage} */
  const stage = {
    name,
    engine,
    // Set for the scenarios that share a driven browser.
    session: /** @type {any} */ (undefined),
    launch: { profile, proxyPort: pages.port },
    rounds,
    fast,
    consent,
    proxy,
    book,
    origin,
    urlOf: (plan, at = origin.same) =>
      toUrl({ name, engine: engine.name, key, endpoint: endpointFor(at), consent, ...plan }, at),
    open: (plan, at) => stage.session.open(stage.urlOf(plan, at)),
    expect(round, count, from = 0) {
      for (let index = from; index < from + count; index++) book.expect(`${name}/${round}/${index}`)
    },
    async track(tab, count, round, from = 0) {
      await tab.run(`void ledger.track(${count}, ${round}, ${from})`)
      stage.expect(round, count, from)
    },
    // Another engine may run this scenario meanwhile.
    hear: (what, listen) =>
      pages.hear((message) => {
        if (message.what === what && message.name === name && message.engine === engine.name) listen(message)
      }),
    heard: (what, withinMs = 30_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          stop()
          reject(new Error(`No page of ${name} said "${what}" within ${withinMs} ms`))
        }, withinMs)
        const stop = stage.hear(what, (message) => {
          clearTimeout(timer)
          stop()
          resolve(message)
        })
      }),
    arrived: (withinMs) =>
      waitFor('everything arrives', () => book.isComplete(proxy.arrivals), withinMs).catch(() => false),
    emptied: (tab, withinMs) => waitFor('the queue empties', () => tab.run('ledger.isEmpty()'), withinMs),
    async storing(tab) {
      const isOpen = "waymark.ready().then(() => ledger.stats().store === 'indexeddb')"
      if (!mayLose) await waitFor('IndexedDB opens', () => tab.run(isOpen), 30_000)
    },
    miss: (text) => void (mayLose ? notes : missed).push(text),
    note: (text) => void notes.push(text),
  }

  return {
    scenario,
    stage,
    notes,
    missed,
    mayLose,
    /** The pages of a later visit, one for each origin: they find what was left. */
    laterPlans: scenario.origins.map((at) => ({
      origin: origin[at],
      plan: JSON.stringify({
        name,
        engine: engine.name,
        key,
        endpoint: endpointFor(origin[at]),
        consent,
        act: 'stay',
      }),
    })),
  }
}

/** @typedef {Awaited<ReturnType<typeof createStage>>} Staged */
