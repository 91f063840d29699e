// What is said of one call: what it carries, whose it is, and what becomes of it. All of it is public (`types.ts`).

/** Removes what the call that returned it added. */
export type Stop = () => void

/** Any values: what JSON cannot hold is made to fit (see "Values" in `docs/library.md`). */
export type Properties = Record<string, unknown>

/** Which of the analytics operations a payload belongs to; `anonymous` is an event without ids. */
export type Kind = 'track' | 'identify' | 'alias' | 'anonymous'

/** Why a payload was let go without being delivered. */
export type DropReason =
  /** The call was refused; `errorCode` says why. */
  | 'invalid'
  /** The service will never take it; `errorCode` says why. */
  | 'quarantined'
  /** More than `queue.maxEvents` payloads were waiting; the oldest went. */
  | 'too-many'
  /** More than `queue.maxBytes` were waiting, and the oldest went; or it alone is more than that. */
  | 'too-big'
  /** It waited for longer than `queue.ttlMs`. */
  | 'too-old'
  /** The disk was full, and this was among the oldest. */
  | 'no-space'
  /** The visitor has refused, or Global Privacy Control has. */
  | 'no-consent'
  /** `beforeSend`, of the configuration or a plugin, returned null. */
  | 'before-send'
  /** This device is not in the sample (`waymark/sample`). */
  | 'sampled-out'
  /** It was tracked after `shutdown()`, or was not on disk then. */
  | 'shut-down'

/** What became of one call. */
export type Outcome =
  /** The service answered `ok: true`. */
  | { status: 'accepted'; taskId?: string | undefined }
  /** The page went, and the browser delivers the request without it. */
  | { status: 'handed-off' }
  /** The page went, or the instance ended, and the payload stays on disk for the next page. */
  | { status: 'queued' }
  | { status: 'dropped'; reason: DropReason; errorCode?: string | undefined }

/** What a call to `track`, `identify` or `alias` returns. */
export interface Tracked {
  /** The payload's `insert_id`; an empty string when the call was refused. */
  readonly id: string
  /** Never rejects. Created when first read, so that a caller who does not look pays nothing. */
  readonly outcome: Promise<Outcome>
}

export interface TrackOptions {
  /** When it happened: Unix milliseconds, ISO 8601 or a `Date`. @defaultValue the moment of the call */
  timestamp?: number | string | Date
  /** Id of this event alone, when it has one of its own (`paid-1042`). @defaultValue a new one */
  insertId?: string
}

/** The ids that payloads carry now. Empty strings before `ready()`. */
export interface Ids {
  deviceId: string
  anonymousId: string
  /** The user id after `identify`, the anonymous id before. */
  distinctId: string
  /** The id given to `identify`; undefined before. */
  userId?: string | undefined
  /** The current session; empty before its first event. */
  sessionId: string
}

export type Consent = 'granted' | 'denied' | 'pending' | 'anonymous'

/** A call on its way to the queue, as `beforeSend` sees it. */
export interface Draft {
  readonly kind: Kind
  /** The event's name, in a `track`. */
  event?: string
  /** The properties of a `track`, built-in and registered ones included. */
  properties?: Properties
  /** The traits of an `identify`. */
  traits?: Properties
  /** The user of an `identify` or an `alias`. */
  readonly userId?: string
}
