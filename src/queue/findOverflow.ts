import type { Config, DropReason } from '../types'
import { sum, type Row } from './row'

/** Which rows have to go, oldest first, and why. `rows` are sorted by age. What is in flight stays. */
export function findOverflow<T extends Pick<Row, 'key'> & { state?: Row['state'] }>(
  rows: T[],
  { maxEvents, maxBytes, ttlMs }: Config['queue'],
  now: number,
): [T, DropReason][] {
  const gone: [T, DropReason][] = []
  let queued = sum(rows, 2)
  let bytes = sum(rows, 3)
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
