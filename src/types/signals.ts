import type { Consent, DropReason, Ids, Kind, Stop } from './calls'

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
