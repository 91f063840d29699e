/** Removes what the call that returned it added. */
export type Stop = () => void

/** Any values: what JSON cannot hold is made to fit (see "Values" in `docs/library.md`). */
export type Properties = Record<string, unknown>

/** Which of the three analytics operations a payload belongs to. */
export type Kind = 'track' | 'identify' | 'alias'

/** Why a payload was let go without being delivered. */
export type DropReason =
  /** The call was refused; `errorCode` says why. */
  | 'invalid'
  /** The service will never take it; `errorCode` says why. */
  | 'quarantined'
  /** More than `queue.maxEvents` payloads were waiting; the oldest went. */
  | 'too-many'
  /** More than `queue.maxBytes` were waiting; the oldest went. */
  | 'too-big'
  /** It waited for longer than `queue.ttlMs`. */
  | 'too-old'
  /** The disk was full, and this was among the oldest. */
  | 'no-space'
  /** It was tracked after `shutdown()`. */
  | 'shut-down'

/** What became of one call. */
export type Outcome =
  /** The service answered `ok: true`. */
  | { status: 'accepted'; taskId?: string }
  /** The page went, and the browser delivers the request without it. */
  | { status: 'handed-off' }
  /** The page went, and the payload stays on disk for the next one. */
  | { status: 'queued' }
  | { status: 'dropped'; reason: DropReason; errorCode?: string }

/** What a call to `track`, `identify` or `alias` returns. */
export interface Tracked {
  /** The payload's `insert_id`; an empty string when the call was refused. */
  readonly id: string
  /** Never rejects. Created when first read, so that a caller who does not look pays nothing. */
  readonly outcome: Promise<Outcome>
}

/** The ids that payloads carry now. Empty strings before `ready()`. */
export interface Ids {
  deviceId: string
  anonymousId: string
  /** The user id after `identify`, the anonymous id before. */
  distinctId: string
  /** The id given to `identify`; absent before. */
  userId?: string
}

/** What waits, what went, and where it is kept. Counts are payloads since the page started. */
export interface Stats {
  /** `memory` when IndexedDB is refused, too slow or broken: nothing then outlives the page. */
  store: 'indexeddb' | 'memory'
  /** Payloads that wait in this page. */
  queued: number
  /** Bytes that wait in this page. */
  bytes: number
  /** When the oldest of them was tracked, in Unix milliseconds. */
  oldestAt?: number | undefined
  /** Payloads that the service accepted. */
  sent: number
  /** Payloads that the browser took over when the page went. */
  handedOff: number
  dropped: Partial<Record<DropReason, number>>
  /** `waiting`: backing off after a failure. `paused`: the service refused the configuration. */
  state: 'idle' | 'sending' | 'waiting' | 'paused'
}

/** What `flush()` resolves to; counts are payloads. */
export interface Flushed {
  sent: number
  left: number
  dropped: number
}

/** What `on(name, fn)` tells. */
export interface Signals {
  sent: { kind: Kind; ids: string[]; status: 'accepted' | 'handed-off'; taskId?: string }
  drop: { kind: Kind; id: string; reason: DropReason; errorCode?: string; payload?: string }
  error: { code: string; message: string }
  identity: Ids
  storage: { store: Stats['store'] }
}

/** The settings of `init`. Every one but `endpoint` is optional. */
export interface Config {
  /** The service's base URL, for example `https://api.example.com`. */
  endpoint: string
  /** Environment slug, sent with every payload. @defaultValue `'production'` */
  environment: string
  /** Your application's version, sent as `$release`. @defaultValue none */
  release: string
  /** `memory` keeps nothing on disk. @defaultValue `'indexeddb'` */
  persistence: 'indexeddb' | 'memory'
  batch: {
    /** Payloads that start a flush. @defaultValue `20` */
    maxEvents: number
    /** Bytes of one request's body. @defaultValue `28672` (28 KiB: two share the browser's 64 KiB) */
    maxBytes: number
    /** Milliseconds between the first payload and the flush. @defaultValue `2000` */
    intervalMs: number
  }
  queue: {
    /** Payloads kept; the oldest go first. @defaultValue `10000` */
    maxEvents: number
    /** Bytes kept; the oldest go first. @defaultValue `5242880` (5 MiB) */
    maxBytes: number
    /** Milliseconds a payload is kept. @defaultValue `1209600000` (14 days) */
    ttlMs: number
  }
  transport: {
    /** How the API key travels: `?apiKey=`, `X-API-Key` or `Authorization: Bearer`. @defaultValue `'query'` */
    auth: 'query' | 'header' | 'bearer'
    /** `auto`: `sendBeacon` where it is known to arrive, else keepalive `fetch`. @defaultValue `'auto'` */
    beacon: 'auto' | boolean
    /** Milliseconds after which a request counts as failed. @defaultValue `20000` */
    timeoutMs: number
  }
  /** Property that carries the id of the event, or `false` for none. @defaultValue `'insert_id'` */
  insertId: string | false
  /** `at-least-once` keeps what was handed off and sends it again at the next visit. @defaultValue `'once'` */
  delivery: 'once' | 'at-least-once'
  url: {
    /** Query parameters that may leave the page; a `*` at the end matches the rest of a name. */
    keepParams: string[]
  }
  /** Print what is refused or dropped to the console. @defaultValue `false` */
  debug: boolean
}

type Partly<T> = { [K in keyof T]?: T[K] extends string[] ? T[K] : T[K] extends object ? Partly<T[K]> : T[K] }

/** What `init` takes. */
export type InitConfig = Partly<Config>

export interface TrackOptions {
  /** When it happened: Unix milliseconds, ISO 8601 or a `Date`. @defaultValue the moment of the call */
  timestamp?: number | string | Date
  /** Id of the event, when it has one of its own (an order number). @defaultValue a new one */
  insertId?: string
}

export interface Waymark {
  /**
   * Starts the instance. A second call with the same key and environment changes nothing; with another key
   * or environment it is refused with the signal `error` (`already-initialised`).
   */
  init(apiKey: string, config?: InitConfig): Waymark
  /** Records an event (contract: `POST /track`). Calls before `init` are kept and sent after it. */
  track(event: string, properties?: Properties, options?: TrackOptions): Tracked
  /** Records the event `$pageview`. */
  page(properties?: Properties, options?: TrackOptions): Tracked
  /** Says who the visitor is, and links what was tracked before (contract: `POST /identify`). */
  identify(userId: string, traits?: Properties, options?: TrackOptions): Tracked
  /** Merges the current distinct id into another user (contract: `POST /alias`). */
  alias(newUserId: string): Tracked
  /** Forgets the user: a new anonymous id, what is queued stays. `deviceId: true` renews that too. */
  reset(options?: { deviceId?: boolean }): void
  /** Sends what waits. Never rejects. @defaultValue `timeoutMs` 30000 */
  flush(options?: { timeoutMs?: number }): Promise<Flushed>
  /** Resolves when the ids are known. */
  ready(): Promise<void>
  /** Sends what waits, then stops every timer and listener; what could not be sent stays on disk. */
  shutdown(): Promise<Flushed>
  /** Subscribes to a signal. */
  on<K extends keyof Signals>(name: K, fn: (signal: Signals[K]) => void): Stop
  stats(): Stats
  readonly ids: Ids
}
