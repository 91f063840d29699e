import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './median.mjs'

const held = 10_000
// Room for all of them and the bursts on top: eviction is not what is measured here.
const config = { queue: { maxEvents: 40_000, maxBytes: 100 * 1024 * 1024 } }
const bursts = 'bench.bursts(60, 50, 20)'

/**
 * Microseconds of one `track()` in bursts of 50, the storing microtask included: service up and down, the queue empty
 * and with 10,000 payloads in it.
 * @param {import('./openBench.mjs').Bench} bench
 * @param {number} repeats
 */
export async function measureTrack(bench, repeats) {
  /** @type {Record<'up, empty' | 'up, 10,000' | 'down, empty' | 'down, 10,000', number[]>} */
  const found = { 'up, empty': [], 'up, 10,000': [], 'down, empty': [], 'down, 10,000': [] }
  for (let repeat = 0; repeat < repeats; repeat++) {
    const page = await bench.open({ config })
    await page.run('bench.start()')
    await page.run('bench.bursts(20, 50, 10)')
    found['up, empty'].push(median(await page.run(bursts)))
    await bench.sink.goAway()
    await page.run('waymark.flush({ timeoutMs: 500 }).then(() => 0)')

    const other = await bench.open({ config })
    await other.run('bench.start()')
    // As warm as the first, and as empty as it can be while nothing is taken.
    found['down, empty'].push(median((await other.run('bench.bursts(80, 50, 20)')).slice(20)))
    await other.run(`bench.fill(${held})`)
    await sleep(500)
    found['down, 10,000'].push(median(await other.run(bursts)))
    await bench.sink.comeBack()
    await other.run('void waymark.flush()')
    // It drains meanwhile; 3,000 come on top.
    found['up, 10,000'].push(median(await other.run(bursts)))
  }
  return Object.entries(found).map(([name, values]) => ({ name, us: median(values) }))
}
