import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../delivery/median.mjs'

/** The processor time of these is doubled: it is told for a thousand. */
const spread = 500
const flooded = 10_000
const settleMs = 5500
const waitMs = 2000
/** A step that takes longer is given up: with 10,000 waiting, some pages are busy until their memory is gone. */
export const gaveUpAfterMs = 6000

const gaveUp = Symbol('gave up')
const within = (/** @type {Promise<any>} */ step) =>
  Promise.race([step.catch(() => gaveUp), sleep(gaveUpAfterMs, gaveUp, { ref: false })])

/** Waits until the sink has so many events, or for as long as a batch may wait. */
async function untilArrived(
  /** @type {import('./createPeerSink.mjs').PeerSink} */ sink,
  /** @type {number} */ count,
) {
  const until = performance.now() + settleMs
  while (sink.counts().events < count && performance.now() < until) await sleep(50)
}

const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0)
const perThousand = (/** @type {number} */ value) => (value * 1000) / spread

/** A visit while the service is up. */
async function visitUp(
  /** @type {import('../delivery/openBench.mjs').Bench} */ bench,
  /** @type {import('./createPeerSink.mjs').PeerSink} */ sink,
  /** @type {string} */ peer,
) {
  sink.forget()
  const page = await bench.open({ peer, scenario: 'cost', round: 0 })
  const { evaluateMs, initMs } = await page.run('bench.start()')
  const heapBytes = await page.run('bench.heap()')
  await page.run('bench.spread(25, 1)')
  /** @type {number[] | typeof gaveUp} */
  let longTasks = gaveUp
  const cpu = await page.cpu(async () => {
    longTasks = await within(page.run(`bench.spread(${spread}, 1)`))
    if (longTasks !== gaveUp) await untilArrived(sink, peer === 'nothing' ? 0 : 25 + spread)
  })
  const started = { evaluateMs, initMs, heapBytes }
  if (!Array.isArray(longTasks)) return started
  const { requests, bytes, events } = sink.counts()
  const one = await within(page.run('bench.bursts(30, 1, 5)'))
  const hundred = await within(page.run('bench.bursts(10, 100, 30)'))
  const medianOf = (/** @type {any} */ bursts, /** @type {'callUs' | 'taskUs'} */ name) =>
    bursts === gaveUp ? undefined : median(bursts.map((/** @type {any} */ burst) => burst[name]))
  return {
    ...started,
    upMainMs: perThousand(cpu.mainMs),
    upAllMs: perThousand(cpu.allMs),
    longTasks: longTasks.length,
    longTaskMs: sum(longTasks),
    requestsPer100: (requests / events) * 100 || 0,
    bytesPerEvent: bytes / events || 0,
    callUs1: medianOf(one, 'callUs'),
    taskUs1: medianOf(one, 'taskUs'),
    callUs100: medianOf(hundred, 'callUs'),
    taskUs100: medianOf(hundred, 'taskUs'),
  }
}

/** A visit while connections are refused. */
async function visitDown(
  /** @type {import('../delivery/openBench.mjs').Bench} */ bench,
  /** @type {string} */ peer,
) {
  // Not before others: a page that never rests would starve the browser that it waits for.
  const page = await bench.open({ peer, scenario: 'cost', round: 1 }, 0)
  await page.run('bench.start()')
  const before = await page.run('bench.heap()')
  await page.run('bench.spread(25, 1)')
  /** @type {number[] | typeof gaveUp} */
  let longTasks = gaveUp
  const cpu = await page.cpu(async () => {
    longTasks = await within(page.run(`bench.spread(${spread}, 1)`))
    await sleep(1000)
  })
  if (!Array.isArray(longTasks)) return {}
  const found = {
    downMainMs: perThousand(cpu.mainMs),
    downAllMs: perThousand(cpu.allMs),
    longTasksDown: longTasks.length,
    longTaskMsDown: sum(longTasks),
  }
  const flood = await within(page.run(`bench.flood(${flooded}, 500)`))
  if (flood === gaveUp) return found
  const called = { ...found, callUs10000: (flood.callMs / flooded) * 1000, blockedMs: flood.longestMs }
  const after = await within(page.run('bench.heap()'))
  if (after === gaveUp) return called
  const waiting = await within(page.cpu(() => sleep(waitMs)))
  if (waiting === gaveUp) return called
  return { ...called, queuedHeapBytes: after - before, waitingMainMsPerS: waiting.mainMs / (waitMs / 1000) }
}

/**
 * What one peer costs its page. A figure that is not there was given up: the page did not come to its end.
 * @param {import('../delivery/openBench.mjs').Bench} bench
 * @param {import('./createPeerSink.mjs').PeerSink} sink
 * @param {string} peer
 */
export async function measureCost(bench, sink, peer) {
  const up = await visitUp(bench, sink, peer)
  await sink.goAway()
  const down = await visitDown(bench, peer)
  await sink.comeBack()
  return Object.fromEntries(
    Object.entries({ ...up, ...down })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, Math.round(Number(value) * 100) / 100]),
  )
}
