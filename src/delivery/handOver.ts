import { cutBatch } from '../queue/cutBatch'
import { sizeOf, type Payload } from '../queue/payload'
import { toBody } from '../wire'
import type { Transport } from './createTransport'

/**
 * Gives to the browser what the page has not sent, batch by batch, as far as `budgetBytes` reaches, and returns the
 * bytes used. Each batch is marked in memory first and taken off the disk right after: a handler that is cut short
 * (Firefox, tab close) leaves whole batches, and the next handler goes on with those that are not marked.
 */
export function handOver(
  payloads: () => Payload[],
  transport: Transport,
  maxBytes: number,
  budgetBytes: number,
  done: (batch: Payload[]) => void,
): number {
  let used = 0
  for (;;) {
    const batch = cutBatch(payloads(), Math.min(maxBytes, budgetBytes - used))
    const body = toBody(batch)
    const bytes = sizeOf(batch)
    if (!batch.length || used + bytes > budgetBytes) return used
    for (const payload of batch) payload.state = 'in-flight'
    if (!transport.handOff(batch[0]!.kind, body)) {
      for (const payload of batch) payload.state = 'waiting'
      return used
    }
    used += bytes
    done(batch)
  }
}
