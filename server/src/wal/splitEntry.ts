import { splitArray } from '../http/json/sliceItems.js'
import { lastOf, type LogEntry } from './segment.js'

const [open, close, comma] = [Buffer.from('['), Buffer.from(']'), Buffer.from(',')]

/** An entry of some neighbouring rows of another entry; `at` is the index of the first of them. */
const partOf = (entry: LogEntry, at: number, rows: readonly Buffer[]): LogEntry => ({
  ...entry,
  first: entry.first + at,
  count: rows.length,
  body: Buffer.concat([open, ...rows.flatMap((row, n) => (n === 0 ? [row] : [comma, row])), close]),
  request: requestOf(entry),
})

/** Makes an entry of each row, so that rows can be tried one by one. */
export const rowsOf = (entry: LogEntry): LogEntry[] =>
  splitArray(entry.body).map((row, at) => ({ ...partOf(entry, at, [row]), isAlone: true }))

/** The first and last row of the request that an entry belongs to. */
export const requestOf = (entry: LogEntry): { first: number; last: number } =>
  entry.request ?? { first: entry.first, last: lastOf(entry) }

/** The part of an entry after a sequence: all of the entry, its end, or nothing. */
export const restOf = (entry: LogEntry, after: number): LogEntry[] => {
  if (entry.first > after) return [entry]
  if (lastOf(entry) <= after) return []
  const stored = after + 1 - entry.first
  return [partOf(entry, stored, splitArray(entry.body).slice(stored))]
}

/** The first `rows` rows of an entry; nothing when that is 0. */
export const startOf = (entry: LogEntry, rows: number): LogEntry[] =>
  rows <= 0 ? [] : [partOf(entry, 0, splitArray(entry.body).slice(0, rows))]

/** Cuts an entry into parts of at most `maxBytes`, each with at least one row. */
export const piecesOf = (entry: LogEntry, maxBytes: number): LogEntry[] => {
  if (entry.count === 1 || entry.body.length <= maxBytes) return [entry]
  const pieces: LogEntry[] = []
  const rows = splitArray(entry.body)
  let [from, bytes] = [0, 0]
  for (let at = 0; at < rows.length; at++) {
    if (at > from && bytes + rows[at]!.length > maxBytes) {
      pieces.push(partOf(entry, from, rows.slice(from, at)))
      ;[from, bytes] = [at, 0]
    }
    bytes += rows[at]!.length
  }
  return [...pieces, partOf(entry, from, rows.slice(from))]
}

/** Groups entries into batches of at most `maxBytes`; a single larger row is a batch by itself. */
export function* batchesOf(entries: readonly LogEntry[], maxBytes: () => number): Generator<LogEntry[]> {
  let [batch, bytes]: [LogEntry[], number] = [[], 0]
  for (const entry of entries) {
    for (const piece of piecesOf(entry, maxBytes())) {
      if (batch.length > 0 && bytes + piece.body.length > maxBytes()) {
        yield batch
        ;[batch, bytes] = [[], 0]
      }
      batch.push(piece)
      bytes += piece.body.length
    }
  }
  if (batch.length > 0) yield batch
}

export const rowsIn = (entries: readonly LogEntry[]): number =>
  entries.reduce((sum, { count }) => sum + count, 0)
