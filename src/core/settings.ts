import type { Consent, Ids, Properties } from './types'

// What is known of a visitor: stored under these names, and told to other tabs.

export type StoredIds = Pick<Ids, 'deviceId' | 'anonymousId' | 'userId'>

/** One visit, shared by all tabs. */
export interface Session {
  id: string
  startedAt: number
  /** When the last event was tracked. */
  lastAt: number
  /** The anonymous id of its visitor: a session has one. */
  of: string | undefined
}

/** What a visitor who never had an answer knows of the service: how often they asked in a session, and when the next may. */
export interface Unheard {
  misses: number
  tryAt: number
  session?: string | undefined
}

/** What all tabs of a browser share, each under its name in the database. */
export interface Settings {
  /** What the visitor has chosen: `granted` or `denied`. `consent.ts` alone reads and writes it. */
  consent?: Consent | undefined
  ids?: StoredIds | undefined
  session?: Session | undefined
  /** Registered properties. */
  persistent?: Properties | undefined
  /** The last request failed, or the browser said that it is offline; false once the service has answered. */
  down?: boolean | Unheard | undefined
}

/** What is done to the settings, and with what (`visitor.ts` does it). */
export type Act = [name: 'login' | 'reset' | 'register' | 'registerOnce' | 'unregister', given: unknown]
