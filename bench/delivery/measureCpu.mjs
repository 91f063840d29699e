import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './median.mjs'

const count = 1000

/**
 * Main-thread CPU of 1,000 events, each in a task of its own, sent 20 at a time: waymark, the control, and the same
 * tasks without any queue. Each in turn, in a browser of its own.
 * @param {import('./openBench.mjs').Bench} bench
 * @param {number} repeats
 */
export async function measureCpu(bench, repeats) {
  /** @type {Record<'waymark' | 'bare' | 'nothing', number[]>} */
  const found = { waymark: [], bare: [], nothing: [] }
  const queues = /** @type {const} */ (['waymark', 'bare', 'nothing'])
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const queue of queues) {
      const page = await bench.open({ queue })
      await page.run('bench.start()')
      // All are warmed up alike: code is compiled, the first batches have gone.
      await page.run('bench.spread(400, 1)')
      await sleep(500)
      const { mainMs } = await page.cpu(async () => {
        await page.run(`bench.spread(${count}, 1)`)
        await sleep(300)
      })
      found[queue].push(mainMs)
    }
  }
  const nothing = median(found.nothing)
  return { waymarkMs: median(found.waymark) - nothing, bareMs: median(found.bare) - nothing, found }
}
