import type { Kind, Outcome } from '../types'

/** One call that waits: serialised when it was made, sent as it is. */
export interface Payload {
  readonly id: string
  readonly body: string
  /** Tells the caller, when this page made the call. */
  readonly settle?: (outcome: Outcome) => void
}

/** What one task tracked: stored as one record, sent and deleted as a whole. */
export interface Row {
  readonly kind: Kind
  /** Where it is on disk, or will be. */
  readonly key: RowKey
  readonly payloads: Payload[]
  state: 'waiting' | 'in-flight' | 'gone'
  /** A transaction puts it, or has put it, on disk. */
  isStored: boolean
}

/**
 * Keys alone tell how much waits and how old it is, so that a page can look at what others left without reading it.
 * `sequence` is in microseconds since 1970; with `origin`, the lane it was tracked in, it is unique for ever. `bytes`
 * counts the bodies in UTF-8, and one for what stands between two.
 */
export type RowKey = [lane: string, sequence: number, payloads: number, bytes: number, origin: string]

/** The kind and the bodies, a line each: JSON has no line breaks, and one string is what a browser clones fastest. */
export type StoredRow = string

const encoder = new TextEncoder()

/** In UTF-8. Most payloads are ASCII, and then it is the length: three times as fast as encoding them. */
export const byteLength = (text: string) =>
  // oxlint-disable-next-line no-control-regex
  /^[\x00-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length

/** How many payloads rows hold (2), or how many bytes (3): what their keys say. */
export const sum = (rows: Pick<Row, 'key'>[], field: 2 | 3) =>
  rows.reduce((total, row) => total + row.key[field], 0)

/** Bytes of the body of a request with these rows. */
export const sizeOf = (batch: Row[]) => sum(batch, 3) + 1
