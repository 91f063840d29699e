import type { BeforeSend, Consent } from './calls'
import type { Plugin } from './plugin'

/** The settings of `init`. Every one but `endpoint` is optional. */
export interface Config {
  /** The service's base URL, for example `https://api.example.com`. */
  endpoint: string
  /** Environment slug, sent with every payload. @defaultValue `'production'` */
  environment: string
  /** Your application's version, sent as `$release`. @defaultValue none */
  release: string
  /** What is assumed until the visitor has chosen; a choice made by `setConsent` is remembered. @defaultValue `'granted'` */
  consent: Consent
  /** Take Global Privacy Control for a refusal, until `setConsent('granted')`. @defaultValue `true` */
  respectGpc: boolean
  /** Take Do Not Track for one, too. @defaultValue `false` */
  respectDnt: boolean
  /** `memory` keeps nothing on disk. @defaultValue `'indexeddb'` */
  persistence: 'indexeddb' | 'memory'
  /**
   * Mirror the device and the anonymous id in a first-party cookie: for subdomains (`true`: the widest domain that
   * the browser allows; or name one), and for the day that the browser loses its IndexedDB. @defaultValue `false`
   */
  cookie: boolean | string
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
    /** `auto`: `sendBeacon` where it is known to arrive, else keepalive `fetch`; never past your own. @defaultValue `'auto'` */
    beacon: 'auto' | boolean
    /** Milliseconds after which a request counts as failed. @defaultValue `20000` */
    timeoutMs: number
    /** Used instead of the browser's `fetch`, also as the page goes. @defaultValue none */
    fetch: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  }
  /** Property that carries the id of the event, or `false` for none. @defaultValue `'insert_id'` */
  insertId: string | false
  /** `at-least-once` keeps what was handed off and sends it again at the next visit. @defaultValue `'once'` */
  delivery: 'once' | 'at-least-once'
  url: {
    /** Query parameters that may leave the page; a `*` at the end matches the rest of a name. */
    keepParams: string[]
    /** Changes every URL after that, for what a list cannot say (ids in a path). @defaultValue none */
    redact: ((url: string) => string) | undefined
  }
  /** Share of devices whose events are sent, from 0 to 1; `identify` and `alias` always are. @defaultValue `1` */
  sampleRate: number
  /** Sees every call before it is queued. @defaultValue none */
  beforeSend: BeforeSend | undefined
  /** @defaultValue none */
  plugins: Plugin[]
  /** Print what is refused or dropped to the console. @defaultValue `false` */
  debug: boolean
}

type Fn = (...args: never[]) => unknown
type Partly<T> = {
  [K in keyof T]?: T[K] extends unknown[] | Fn | undefined ? T[K] : T[K] extends object ? Partly<T[K]> : T[K]
}

/** What `init` takes. */
export type InitConfig = Partly<Config>
