import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url))

/** The control as a script: what a call costs that keeps and sends, and does nothing else. */
export const bareScript = () => Buffer.concat([read('../delivery/bareQueue.js'), read('page/barePeer.js')])

/** Whose calls are compared one by one. */
export const burstNames = ['waymark', 'amplitude', 'bare']

const flooded = 10_000
const spread = 1000

/**
 * One call of 10,000 in one task, and the processor time of the page's main thread for 1,000 events in tasks of their
 * own: each in a browser of its own, one after the other.
 * @param {import('../delivery/openBench.mjs').Bench} bench
 * @param {string} peer
 */
export async function measureBurst(bench, peer) {
  const open = async () => {
    const page = await bench.open({ peer, scenario: 'burst', round: 0 })
    await page.run('bench.start()')
    return page
  }
  const calls = await open()
  // Compiled, as in a page that lives; the first batches have gone.
  await calls.run('bench.spread(100, 1)')
  const { p50Us, p99Us } = await calls.run(`bench.each(${flooded})`)

  const page = await open()
  await page.run('bench.spread(100, 1)')
  await sleep(500)
  const { mainMs } = await page.cpu(async () => {
    await page.run(`bench.spread(${spread}, 1)`)
    await sleep(500)
  })
  return { p50Us: Math.round(p50Us), p99Us: Math.round(p99Us), mainMs: Math.round(mainMs) }
}
