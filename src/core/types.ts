import type { Consent, Draft, DropReason, Ids, Kind, Properties, Stop, TrackOptions, Tracked } from './calls'
import type { PropertiesOf } from './plan'

export type * from './calls'

/**
 * Changes a call, or drops it by returning null, false, or a reason of `DropReason`. One that throws changes nothing; one that
 * returns anything else, or is async, drops the call.
 */
export type BeforeSend = (draft: Draft) => Draft | null | false | DropReason

/** What a plugin sees: never the instance itself. */
export interface Host {
  track(event: string, properties?: Properties, options?: TrackOptions): Tracked
  page(properties?: Properties, options?: TrackOptions): Tracked
  register(properties: Properties): void
  registerOnce(properties: Properties): void
  unregister(...names: string[]): void
  ids(): Ids
  getConsent(): Consent
  on: On
  /** Copies properties, with values fit for JSON. What is named wrongly is told and left out; a proxy may throw. */
  copy(properties: Properties): Properties
  /** Strips a URL to what may leave the page. */
  cleanUrl(href: string): string
}

export interface Plugin {
  /** A second plugin of the same name is not started while the first one runs. */
  name: string
  /** Called once, when the instance starts. What it returns is called at `shutdown`. */
  start?(host: Host): Stop | void
  beforeSend?: BeforeSend
  /**
   * Called when the ids of this browser were read, with those that it has: what this returns replaces them. It runs
   * inside a transaction of the database, so it must answer at once. A user counts where nobody is signed in.
   */
  restore?(stored: Partial<Ids>): { deviceId: string; anonymousId: string; userId?: string } | undefined
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
  sent: { kind: Kind; ids: string[]; status: 'accepted' | 'handed-off'; taskId?: string | undefined }
  drop: { kind: Kind; id: string; reason: DropReason; errorCode?: string | undefined; payload?: string }
  error: { code: string; message: string }
  identity: Ids
  consent: { state: Consent }
  session: { id: string }
  storage: { store: Stats['store'] }
}

/** Subscribes to a signal; what it returns ends that. */
export type On = <K extends keyof Signals>(name: K, fn: (signal: Signals[K]) => void) => Stop

/** Every setting, as it is when `init` has filled in what was not given. */
export interface Config {
  /** The service's base URL, for example `https://api.example.com`, or a path of the page's own host, for example `/w`. */
  endpoint: string
  /** Environment slug, sent with every payload. @defaultValue `'production'` */
  environment: string
  /** Your application's version, sent as `$release`. @defaultValue none */
  release: string
  /** What is assumed until the visitor has chosen; a choice made by `setConsent` is remembered. @defaultValue `'granted'` */
  consent: Consent
  anonymous: {
    /** Count also who refuses, and who sends Global Privacy Control, as `consent: 'anonymous'` does. @defaultValue `false` */
    whenDenied: boolean
    /** After a consent, send what this page has not sent yet under the visitor's ids. @defaultValue `false` */
    join: boolean
  }
  /** Take Global Privacy Control for a refusal, until `setConsent('granted')`. @defaultValue `true` */
  respectGpc: boolean
  /** `memory` keeps nothing on disk. @defaultValue `'indexeddb'` */
  persistence: 'indexeddb' | 'memory'
  /** Ids that your server knows, for a browser that has none yet; `userId` always counts. @defaultValue none */
  bootstrap: { deviceId: string; anonymousId: string; userId: string }
  session: {
    /** Milliseconds without an event after which a new session begins. @defaultValue `1800000` (30 minutes) */
    idleMs: number
    /** Milliseconds after which a new session begins in any case. @defaultValue `86400000` (24 hours) */
    maxMs: number
  }
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
    /** `auto`: keepalive `fetch`, or `sendBeacon` where the browser has none of its own; never past yours. @defaultValue `'auto'` */
    beacon: 'auto' | boolean
    /** Milliseconds after which a request counts as failed. @defaultValue `20000` */
    timeoutMs: number
    /** Used instead of the browser's `fetch`, also as the page goes. @defaultValue none */
    fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  }
  /** Property that carries the id of the event, or `false` for none. @defaultValue `'insert_id'` */
  insertId: string | false
  /** `at-least-once` keeps what was handed off and sends it again at the next visit. @defaultValue `'once'` */
  delivery: 'once' | 'at-least-once'
  url: {
    /** Query parameters that may leave the page; a `*` at the end matches the rest of a name. */
    keepParams: string[]
    /** Changes every URL after that, for what a list cannot say (ids in a path). @defaultValue none */
    redact?: ((url: string) => string) | undefined
  }
  /** Sees every call before it is queued. @defaultValue none */
  beforeSend?: BeforeSend | undefined
  /** @defaultValue none */
  plugins: Plugin[]
  /** Print what is refused or dropped to the console. @defaultValue `false` */
  debug: boolean
}

type Fn = (...args: never[]) => unknown
type Partly<T> = {
  [K in keyof T]?: T[K] extends unknown[] | Fn | undefined ? T[K] : T[K] extends object ? Partly<T[K]> : T[K]
}

/** What `init` takes: `endpoint`, and what is to be other than its default. */
export type InitConfig = Partly<Config> & Pick<Config, 'endpoint'>

/** What `configure` takes. */
export type ConfigPatch = Partial<Pick<Config, 'release' | 'insertId' | 'beforeSend' | 'debug'>>

/**
 * Where an application names its plan, once: `declare module 'waymark' { interface Register { plan: typeof plan } }`.
 * With `loose: true` beside it, events that are not in the plan are taken, too.
 */
export interface Register {}

/** Event names and their properties: those of the plan, or any; your own for `createWaymark<Events>()`. */
export type EventMap = Register extends { plan: { events: infer Events } }
  ? { -readonly [Name in keyof Events]: PropertiesOf<Events[Name]> } & Others
  : Record<string, object>

/** Written so that editors go on completing the names of the plan. */
type Others = Register extends { loose: true } ? Record<string & {}, object> : {}

/** What may be said of a user: traits of the plan, any number of them at a time, or anything. */
export type Traits = Register extends { plan: { traits: infer Schema } }
  ? Partial<PropertiesOf<Schema>>
  : Properties

/** No properties at all, or none that must be given: then the argument may be left out. */
type Given<P> = string extends P
  ? // `{}`, which takes everything otherwise.
    [properties?: Record<string, never>, options?: TrackOptions]
  : {} extends P
    ? [properties?: P, options?: TrackOptions]
    : [properties: P, options?: TrackOptions]

export interface Waymark<Events extends object = EventMap> {
  /**
   * Starts the instance. A second call with the same key and environment changes nothing; with another key or
   * environment it is refused (`already-initialised`).
   */
  init(apiKey: string, config: InitConfig): Waymark<Events>
  /** Records an event (contract: `POST /track`). Calls before `init` are kept and sent after it. */
  track<Name extends Extract<keyof Events, string>>(event: Name, ...given: Given<Events[Name]>): Tracked
  /** Records the event `$pageview`. */
  page(properties?: Properties, options?: TrackOptions): Tracked
  /** Says who the visitor is, and links what was tracked before (contract: `POST /identify`). */
  identify(userId: string, traits?: Traits, options?: TrackOptions): Tracked
  /** Adds traits to the user of the last `identify`. Refused (`not-identified`) when there is none. */
  updateTraits(traits: Traits, options?: TrackOptions): Tracked
  /** Merges the current distinct id into another user (contract: `POST /alias`). */
  alias(newUserId: string): Tracked
  /** Adds properties to every event from now on, on later pages too. */
  register(properties: Properties): void
  /** Adds properties to every event from now on, where their names are not registered yet. */
  registerOnce(properties: Properties): void
  /** Takes registered properties away. */
  unregister(...names: string[]): void
  /**
   * Forgets the user: a new anonymous id and session, no registered properties; what is queued keeps its ids.
   * `deviceId: true` renews that one too.
   */
  reset(options?: { deviceId?: boolean }): void
  /**
   * `granted`: everything is kept and sent. `pending` (also `dismissed`): calls wait in memory, nothing is in any
   * storage. `denied`: nothing is recorded, and all that was stored is wiped but the refusal. `anonymous`: events are
   * sent without ids, and nothing is in any storage. `granted` and `denied` are remembered.
   */
  setConsent(state: Consent | 'dismissed'): void
  getConsent(): Consent
  /** `setConsent('granted')`. */
  optIn(): void
  /** `setConsent('denied')`. */
  optOut(): void
  /** Sends what waits. Never rejects. @defaultValue `timeoutMs` 30000 */
  flush(options?: { timeoutMs?: number }): Promise<Flushed>
  /** Resolves when the ids are known: when consent was granted, that is. */
  ready(): Promise<void>
  /**
   * Sends what waits, then stops every timer, listener and plugin. What could not be sent stays on disk, or is dropped
   * where there is none.
   */
  shutdown(): Promise<Flushed>
  /** Subscribes to a signal. */
  on: On
  /** Adds a plugin, unless one of its name is there; the returned function removes it. */
  use(plugin: Plugin): Stop
  /** Changes `release`, `insertId`, `beforeSend` or `debug` while it runs. */
  configure(patch: ConfigPatch): void
  stats(): Stats
  /** The ids; empty until they were read: {@link ready}. */
  readonly ids: Ids
}

/** What the adapter of each framework takes. */
export interface AdapterOptions<Events extends object = EventMap> {
  /** The instance for everything inside. @defaultValue the one that `waymark` exports */
  waymark?: Waymark<Events>
  /** Starts the instance in the browser with `config`; leave both out when `init` is called elsewhere. */
  apiKey?: string
  /** What `init` takes. It is read once, at the first start. */
  config?: InitConfig
}

/** A call for the array `window.waymark`: `['track', 'Signed Up', { plan: 'pro' }]`. */
export type Command = [name: string, ...args: unknown[]] & {
  /** When and where it was made, noted by `waymark.early.js`. */
  calledAt?: number
  url?: string
  referrer?: string
}

declare global {
  interface Window {
    /** What the script tag makes of an array of calls: the instance, which takes further ones by the same `push`. */
    waymark?: Command[] | (Waymark & { push(...commands: Command[]): number })
  }
}
