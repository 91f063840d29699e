import type { Row } from './row'

/**
 * The next request's rows: the first that wait, of one kind, in order, as many as fit into `maxBytes`. One alone may
 * be larger.
 */
export function cutBatch(rows: Row[], maxBytes: number): Row[] {
  const batch: Row[] = []
  let bytes = 1
  for (const row of rows) {
    if (row.state !== 'waiting') continue
    bytes += row.key[3]
    if (batch.length && (row.kind !== batch[0]!.kind || bytes > maxBytes)) break
    batch.push(row)
  }
  return batch
}
