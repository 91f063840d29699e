import type { Kind, Tracked } from '../types'

/** A payload that waits: serialised at the call, sent as it is. */
export interface Payload {
  readonly id: string
  readonly kind: Kind
  readonly body: string
  /** Size of `body` in UTF-8. */
  readonly bytes: number
  readonly row: Row
  state: 'waiting' | 'in-flight' | 'gone'
  /** The call, when this page made it. */
  readonly tracked: Tracked | undefined
}

/** What one task tracked, and what is stored as one record. */
export interface Row {
  /** Sorts and dates the record: microseconds since 1970, never twice in one lane. */
  readonly sequence: number
  /** The lane it was tracked in, when that is another: with the sequence, unique for ever. */
  readonly origin: string
  readonly kind: Kind
  payloads: Payload[]
  bytes: number
  /** Where it is on disk; absent before it is stored. */
  key?: RowKey
}

/**
 * Keys alone tell how much waits and how old it is, so that a page can look at what
 * others left without reading it.
 */
export type RowKey = [lane: string, sequence: number, payloads: number, bytes: number, origin: string]

/** The kind and the bodies, a line each: JSON has no line breaks, and one string is what a browser clones fastest. */
export type StoredRow = string

const encoder = new TextEncoder()

/** In UTF-8. Most payloads are ASCII, and then it is the length: three times as fast as encoding them. */
export const byteLength = (text: string) =>
  // oxlint-disable-next-line no-control-regex
  /^[\x00-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length

/** Bytes of the body of a request with these payloads: two brackets, and a comma less than payloads. */
export const sizeOf = (batch: Payload[]) =>
  batch.reduce((sum, { bytes }) => sum + bytes + 1, batch.length && 1)
