import { setTimeout as sleep } from 'node:timers/promises'

/** The library takes a lane over when it has been silent for five seconds; then it asks, claims and sends. */
const quietMs = 7500
/** A backstop, for what is lost. On a slow machine the pages begin late. */
const patienceMs = 120_000

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
  if (opened.length === 0) return
  // Until all has come, and nothing more for as long as a page may wait before it takes a lane over.
  let quietForMs = 0
  do {
    const before = count()
    await sleep(quietMs)
    quietForMs = count() === before ? quietForMs + quietMs : 0
  } while (!(isComplete() && quietForMs > 0) && quietForMs < patienceMs)
  for (const page of opened) await page.close()
}
