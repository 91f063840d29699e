import type { Browser } from './browser'
import { defaults } from './config'
import type { Database } from './database'
import { newId } from './ids'
import { maybe } from './maybe'
import type { Act, Settings } from './settings'
import type { Attempt, Call, EventRecord, RecordKey } from './records'
import type { Config, Consent, DropReason, Host, Plugin, Signals, Stop, Waymark } from './types'

/** What is announced upwards: the public signals, and what the parts of an instance tell each other. */
export interface News extends Signals {
  /** The database, which did not answer, may do so by now. */
  works: void
  /** There is no room on the disk. */
  full: void
  /** What waits has changed. */
  changed: void
  /** Another tab says something. */
  tab: {
    ask?: true
    here?: string
    change?: Settings
    /** What the visitor has chosen there. It is told at once, unless it is a consent, and again when it is stored. */
    chosen?: Consent
    done?: true
  }
  /** The visitor is known: what was called until now may run. */
  open: void
  /** The visitor does not agree, or not any more: calls wait, or are refused. */
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

/**
 * What is known of the visitor (`consent.ts` is the only one that changes it). A state is made of what it allows:
 *
 *                  | settings stay unwritten | settings may be written
 *   ---------------+-------------------------+------------------------
 *   calls wait     | unread                  | read
 *   calls may run  | memory                  | known
 *
 *   unread ──▶ read ──▶ known     the database answers, and the calls that waited run
 *   unread ──▶ memory ──▶ known   the page cannot wait for the database, which answers after all, or there is none
 *   known ──▶ read                the session is over, or the page is back: the visitor is read anew
 *   memory ──▶ unread             the session is over, or the page is back, and there is no database
 *   each ──▶ unread               another consent holds than before: calls wait, or are refused
 *
 * Settings are written only after they were read: that is the left column.
 */
export type VisitorState = number

export const mayWrite = 1
export const mayRun = 2
export const visitorStates = { unread: 0, read: mayWrite, memory: mayRun, known: mayWrite | mayRun }

/** Everything that one instance knows, each in one place: plain data, for the functions of this folder. */
export interface Instance {
  browser: Browser
  config: Config
  apiKey: string
  /** Names the database and the channel, one for each key and environment. Empty before `init`. */
  storeName: string
  pageState: PageState

  // signals.ts
  listeners: [name: keyof News | false, fn: (news: never) => void][]
  accepted: number
  handedOff: number
  lost: number
  dropCounts: Partial<Record<DropReason, number>>

  // plugins.ts
  used: [Plugin, (Stop | void)?][]
  pluginHost?: Host | undefined

  // capture.ts
  heldCalls: Call[]
  /** Strips a URL to what may leave the page. */
  filterUrl(href: string): string

  // visitor.ts
  settings: Settings
  /** What has changed since the last read was asked for, and is newer than what it finds. */
  recent: Settings
  /** What was done under assumed ids, which were made because the page could not wait. Undefined under other ids. */
  unmerged?: Act[] | undefined
  /** The user that the server knew, until it was used. */
  bootUser?: string | undefined
  /** When the time of the last event was last stored and told to other tabs. */
  sharedAt?: number | undefined

  // consent.ts
  visitorState: VisitorState
  consent: Consent
  /** Counts what was decided: a read that began before the last decision is void. */
  decisions: number
  /** The last read of what is stored, until it is done. */
  reading?: Promise<void>

  // waymark.ts
  /** The object that the page holds. */
  handle: Waymark
  /** What was chosen before `init`, at the latest. */
  chosen?: Consent | 'dismissed'
  /** Ends what follows the page. */
  unfollow?: Stop
  readiness: Promise<void>
  /** Resolves `readiness`: the visitor is known, or the page has waited for long enough. */
  onReady(): void

  // disk.ts
  database?: Database | undefined
  /** Rows that differ from what is on the disk. */
  dirty: Set<EventRecord>
  /** Settings that are not known to be on the disk: those in a transaction that has not said that it is done, too. */
  changes: Settings
  isSaving?: boolean | undefined
  /** The last transaction that writes what has changed, until it is done. */
  saving?: Promise<void>
  isFull?: boolean | undefined
  /** The disk may hold records of others between this page's own: claimed just now, or of a queue given up. */
  isMixed?: boolean | undefined
  brokenUntil: number

  // queue.ts
  queueId: string
  sequence: number
  records: EventRecord[]
  queuedCount: number
  queuedBytes: number

  // tabs.ts, claim.ts
  /** Other tabs are heard by it; undefined while none may be heard. */
  tabs?: Pick<BroadcastChannel, 'postMessage' | 'close'> | undefined
  alive: string[]
  /** Keys of event records whose page is gone, the oldest first. */
  abandoned: RecordKey[]
  isScanning?: boolean | undefined
  /** When abandoned queues were last looked for; `Infinity` before the first time. */
  scannedAt: number
  stopScan: Stop

  // delivery.ts, handOff.ts, transport.ts
  /** The sending under way, which may consist of several requests. */
  running?: Promise<void> | undefined
  /** How many requests in a row have failed: the measure of the back-off. */
  failures: number
  /** When the timer rings that begins the next request; `Infinity` where there is none. */
  timerAt: number
  stopTimer: Stop
  /** The service refuses the configuration. */
  isPaused?: boolean
  /** The codes that were told since something was accepted. */
  told: string
  /** How far to send: the newest when it was last asked. */
  until: number
  beaconArrives?: boolean | undefined
  /** Whether the service takes events without ids; undefined until it has said so. */
  isCounting?: boolean | undefined
  attempts: Attempt[]
  /** Takes back what was deferred. */
  stopDeferred: Stop
}

/** Nothing may be begun: what is left is handed off, or waits on the disk. */
export const isAway = (w: Instance) => /leaving|away|shut/.test(w.pageState)

/** The visitor did not agree to be recognised, and is counted all the same: without ids, and nothing is stored. */
export const isAnonymous = (w: Instance) =>
  w.consent === 'anonymous' || (w.consent === 'denied' && w.config.anonymous.whenDenied)

/** Calls run as they are made. */
export const runsCalls = (w: Instance) => w.visitorState >= mayRun

/** The settings may be written: not before consent, and not before they were read. */
export const canWriteSettings = (w: Instance) => w.visitorState & mayWrite

/** An instance that was not started, for the object that the page holds. */
export const createInstance = (browser: Browser, handle: Waymark): Instance => {
  const nothing = () => {}
  let onReady = nothing
  const readiness = new Promise<void>((resolve) => (onReady = resolve))
  return {
    browser,
    handle,
    config: defaults,
    apiKey: '',
    storeName: '',
    pageState: browser.isPage ? 'starting' : 'shut',
    listeners: [],
    accepted: 0,
    handedOff: 0,
    lost: 0,
    dropCounts: {},
    used: [],
    heldCalls: [],
    filterUrl: String,
    settings: {},
    recent: {},
    visitorState: visitorStates.unread,
    consent: 'pending',
    decisions: 0,
    readiness,
    onReady,
    // Where a page has another `Set`, nothing is put.
    dirty: maybe(() => new Set())!,
    changes: {},
    brokenUntil: Infinity,
    queueId: newId(10),
    sequence: 0,
    records: [],
    queuedCount: 0,
    queuedBytes: 0,
    alive: [],
    abandoned: [],
    scannedAt: Infinity,
    stopScan: nothing,
    timerAt: Infinity,
    stopTimer: nothing,
    stopDeferred: nothing,
    until: 0,
    failures: 0,
    told: '',
    attempts: [],
  }
}
