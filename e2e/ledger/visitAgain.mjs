import { setTimeout as sleep } from 'node:timers/promises'

/** The library takes a lane over when it has been silent for five seconds; then it asks, claims and sends. */
const quietMs = 7500
const patienceMs = 60_000

/**
 * A later visit to every origin: one page each, with a frame for each scenario. It finds what earlier pages left, and
 * shows what they left though it had been sent.
 * @param {import('./createStage.mjs').Staged[]} staged
 * @param {(url: string) => Promise<{ close(): Promise<void> }>} open
 */
export async function visitAgain(staged, open) {
  /** @type {Map<string, URLSearchParams>} */
  const pages = new Map()
  for (const { origin, plan } of staged.flatMap(({ laterPlans }) => laterPlans)) {
    const frames = pages.get(origin) ?? new URLSearchParams()
    frames.append('frame', plan)
    pages.set(origin, frames)
  }
  const opened = []
  for (const [origin, frames] of pages) opened.push(await open(`${origin}/frames?${frames}`))
  const count = () => staged.reduce((sum, { stage }) => sum + stage.proxy.arrivals.length, 0)
  const isComplete = () => staged.every(({ stage }) => stage.book.isComplete(stage.proxy.arrivals))
  const until = Date.now() + patienceMs
  let arrived = -1
  // Until all has come, and nothing more for as long as a page may wait before it takes a lane over. On a slow machine
  // the pages begin late; what is lost is waited for in vain.
  while (opened.length && !(isComplete() && count() === arrived) && Date.now() < until) {
    arrived = count()
    await sleep(quietMs)
  }
  for (const page of opened) await page.close()
}
