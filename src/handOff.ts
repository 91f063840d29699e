import type { Instance } from './instance'
import { save } from './disk'
import { finish, mark, next, sizeOf, type Payload } from './queue'
import { prepareHandOff } from './transport'

/**
 * Keepalive requests and beacons of a page share 64 KiB of bodies in flight (Fetch, "HTTP-network-or-cache fetch").
 * Some are left free for other scripts of the page.
 */
export const handOffBytes = 60 * 1024

/** One request of an unload: what it carries, and whether it was given to the browser, as far as can be known. */
export interface Attempt {
  batch: Payload[]
  begun: boolean
  /** It is a request that was under way. */
  isFetch: boolean
}

/** What was begun is off the queue; what was not waits again. */
const settle = (w: Instance, { batch, begun, isFetch }: Attempt) => {
  const { browser } = w
  if (begun) {
    const { delivery, transport } = w.config
    // Behind a service worker nothing is sure to arrive that was not deferred.
    const isKept =
      delivery === 'at-least-once' ||
      (browser.hasWorker() && (isFetch || !!transport.fetch || !browser.canDefer()))
    if (isKept) save(w)
    finish(w, batch, { status: 'handed-off' }, isKept)
  } else {
    w.budget += sizeOf(batch)
    mark(batch, false)
  }
  return begun
}

const begin = (w: Instance, batch: Payload[], isFetch: boolean): Attempt => {
  const attempt = { batch, begun: isFetch, isFetch }
  w.budget -= sizeOf(batch)
  w.attempts.push(attempt)
  return attempt
}

/**
 * Gives to the browser all that a page has not sent, batch by batch, as far as its budget reaches. Each batch is noted
 * before, and taken off the disk right after: a handler that is cut short leaves whole batches, and the next one goes
 * on. Firefox cuts the first one short at any call: what was begun then counts as sent, and is deleted once more.
 */
export const handOff = (w: Instance, inFlight: Payload[]) => {
  const { maxBytes } = w.config.batch
  w.attempts = w.attempts.filter((attempt) => settle(w, attempt))
  // A keepalive request in flight outlives the page; a larger one may not, and stays for the next visit.
  if (inFlight[0] && sizeOf(inFlight) <= maxBytes) settle(w, begin(w, inFlight, true))

  for (;;) {
    const batch = next(w, Math.min(maxBytes, w.budget))
    if (!batch[0] || sizeOf(batch) > w.budget) return
    const send = prepareHandOff(w, batch)
    const attempt = begin(w, batch, false)
    mark(batch, true)
    if (!send(attempt)) {
      // The browser did not take it: it stays on disk for the next page.
      w.attempts.pop()
      attempt.begun = false
    }
    if (!settle(w, attempt)) return
  }
}
