import type { Config, DropReason } from '../types'

export type Limits = Config['queue']

interface Sized {
  /** Microseconds since 1970. */
  sequence: number
  payloads: { length: number }
  bytes: number
}

/**
 * Which rows have to go, oldest first, and why. `rows` are sorted by age; `count` and `bytes` are what there is in
 * all.
 */
export function findOverflow<T extends Sized>(
  rows: Iterable<T>,
  count: number,
  bytes: number,
  limits: Limits,
  now: number,
): [T, DropReason][] {
  const gone: [T, DropReason][] = []
  for (const row of rows) {
    const reason =
      row.sequence < (now - limits.ttlMs) * 1000
        ? 'too-old'
        : count > limits.maxEvents
          ? 'too-many'
          : bytes > limits.maxBytes
            ? 'too-big'
            : undefined
    if (!reason) break
    gone.push([row, reason])
    count -= row.payloads.length
    bytes -= row.bytes
  }
  return gone
}
