import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright'
import { ensureBrowser } from '../../scripts/setup.mjs'
import { peers, runnable } from './peers.mjs'

/** As the developer tools of Chromium do it for "a low-tier phone". */
const slowdown = 4
/** What a library does by itself after its start is done by then, on a machine that is so slow. */
const settleMs = 1500
const firstEventMs = 15_000

/** How a page starts the script-tag file of a library; `nothing` is the empty script. @type {Record<string, string>} */
const starts = {
  nothing: '',
  waymark: "waymark.init('bench', { endpoint: endpoint + '/w' })",
  amplitude:
    "amplitude.init('bench', { serverUrl: endpoint + '/2/httpapi', autocapture: false, fetchRemoteConfig: false, enableDiagnostics: false })",
  snowplow: "snowplowBrowserTracking.newTracker('sp', endpoint, { appId: 'bench' })",
}
export const firstNames = Object.keys(starts)

const tagOf = (/** @type {string} */ name) => {
  const tag = peers.find((peer) => peer.name === name)?.tag
  return tag ? readFileSync(new URL(tag, import.meta.url), 'utf8') : ''
}

/** Runs in the page: a script in the page has no cached code, and no network is timed. */
const load = (/** @type {string[]} */ [text = '', start = '', endpoint = '']) => {
  const scriptOf = (/** @type {string} */ textContent) =>
    Object.assign(document.createElement('script'), { textContent })
  document.head.append(scriptOf(`window.start = (endpoint) => { ${start} }`))
  const script = scriptOf(text)
  const from = performance.now()
  document.head.append(script)
  const loaded = performance.now()
  Reflect.get(window, 'start')(endpoint)
  return { evaluateMs: loaded - from, initMs: performance.now() - loaded }
}

/**
 * The first load of each script-tag file in a Chromium whose processor is slowed down, a visitor of its own each time:
 * what its evaluation and `init` take, and the processor time of the main thread until all that follows is done. Then the
 * requests that a page makes until its first event is there.
 * @param {{ pages: import('./servePeers.mjs').PeerPages, sink: import('./createPeerSink.mjs').PeerSink, rounds: number, progress: (text: string) => void }} parts
 */
export async function measureFirst({ pages, sink, rounds, progress }) {
  const browser = await chromium.launch({
    executablePath: await ensureBrowser(),
    args: ['--no-sandbox', '--disable-background-networking'],
  })

  const loadSlowly = async (/** @type {string} */ name) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${pages.url}/blank`)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const readMs = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return 1000 * (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? NaN)
    }
    const before = await readMs()
    const times = await page.evaluate(load, [tagOf(name), starts[name] ?? '', sink.url])
    await sleep(settleMs)
    const mainMs = (await readMs()) - before
    await context.close()
    return { ...times, mainMs }
  }

  const countRequests = async (/** @type {string} */ peer) => {
    sink.forget()
    const context = await browser.newContext()
    const page = await context.newPage()
    let requests = 0
    page.on('request', (request) => {
      const { protocol, pathname } = new URL(request.url())
      if (protocol === 'http:' && !/^\/(page|peerPage\.js)$/.test(pathname)) requests++
    })
    const plan = JSON.stringify({ act: 'stay', peer, scenario: 'first', round: 0, endpoint: sink.url })
    await page.goto(`${pages.url}/page?plan=${encodeURIComponent(plan)}`)
    await page.evaluate('bench.started.then(() => bench.trackMany(1))')
    const until = performance.now() + firstEventMs
    while (sink.counts().events === 0 && performance.now() < until) await sleep(20)
    const { events, preflights } = sink.counts()
    await context.close()
    return events ? requests + preflights : undefined
  }

  /** @type {Record<string, Record<string, number>>[]} */
  const loads = []
  /** @type {Record<string, number | undefined>} */
  const requests = {}
  try {
    for (let round = 0; round < rounds; round++) {
      progress(`  first load, round ${round + 1} of ${rounds}`)
      /** @type {Record<string, Record<string, number>>} */
      const found = {}
      // Nobody is always the one that comes after the same other.
      const names = [...firstNames.slice(round % firstNames.length), ...firstNames].slice(
        0,
        firstNames.length,
      )
      for (const name of names) {
        const times = Object.entries(await loadSlowly(name))
        found[name] = Object.fromEntries(times.map(([key, ms]) => [key, Math.round(ms * 100) / 100]))
      }
      loads.push(found)
    }
    for (const { name } of runnable) requests[name] = await countRequests(name)
  } finally {
    await browser.close()
  }
  return { slowdown, loads, requests }
}
