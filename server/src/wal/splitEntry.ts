import { splitArray } from '../json/splitArray.js'
import { lastOf, type LogEntry } from './segment.js'

const [open, close, comma] = [Buffer.from('['), Buffer.from(']'), Buffer.from(',')]

/** Some neighbours of an entry's rows, as an entry: `at` is the place of the first of them. */
const partOf = (entry: LogEntry, at: number, rows: readonly Buffer[]): LogEntry => ({
  ...entry,
  first: entry.first + at,
  count: rows.length,
  body: Buffer.concat([open, ...rows.flatMap((row, n) => (n === 0 ? [row] : [comma, row])), close]),
  request: requestOf(entry),
})

/** The rows of an entry, an entry each, to be tried one by one. */
export const rowsOf = (entry: LogEntry): LogEntry[] =>
  splitArray(entry.body).map((row, at) => ({ ...partOf(entry, at, [row]), isAlone: true }))

/** The rows of the request that an entry is, or is a part of. */
export const requestOf = (entry: LogEntry): { first: number; last: number } =>
  entry.request ?? { first: entry.first, last: lastOf(entry) }

/** What of an entry comes after a sequence: all of it, the end of it, or nothing. */
export const restOf = (entry: LogEntry, after: number): LogEntry[] => {
  if (entry.first > after) return [entry]
  if (lastOf(entry) <= after) return []
  const stored = after + 1 - entry.first
  return [partOf(entry, stored, splitArray(entry.body).slice(stored))]
}

/** The first rows of an entry; nothing where none are wanted. */
export const startOf = (entry: LogEntry, rows: number): LogEntry[] =>
  rows <= 0 ? [] : [partOf(entry, 0, splitArray(entry.body).slice(0, rows))]

/** An entry in parts of so many bytes at most, each of one row at least. */
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

/** Runs of neighbours that are stored together: so many bytes each at most, unless a single row has more. */
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
