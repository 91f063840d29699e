import { measureCpu } from './measureCpu.mjs'
import { measureFlood } from './measureFlood.mjs'
import { measureInit, measureTimers } from './measureStart.mjs'
import { measureTrack } from './measureTrack.mjs'
import { median } from './median.mjs'
import { openBench } from './openBench.mjs'

const bench = await openBench()
console.log(`Chromium ${bench.version}; every measurement in a browser of its own, medians`)

/** @type {{ what: string, found: string, target: string, isMet: boolean }[]} */
const table = []
/** @param {string} what @param {number} value @param {number} most @param {string} unit */
const add = (what, value, most, unit) =>
  table.push({
    what,
    found: `${value.toFixed(2)} ${unit}`,
    target: `<= ${most} ${unit}`,
    isMet: value <= most,
  })

console.log('track() in bursts …')
const tracks = await measureTrack(bench, 3)
for (const { name, us } of tracks) add(`track() in bursts, service ${name} queued`, us, 10, 'us')
const all = tracks.map(({ us }) => us)
add('  the dearest over the cheapest of these', Math.max(...all) / Math.min(...all), 1.5, 'x')

console.log('main-thread CPU …')
const cpu = await measureCpu(bench, 5)
add(
  `CPU of 1,000 events in 1,000 tasks (${cpu.waymarkMs.toFixed(0)} ms) over the control's (${cpu.bareMs.toFixed(0)} ms)`,
  cpu.waymarkMs / cpu.bareMs,
  1.25,
  'x',
)

console.log('10,000 calls in one task …')
const floods = await measureFlood(bench, 3)
add(
  '10,000 calls in one task: longest block after the calls',
  median(floods.map((it) => Math.max(it.longestMs, it.storeMs))),
  150,
  'ms',
)
add(
  '  not delivered or dropped of 3 times 10,000',
  floods.reduce((sum, it) => sum + it.queued + Object.values(it.dropped).reduce((a, b) => a + b, 0), 0),
  0,
  'events',
)
console.log(
  `  (the calls themselves took ${median(floods.map((it) => it.callMs)).toFixed(0)} ms, delivery ${median(floods.map((it) => it.tookMs)).toFixed(0)} ms)`,
)

console.log('init() and idle …')
add('init(), synchronous, first load', median(await measureInit(bench, 9)), 2, 'ms')
const idle = await measureTimers(bench)
add('timers running while the queue is empty', idle.running, 0, 'timers')
add('  made in 3 s meanwhile', idle.made, 0, 'timers')
await bench.close()

const width = Math.max(...table.map(({ what }) => what.length))
console.log()
for (const { what, found, target, isMet } of table) {
  console.log(
    `${what.padEnd(width)}  ${found.padStart(12)}  ${target.padEnd(14)}  ${isMet ? 'met' : 'MISSED'}`,
  )
}
process.exit(table.every(({ isMet }) => isMet) ? 0 : 1)
