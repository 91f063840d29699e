import type { Payload } from './payload'

/**
 * The next request's payloads: the first records that wait, of one kind, in order, as many as fit into `maxBytes`.
 * One alone may be larger. Records stay whole: at unload a record can be deleted, but not written anew.
 */
export function cutBatch(payloads: Payload[], maxBytes: number): Payload[] {
  const batch: Payload[] = []
  let bytes = 1 // the brackets, less the comma that the first payload does without
  for (const payload of payloads) {
    if (payload.state !== 'waiting') continue
    const { row } = payload
    if (row !== batch.at(-1)?.row) {
      bytes += row.bytes + row.payloads.length
      if (batch.length && (row.kind !== batch[0]!.kind || bytes > maxBytes)) break
    }
    batch.push(payload)
  }
  return batch
}
