import type { Receipt } from './receipt'
import type { DropReason, Kind } from './types'

// What becomes of a call: it waits for the visitor, then as a payload in a record, which a request carries.

/** Ends a call, by being thrown and caught in `capture.ts`. What has a code is told; a reason alone is only counted. */
export type Refusal = [reason: DropReason, errorCode?: string, what?: unknown]

/** A call that waits for the visitor to be known: what to run then, or what to tell it when it is refused. */
export interface Call {
  run(): void
  end(refusal: Refusal): void
  /** What the caller holds, where the call makes a payload. */
  receipt?: Receipt | undefined
}

/** A call whose end is told. */
export interface Ended {
  readonly id: string
  readonly body?: string
  /** What the caller holds, when this page made the call. */
  readonly receipt?: Receipt | undefined
  /** What makes the call anew, of an event without ids. */
  readonly call?: Call | undefined
}

/** One call that waits: serialised when it was made, sent as it is. */
export interface Payload extends Ended {
  readonly body: string
  /** Bytes of the body in UTF-8, and one for what stands between two. */
  readonly size: number
  readonly record: EventRecord
}

/** An event record: what one task tracked, stored under one key. */
export interface EventRecord {
  readonly kind: Kind
  readonly key: RecordKey
  items: Payload[]
  /** A transaction puts it on disk, or has put it. */
  isPut: boolean
  /** A transaction that put it is done. */
  isStored: boolean
  /** A request carries it. */
  isBusy: boolean
}

/**
 * Keys alone tell how much waits and how old it is, so that a page can count what others left without reading it.
 * `sequence` is in microseconds since 1970; with `origin`, the page queue it was tracked in, it is unique for ever.
 */
export type RecordKey = [queue: string, sequence: number, payloads: number, origin: string]

/** One request that the page may not outlive: what it carries, and whether the browser has it, as far as can be known. */
export interface Attempt {
  batch: Payload[]
  begun: boolean
  /** `fetchLater` carries it. */
  isDeferred?: boolean
}
