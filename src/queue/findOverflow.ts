import type { Config, DropReason } from '../types'
import type { Row } from './row'

/**
 * Which rows have to go, oldest first, and why. `rows` are sorted by age; `queued` and `bytes` are what there is in
 * all. What is in flight stays.
 */
export function findOverflow<T extends Pick<Row, 'key'> & { state?: Row['state'] }>(
  rows: T[],
  queued: number,
  bytes: number,
  { maxEvents, maxBytes, ttlMs }: Config['queue'],
  now: number,
): [T, DropReason][] {
  const gone: [T, DropReason][] = []
  for (const row of rows) {
    if (row.state === 'in-flight') continue
    const { key } = row
    const reason =
      key[1] < (now - ttlMs) * 1000
        ? 'too-old'
        : queued > maxEvents
          ? 'too-many'
          : bytes > maxBytes
            ? 'too-big'
            : undefined
    if (!reason) break
    gone.push([row, reason])
    queued -= key[2]
    bytes -= key[3]
  }
  return gone
}
