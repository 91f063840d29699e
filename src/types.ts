/** Removes what the call that returned it added. */
export type Stop = () => void

/** JSON-safe or not: what is not is made so (see `docs/library.md`, "Values"). */
export type Properties = Record<string, unknown>

/** Which of the three analytics operations a payload belongs to. */
export type Kind = 'track' | 'identify' | 'alias'

/** Why a payload was let go without being delivered. */
export type DropReason =
  | 'invalid' // the call itself was refused; `errorCode` says why
  | 'quarantined' // the service will never take it; `errorCode` says why
  | 'too-many' // `queue.maxEvents`
  | 'too-big' // `queue.maxBytes`
  | 'too-old' // `queue.ttlMs`
  | 'before-send' // `beforeSend` returned null
  | 'shut-down' // tracked after `shutdown()`

/** What became of one call. */
export type Outcome =
  | { status: 'accepted'; taskId?: string }
  | { status: 'handed-off' }
  | { status: 'queued' }
  | { status: 'dropped'; reason: DropReason; errorCode?: string }

export interface Tracked {
  /** The payload's `insert_id`, or an empty string when the call was refused. */
  readonly id: string
  /** Never rejects. Settles when the service answered, the browser took the payload over, or it was dropped. */
  readonly outcome: Promise<Outcome>
}

/** The ids this browser sends now. Empty strings until `ready()`. */
export interface Ids {
  readonly deviceId: string
  readonly anonymousId: string
  readonly distinctId: string
  /** The id given to `identify`, if there is one. */
  readonly userId?: string
}
