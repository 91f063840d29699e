/**
 * 10,000 calls in one task, then the longest time that nothing else ran until all of it was delivered.
 * @param {import('./openBench.mjs').Bench} bench
 * @param {number} repeats
 * @returns {Promise<{ callMs: number, storeMs: number, longestMs: number, tookMs: number, queued: number, dropped: object }[]>}
 */
export async function measureFlood(bench, repeats) {
  const found = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    // Not before others: a page that never rests would starve the browser that it waits for, for seconds.
    const page = await bench.open({}, 0)
    await page.run('bench.start()')
    await page.run('bench.bursts(5, 20, 20)')
    await page.run('waymark.flush().then(() => 0)')
    found.push(await page.run('bench.flood(10000, 60000)'))
  }
  return found
}
