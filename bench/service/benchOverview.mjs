import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillStore, readQuestions, reload } from './benchCache.mjs'
import { basic, startService } from './startProcess.mjs'

const millions = Number(process.env.BENCH_EVENTS ?? 1.26)
const rounds = 7
/** The second half of the shop, which is compared with the first. */
const half = '/app/?range=custom&from=2025-09-13&until=2025-12-11'
const pages = {
  '90 days and the 90 before': half,
  'the same with a goal': `${half}&goal=Order`,
  'the same with two filters': `${half}&filter=browser%7Cis%7CChrome&filter=path%7Cis%7C%2Fmaps`,
  'a month and the month before': '/app/?range=custom&from=2025-11-12&until=2025-12-11',
}

const saveGoal = async (url) => {
  const goal = { kind: 'goal', name: 'Order', value: { event: 'Order Placed' } }
  const response = await fetch(`${url}/saved`, {
    method: 'POST',
    headers: { authorization: basic, 'content-type': 'application/json' },
    body: JSON.stringify(goal),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** How long a reload of the overview waits for its last answer, with no answer in the cache. */
export const benchOverview = async () => {
  const given = process.env.BENCH_STORE
  const folder = given ?? mkdtempSync(join(tmpdir(), 'waymark-bench-overview-'))
  if (given === undefined) await fillStore(folder, millions * 1_000_000)
  const service = await startService([], undefined, folder)
  await saveGoal(service.url)
  const results = []
  for (const [name, address] of Object.entries(pages)) {
    const questions = await readQuestions(service.url, address)
    const took = []
    for (let round = 0; round < rounds; round++)
      took.push(await reload(service.url, questions, { cache: false }))
    const ms = took.toSorted((a, b) => a - b)[rounds >> 1]
    results.push([`overview: ${name}, ${millions} M events`, '≤ 2 s', `${ms.toFixed(0)} ms`, ms <= 2000])
  }
  await service.stop()
  if (given === undefined) rmSync(folder, { recursive: true, force: true })
  return results
}
