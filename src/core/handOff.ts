import type { Instance } from './instance'
import type { Attempt } from './records'
import { save } from './disk'
import { finish, mark, next, sizeOf } from './queue'
import { handOffBytes, mayGo, post, prepareHandOff } from './transport'

/** Takes the records whose hand-off was begun off the queue and the disk. */
const settle = (w: Instance, attempt: Attempt) => {
  // Behind a service worker nothing is sure to arrive that was not deferred.
  const isKept = w.config.delivery === 'at-least-once' || (w.browser.hasWorker() && !attempt.isDeferred)
  if (isKept) save(w)
  finish(w, attempt.batch, { status: 'handed-off' }, isKept)
}

/**
 * Gives to the browser all that a page has not sent, batch by batch, as far as its budget reaches. Each batch is noted
 * before, and taken off the disk right after: a handler that is cut short leaves whole batches, and the next one goes
 * on. Firefox cuts the first one short at any call: what was begun then counts as sent, and is deleted once more; what
 * was not waits again.
 */
export const handOff = (w: Instance) => {
  w.stopDeferred()
  // A new list tells the sending under way that the page has left.
  w.attempts = w.attempts.filter(({ batch, begun }) => {
    // What a record holds beside a batch, one that is being halved, goes by a request of its own.
    mark(w, batch, false)
    return begun
  })
  for (const attempt of w.attempts) settle(w, attempt)

  for (;;) {
    let budget = handOffBytes
    for (const attempt of w.attempts) budget -= sizeOf(attempt.batch)
    const batch = next(w, Math.min(w.config.batch.maxBytes, budget))
    // Events without ids wait until the service has said that it takes them.
    if (!batch[0] || !(sizeOf(batch) <= budget) || !mayGo(w, batch)) return
    const send = prepareHandOff(w, batch)
    const attempt = { batch, begun: false }
    w.attempts.push(attempt)
    if (!send(attempt)) {
      // The browser, or a function in its place, did not take it: it stays on disk for the next page.
      w.attempts.pop()
      return
    }
    settle(w, attempt)
  }
}

/** Longer than the longest pause: the browser sends by itself only where the page's timers do not ring any more. */
const deferMs = 360_000

/**
 * Leaves to the browser what a hidden page holds in memory alone, in place of what was left before: such a page may be
 * killed without a word.
 */
export const defer = (w: Instance) => {
  w.stopDeferred()
  if (!w.browser.hidden()) return
  // A `fetch` of the page's own is not passed over. Who was never answered is asked as rarely as the back-off says.
  if (w.config.transport.fetch || typeof w.settings.down === 'object') return
  // The next visit sends what is on the disk: handed off too, it would be sent twice.
  const batch = next(w, handOffBytes, true)
  if (batch[0] && mayGo(w, batch))
    w.stopDeferred = w.browser.defer(...post(w, batch[0].record.kind, batch, true), deferMs)
}
