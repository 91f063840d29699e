import type { Payload } from './payload'

/**
 * The next request's payloads: the first ones that wait, of one kind, in order, as many as fit into `maxBytes`.
 * One alone may be larger.
 */
export function cutBatch(payloads: Payload[], maxBytes: number): Payload[] {
  const batch: Payload[] = []
  let bytes = 1 // the brackets, less the comma that the first payload does without
  for (const payload of payloads) {
    if (payload.state !== 'waiting') continue
    bytes += payload.bytes + 1
    if (batch.length && (payload.kind !== batch[0]!.kind || bytes > maxBytes)) break
    batch.push(payload)
  }
  return batch
}
