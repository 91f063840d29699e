import type { Browser } from '../browser/browser'
import type { Queue } from '../queue/createQueue'
import type { Tally } from '../queue/createTally'
import type { Flushed } from '../types'

const count = (dropped: Tally['dropped']) => Object.values(dropped).reduce((sum, n) => sum + n, 0)

/** Sends all that waits and tells what became of it, after `timeoutMs` at the latest. Never rejects. */
export async function flush(
  browser: Browser,
  queue: Queue,
  tally: Tally,
  drain: () => Promise<unknown>,
  timeoutMs = 30_000,
): Promise<Flushed> {
  const { sent, dropped } = tally
  const before = count(dropped)
  await within(browser, timeoutMs, drain())
  return { sent: tally.sent - sent, left: queue.size().queued, dropped: count(dropped) - before }
}

/** Resolves when the work is done or has failed, and after `ms` at the latest. */
export const within = (browser: Browser, ms: number, work: Promise<unknown>, onLate?: () => void) =>
  new Promise<void>((resolve) => {
    const stop = browser.after(ms, () => {
      onLate?.()
      resolve()
    })
    const done = () => {
      stop()
      resolve()
    }
    work.then(done, () => {
      onLate?.()
      done()
    })
  })
