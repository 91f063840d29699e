import { measureCpu } from './measureCpu.mjs'
import { measureFlood } from './measureFlood.mjs'
import { measureInit, measureTimers } from './measureStart.mjs'
import { measureTrack } from './measureTrack.mjs'
import { median } from './median.mjs'
import { openBench } from './openBench.mjs'
import { ensureBuilt } from '../../scripts/setup.mjs'

/** @type {{ what: string, found: string, target: string, isMet: boolean }[]} */
const table = []
/** @param {string} what @param {number} value @param {number} most @param {string} unit */
const add = (what, value, most, unit) =>
  void table.push({
    what,
    found: `${value.toFixed(2)} ${unit}`,
    target: `<= ${most} ${unit}`,
    isMet: value <= most,
  })
const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0)

/** @type {Record<string, (bench: import('./openBench.mjs').Bench) => Promise<void>>} */
const parts = {
  async track(bench) {
    const { controlUs, tracks } = await measureTrack(bench, 3)
    for (const { name, us } of tracks) add(`track() in bursts of 100, service ${name} queued`, us, 10, 'us')
    const all = tracks.map(({ us }) => us)
    add('  the dearest over the cheapest of these', Math.max(...all) / Math.min(...all), 1.5, 'x')
    console.log(`  the control takes ${controlUs.toFixed(2)} us`)
  },

  async cpu(bench) {
    const { waymarkMs, bareMs } = await measureCpu(bench, 5)
    add('main-thread CPU of 1,000 events in 1,000 tasks, over the control', waymarkMs / bareMs, 1.25, 'x')
    console.log(`  waymark ${waymarkMs.toFixed(0)} ms, the control ${bareMs.toFixed(0)} ms`)
  },

  async flood(bench) {
    const floods = await measureFlood(bench, 3)
    const longest = floods.map(({ longestMs, storeMs }) => Math.max(longestMs, storeMs))
    add('10,000 calls in one task: longest block after the calls', median(longest), 150, 'ms')
    const gone = floods.map(({ queued, dropped }) => queued + sum(Object.values(dropped)))
    add('  of three times 10,000, not delivered', sum(gone), 0, 'events')
    const of = (/** @type {'callMs' | 'tookMs'} */ name) => median(floods.map((it) => it[name])).toFixed(0)
    console.log(`  the calls themselves took ${of('callMs')} ms, delivery ${of('tookMs')} ms`)
  },

  async init(bench) {
    const { first, later } = await measureInit(bench, 9)
    add('init(), synchronous, first visit', median(first), 1, 'ms')
    add('  a later visit', median(later), 1, 'ms')
  },

  async idle(bench) {
    const { running, made } = await measureTimers(bench)
    add('timers running while the queue is empty', running, 0, 'timers')
    add('  made in 3 s meanwhile', made, 0, 'timers')
  },
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !parts[name])
if (unknown) {
  console.error(`There is no part ${unknown}; the parts are ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}

await ensureBuilt({ only: ['library'] })
const bench = await openBench()
console.log(`Chromium ${bench.version}; each measurement in a browser of its own; medians`)
try {
  for (const name of names.length ? names : Object.keys(parts)) {
    console.log(`${name} …`)
    await parts[name]?.(bench)
  }
} finally {
  await bench.close()
}

const width = Math.max(...table.map(({ what }) => what.length))
console.log()
for (const { what, found, target, isMet } of table) {
  console.log(
    `${what.padEnd(width)}  ${found.padStart(12)}  ${target.padEnd(14)}  ${isMet ? 'met' : 'MISSED'}`,
  )
}
process.exit(table.every(({ isMet }) => isMet) ? 0 : 1)
