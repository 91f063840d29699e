import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './median.mjs'

const held = 10_000
// Room for all of them and the bursts on top: eviction is not what is measured here.
const config = { queue: { maxEvents: 60_000, maxBytes: 100 * 1024 * 1024 } }
const warmUp = 'bench.bursts(20, 100, 10)'
const bursts = 'bench.bursts(50, 100, 20)'

/**
 * Microseconds of one `track()` in bursts of 100, the storing microtask included: service up and down, the queue empty
 * and with 10,000 payloads in it; and the same of the control.
 * @param {import('./openBench.mjs').Bench} bench
 * @param {number} repeats
 */
export async function measureTrack(bench, repeats) {
  /** @type {Record<'up, empty' | 'up, 10,000' | 'down, empty' | 'down, 10,000' | 'control', number[]>} */
  const found = { 'up, empty': [], 'up, 10,000': [], 'down, empty': [], 'down, 10,000': [], control: [] }
  for (let repeat = 0; repeat < repeats; repeat++) {
    const bare = await bench.open({ queue: 'bare' })
    await bare.run('bench.start()')
    await bare.run(warmUp)
    found.control.push(median(await bare.run(bursts)))

    const page = await bench.open({ config })
    await page.run('bench.start()')
    await page.run(warmUp)
    await page.run('waymark.flush().then(() => 0)')
    found['up, empty'].push(median(await page.run(bursts)))
    await bench.sink.goAway()

    const other = await bench.open({ config })
    await other.run('bench.start()')
    // As warm as the first, and as empty as it can be while nothing is taken.
    await other.run('bench.bursts(10, 100, 10)')
    found['down, empty'].push(median(await other.run('bench.bursts(25, 100, 20)')))
    await other.run(`bench.fill(${held})`)
    await sleep(500)
    found['down, 10,000'].push(median(await other.run(bursts)))
    await bench.sink.comeBack()
    await other.run('void waymark.flush()')
    // It drains meanwhile; 5,000 come on top.
    found['up, 10,000'].push(median(await other.run(bursts)))
  }
  const { control, ...ours } = found
  return {
    controlUs: median(control),
    tracks: Object.entries(ours).map(([name, values]) => ({ name, us: median(values) })),
  }
}
