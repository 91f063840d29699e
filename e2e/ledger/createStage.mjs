import { createBook } from './createBook.mjs'
import { patienceMs, waitFor } from './engines/waitFor.mjs'
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
  /** Why the scenario did not come to its end. @type {string[]} */
  const broke = []
  /** @type {Set<() => void>} */
  const listening = new Set()
  let isOver = false
  /** @type {(() => Promise<void>)[]} */
  const started = []
  const origin = {
    same: `http://127.0.0.1:${pages.port}`,
    other: `http://localhost:${pages.port}`,
    insecure: 'http://app.example.test',
  }
  // A page on a name goes through the proxy server, and so does what it sends: a browser keeps names off loopback.
  const endpointFor = (/** @type {string} */ at) =>
    at === origin.insecure ? `http://api-${proxy.port}.example.test` : proxy.url

  /** Hears what its pages say. Another engine may run this scenario meanwhile. @param {(message: Record<string, string>) => void} listen */
  const hear = (listen) =>
    pages.hear((message) => {
      if (message.name === name && message.engine === engine.name) listen(message)
    })
  let messages = 0
  listening.add(hear(() => messages++))
  /** Changes while its pages do anything. */
  const progress = () => messages + proxy.requests.length

  /** @type {import('./scenarios/types').Stage} */
  const stage = {
    name,
    engine: {
      ...engine,
      async launch(options) {
        const session = await engine.launch(options)
        started.push(session.close)
        return session
      },
      async launchAlone(options) {
        const browser = await engine.launchAlone(options)
        started.push(browser.stop)
        return browser
      },
    },
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
    hear(what, listen) {
      const stop = hear((message) => message.what === what && listen(message))
      listening.add(stop)
      return stop
    },
    heard(what, quietMs = patienceMs) {
      let isSaid = false
      /** @type {Promise<Record<string, string>>} */
      const message = new Promise((resolve) => {
        const stop = stage.hear(what, (first) => {
          isSaid = true
          stop()
          resolve(first)
        })
      })
      const waiting = waitFor(`a page of ${name} says "${what}"`, () => isSaid || isOver, {
        quietMs,
        progress,
      })
      const said = Promise.race([message, waiting.then(() => message)])
      // Its scenario may wait for something else first, or break off.
      said.catch(() => {})
      return said
    },
    arrived: (quietMs = patienceMs) =>
      waitFor('everything arrives', () => book.isComplete(proxy.arrivals), {
        quietMs,
        progress: () => proxy.arrivals.length,
      }).catch(() => false),
    emptied: (tab) => waitFor('the queue empties', () => tab.run('ledger.isEmpty()'), { progress }),
    async storing(tab) {
      const isOpen = "waymark.ready().then(() => ledger.stats().store === 'indexeddb')"
      if (!mayLose) await waitFor('IndexedDB opens', () => tab.run(isOpen))
    },
    miss: (text) => void (mayLose ? notes : missed).push(text),
    note: (text) => void notes.push(text),
  }

  return {
    scenario,
    stage,
    notes,
    missed,
    broke,
    mayLose,
    /** The scenario is over: what it still waits for is given up. One that broke off leaves no fault and no browser. */
    async end() {
      isOver = true
      for (const stop of listening) stop()
      if (broke.length === 0) return
      proxy.play()
      await proxy.accept()
      for (const close of started) await close()
    },
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
