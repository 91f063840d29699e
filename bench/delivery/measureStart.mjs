import { setTimeout as sleep } from 'node:timers/promises'

/**
 * What `init()` costs the first page of a visitor, and a later one, in milliseconds.
 * @param {import('./openBench.mjs').Bench} bench
 * @param {number} repeats
 */
export async function measureInit(bench, repeats) {
  const first = []
  const later = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    const page = await bench.open({})
    first.push(await page.run('bench.start()'))
    const again = await page.visit()
    later.push(await again.run('bench.start()'))
  }
  return { first, later }
}

/**
 * Timers that run, and that were made within three seconds, while there is nothing in the queue.
 * @param {import('./openBench.mjs').Bench} bench
 */
export async function measureTimers(bench) {
  const page = await bench.open({ watchTimers: true })
  await page.run('bench.start()')
  await page.run("waymark.track('Product Viewed')")
  await page.run('waymark.flush().then(() => 0)')
  await sleep(3000)
  const before = await page.run('bench.timers()')
  await sleep(3000)
  const after = await page.run('bench.timers()')
  const { queued } = await page.run('waymark.stats()')
  return { queued, running: after.running, made: after.made - before.made }
}
