import type { Queue } from '../queue/createQueue'
import { cutBatch } from '../queue/cutBatch'
import { sizeOf, type Row } from '../queue/row'
import type { Config } from '../types'
import { toBody } from '../wire'
import type { Transport } from './createTransport'

/** Keepalive requests and beacons of a page share 64 KiB of bodies in flight (Fetch, "HTTP-network-or-cache fetch"). */
const keepaliveBytes = 65_536

/** Left free of them, for other scripts of the page. */
const spareBytes = 4096

/** One request of an unload: what it carries, and whether it was given to the browser, as far as can be known. */
interface Attempt {
  rows: Row[]
  begun: boolean
}

/**
 * Returns what gives to the browser all that a page has not sent, batch by batch, as far as its budget reaches. Each
 * batch is noted before, and taken off the disk right after: a handler that is cut short leaves whole batches, and the
 * next one goes on. Firefox cuts the first one short at any call: what was begun then counts as sent, and is deleted
 * once more.
 */
export function createHandOver(
  queue: Queue,
  transport: Transport,
  { batch: { maxBytes }, delivery }: Config,
) {
  let attempts: Attempt[] = []
  let budget = keepaliveBytes - spareBytes

  const begin = (rows: Row[], begun: boolean): Attempt => {
    const attempt = { rows, begun }
    budget -= sizeOf(rows)
    attempts.push(attempt)
    return attempt
  }
  /** What was begun is off the queue; what was not waits again. */
  const settle = (attempt: Attempt): boolean => {
    if (attempt.begun) queue.finish(attempt.rows, { status: 'handed-off' }, delivery === 'at-least-once')
    else {
      budget += sizeOf(attempt.rows)
      mark(attempt.rows, 'waiting')
    }
    return attempt.begun
  }

  return (inFlight: Row[]) => {
    attempts = attempts.filter(settle)
    // A keepalive request in flight outlives the page; a larger one may not, and stays for the next visit.
    if (inFlight.length && sizeOf(inFlight) <= maxBytes) settle(begin(inFlight, true))

    for (;;) {
      const rows = cutBatch(queue.all(), Math.min(maxBytes, budget))
      if (!rows.length || sizeOf(rows) > budget) return
      const send = transport.prepareHandOff(rows[0]!.kind, toBody(rows))
      const attempt = begin(rows, false)
      mark(rows, 'in-flight')
      if (!send(attempt)) {
        // The browser did not take it: it stays on disk for the next page.
        attempts.pop()
        attempt.begun = false
      }
      if (!settle(attempt)) return
    }
  }
}

/** What is gone meanwhile (consent was taken back, the instance ended) stays gone. */
export function mark(rows: Row[], state: Row['state']) {
  for (const row of rows) if (row.state !== 'gone') row.state = state
}
