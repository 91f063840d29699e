import { cutBatch } from '../queue/cutBatch'
import { sizeOf, type Payload } from '../queue/payload'
import { toBody } from '../wire'
import type { Transport } from './createTransport'

/** One request of an unload: what it carries, and whether it was given to the browser, as far as can be known. */
export interface Attempt {
  payloads: Payload[]
  begun: boolean
}

/**
 * Gives to the browser what the page has not sent, batch by batch, as far as `budgetBytes` reaches. Each batch is
 * noted in `attempts` before, and taken off the disk right after (`done`): a handler that is cut short leaves whole
 * batches, and the next handler goes on with those that were not begun.
 */
export function handOver(
  payloads: () => Payload[],
  transport: Transport,
  maxBytes: number,
  budgetBytes: number,
  attempts: Attempt[],
  done: (batch: Payload[]) => void,
) {
  for (;;) {
    const batch = cutBatch(payloads(), Math.min(maxBytes, budgetBytes))
    budgetBytes -= sizeOf(batch)
    if (!batch.length || budgetBytes < 0) return
    const send = transport.prepareHandOff(batch[0]!.kind, toBody(batch))
    const attempt: Attempt = { payloads: batch, begun: false }
    attempts.push(attempt)
    mark(batch, 'in-flight')
    if (!send(attempt)) {
      // The browser did not take it: it stays on disk for the next page.
      attempt.begun = false
      return mark(batch, 'waiting')
    }
    done(batch)
  }
}

export function mark(batch: Payload[], state: Payload['state']) {
  for (const payload of batch) payload.state = state
}
