import { splitArray } from '../json/splitArray.js'
import { lastOf, type LogEntry } from './segment.js'

const [open, close] = [Buffer.from('['), Buffer.from(']')]

/** The rows of an entry, an entry each. */
export const rowsOf = (entry: LogEntry): LogEntry[] =>
  splitArray(entry.body).map((row, at) => ({
    ...entry,
    first: entry.first + at,
    count: 1,
    body: Buffer.concat([open, row, close]),
    request: requestOf(entry),
  }))

/** The rows of the request that an entry is, or is a part of. */
export const requestOf = (entry: LogEntry): { first: number; last: number } =>
  entry.request ?? { first: entry.first, last: lastOf(entry) }

/** What of an entry comes after a sequence. */
export const restOf = (entry: LogEntry, after: number): LogEntry[] => {
  if (entry.first > after) return [entry]
  return lastOf(entry) <= after ? [] : rowsOf(entry).filter(({ first }) => first > after)
}
