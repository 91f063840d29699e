import { cutBatch } from '../queue/cutBatch'
import { sizeOf, type Payload } from '../queue/payload'
import { toBody } from '../wire'
import type { Transport } from './createTransport'

/**
 * Gives to the browser what the page has not sent, batch by batch, as far as `budgetBytes` reaches. Each batch is
 * marked before (`begin`) and taken off the disk right after (`done`): a handler that is cut short leaves whole
 * batches, and the next handler goes on with those that are not marked.
 */
export function handOver(
  payloads: () => Payload[],
  transport: Transport,
  maxBytes: number,
  budgetBytes: number,
  begin: (batch: Payload[]) => void,
  done: (batch: Payload[]) => void,
) {
  for (;;) {
    const batch = cutBatch(payloads(), Math.min(maxBytes, budgetBytes))
    budgetBytes -= sizeOf(batch)
    if (!batch.length || budgetBytes < 0) return
    for (const payload of batch) payload.state = 'in-flight'
    begin(batch)
    if (!transport.handOff(batch[0]!.kind, toBody(batch))) {
      // The browser did not take it: it stays on disk for the next page.
      for (const payload of batch) payload.state = 'waiting'
      return
    }
    done(batch)
  }
}
