import type { Browser } from './browser'
import { defaults } from './config'
import { newId } from './ids'
import type { Call } from './capture'
import type { Database } from './database'
import type { Attempt } from './handOff'
import type { Payload, EventRecord, RecordKey } from './queue'
import type { Tabs } from './tabs'
import type { Config, Consent, DropReason, Plugin, Signals, Stop, Host, Waymark } from './types'
import type { Act, Settings } from './visitor'

/** What is announced upwards: the public signals, and what the parts of an instance tell each other. */
export interface News extends Signals {
  /** A task has changed what is to be on the disk. */
  save: void
  /** There is no room on it. */
  full: void
  /** Another tab says something. */
  tab: { ask?: true; here?: string; change?: Settings }
  /** The visitor is known: what was called until now may run. */
  open: void
  /** It is not, or not any more: calls wait, or are refused. */
  closed: void
}

/**
 * What becomes of a page (`page.ts` is the only one that changes it):
 *
 *   starting ──▶ open ──▶ leaving ──▶ away ──▶ back ──▶ open
 *
 * starting: calls wait, because the visitor is not known yet, or has not agreed.
 * open: calls run, and what they put is stored and sent.
 * leaving: the handlers of `pagehide`, `freeze` or the `hidden` after them run: now or never.
 * away: nothing is begun. The page is dying, or lies in the page cache.
 * back: it is shown again; calls wait until the visitor was read anew.
 * shut: the instance was ended, or there is no page to begin with.
 */
export type PageState = 'starting' | 'open' | 'leaving' | 'away' | 'back' | 'shut'

/** Everything that one instance knows, each in one place: plain data, for the functions of this folder. */
export interface Instance {
  browser: Browser
  config: Config
  apiKey: string
  /** Of the database and the channel: one for each key and environment. Empty before `init`. */
  name: string
  state: PageState

  // signals.ts
  listeners: Set<[name: keyof News | false, fn: (news: never) => void]>
  accepted: number
  handedOff: number
  lost: number
  dropped: Partial<Record<DropReason, number>>

  // plugins.ts
  used: Map<Plugin, Stop | void>
  pluginHost?: Host | undefined

  // capture.ts
  waiting: Call[]
  cleanUrl(href: string): string
  /** Calls run as they are made. */
  isKnown?: boolean | undefined

  // visitor.ts
  settings: Settings
  /** What has changed since the last read was asked for, and is newer than what it finds. */
  recent: Settings
  /** What was done to settings that were not read. */
  late: Act[]
  /** The ids were made without looking, because the page could not wait. */
  isAssumed?: boolean | undefined
  /** The user that the server knew, until it was used. */
  bootUser?: string | undefined
  sharedAt?: number | undefined

  // consent.ts
  consent: Consent
  /** Counts what was decided: a look that began before is void. */
  turn: number
  /** The last look at what is stored, until it is done. */
  looking?: Promise<void>

  // waymark.ts
  /** The object that the page holds. */
  face: Waymark
  /** What was chosen before `init`, at the latest. */
  chosen?: Consent | 'dismissed'
  /** Ends what follows the page. */
  unfollow?: Stop
  readiness: Promise<void>
  /** The visitor is known, or the page has waited for long enough. */
  onReady(): void

  // disk.ts
  database?: Database | undefined
  /** Rows that differ from what is on the disk. */
  dirty: Set<EventRecord>
  /** Settings that are not known to be on the disk: those in a transaction that has not said that it is done, too. */
  changes: Settings
  /** The settings may be written: not before consent, and not before they were read. */
  isWritable?: boolean | undefined
  isSaving?: boolean | undefined
  isFull?: boolean | undefined
  /** The disk may hold records of others between this page's own: claimed just now, or of a queue given up. */
  isMixed?: boolean | undefined
  brokenUntil: number

  // queue.ts
  queueId: string
  sequence: number
  records: EventRecord[]
  queued: number
  bytes: number

  // tabs.ts, claim.ts
  tabs?: Tabs
  alive: Set<string>
  /** Keys of event records whose page is gone, the oldest first. */
  abandoned: RecordKey[]
  isScanning?: boolean | undefined
  scannedAt: number
  stopScan: Stop

  // delivery.ts, handOff.ts, transport.ts
  running?: Promise<void> | undefined
  inFlight: Payload[]
  failures: number
  timerAt: number
  stopTimer: Stop
  /** The code for which the service refuses the configuration. */
  paused?: string | undefined
  /** How far to send: the newest when it was last asked. */
  until: number
  beaconArrives?: boolean | undefined
  attempts: Attempt[]
}

/** Nothing may be begun: what is left is handed off, or waits on the disk. */
export const isAway = (w: Instance) => /leaving|away|shut/.test(w.state)

/** An instance that was not started. */
export const createInstance = (browser: Browser): Instance => {
  const nothing = () => {}
  return {
    browser,
    config: defaults,
    name: '',
    state: browser.isPage ? 'starting' : 'shut',
    listeners: new Set(),
    accepted: 0,
    handedOff: 0,
    lost: 0,
    dropped: {},
    used: new Map(),
    waiting: [],
    settings: {},
    recent: {},
    late: [],
    consent: 'pending',
    turn: 0,
    dirty: new Set(),
    changes: {},
    brokenUntil: Infinity,
    queueId: newId(10),
    sequence: 0,
    records: [],
    queued: 0,
    bytes: 0,
    alive: new Set(),
    abandoned: [],
    stopScan: nothing,
    timerAt: Infinity,
    stopTimer: nothing,
    // The rest is set by `init`, or by `enter` when a page begins.
  } as Partial<Instance> as Instance
}
