import { createStore } from 'idb-keyval'
import { maybe } from './maybe'
import { openDatabase, type Database } from './database'
import type { Stop } from './types'

type PageEvent = 'pagehide' | 'pageshow' | 'visibilitychange' | 'freeze' | 'resume' | 'online' | 'offline'

export interface PageView {
  url: string
  referrer: string
  viewport: string
}

/**
 * Gives a request to the browser, which delivers it when the page is gone. Marks the attempt right before, with
 * nothing in between: Firefox can end an unload handler at any call or loop. False when the browser did not take it,
 * also where there is no `sendBeacon`, or what stands in its place has thrown.
 */
export type Send = (attempt: { begun: boolean; isDeferred?: boolean }) => boolean

/**
 * The one door to the platform: everything that waymark asks of a browser, so that a test can hand in its own. What
 * another script of the page can replace is made here what its type says.
 */
export interface Browser {
  /** False on a server, in a worker or in a browser that is too old: nothing else is asked then but the time. */
  isPage: boolean
  now(): number
  random(): number
  /** Runs `fn` once; `Stop` cancels it. */
  after(ms: number, fn: () => void): Stop
  soon(fn: () => void): void
  /** Handlers are called as they are, with nothing before their first statement; they do not throw. */
  on(handlers: Partial<Record<PageEvent, () => void>>): Stop
  online(): boolean
  hidden(): boolean
  /** The window closes itself. Undefined where there is none. */
  closing(): boolean | undefined
  /**
   * Whether a service worker stands between the page and the network: Chromium lets what a leaving page has sent die
   * with it when the worker lets it fall through (46 of 60 beacons); but not what it has deferred by `fetchLater`.
   */
  hasWorker(): boolean
  /**
   * Whether a keepalive `fetch` is what it should be: the browser knows it, and no other script stands in its place. It
   * is better than a beacon, of whose bodies Chromium loses some when a tab is closed on a busy machine (4 of 2,500, all
   * of them taken by `sendBeacon`; of as many requests none).
   */
  keepsAlive(): boolean
  page(): PageView
  /**
   * A name such as `Europe/Berlin`; undefined where the browser has none. A process takes 10 to 20 ms when it first asks
   * `Intl` for anything. `Temporal` takes 0.3, and does not know the time zone that Playwright gives a page.
   */
  timeZone(): string | undefined
  fetch(url: string, init: RequestInit): Promise<Response>
  /** Makes ready to hand a request off by `sendBeacon`, or by a keepalive `fetch`. */
  prepareBeacon(url: string, init: RequestInit): Send
  prepareFetch(url: string, init: RequestInit, by?: Browser['fetch']): Send
  /**
   * Leaves a request to the browser, which sends it when the page is closed or killed, or after so long; `Stop` takes it
   * back. Nothing happens where there is no `fetchLater`, or no room for it.
   */
  defer(url: string, init: RequestInit, ms: number): Stop
  /** A URL in full, a path being one of the page's own address; undefined when it is none. */
  fullUrl(url: string): string | undefined
  /** The page's origin: `null` as text in a sandbox, whatever its address. */
  ownOrigin(): string
  openDatabase(name: string): Database
  /** Whether there is one, without making it. True when the browser does not say. */
  hasDatabase(name: string): Promise<boolean>
  /** Global Privacy Control. */
  refuses(): boolean
  /** Notes what a page that is leaving, or whose database is slow, can still write and read; nothing removes it. */
  writeNote(name: string, text: string): void
  readNote(name: string): string
  /** Hears other tabs and tells them; undefined where a page may not. */
  channel(
    name: string,
    hear: (message: never) => void,
  ): Pick<BroadcastChannel, 'postMessage' | 'close'> | undefined
  warn(text: string): void
  /** What this page is followed under, by any copy of the library that it has loaded. */
  taken: string[]
}

/** The value of a promise; undefined when it has none by then. */
export const within = <T>(browser: Pick<Browser, 'after'>, ms: number, promise: Promise<T>) =>
  new Promise<T | void>((resolve, reject) => {
    const stop = browser.after(ms, resolve)
    void promise.then(resolve, reject).then(stop)
  })

/** No error of later work may reach the host page. */
const quietly =
  <Given extends unknown[]>(fn: (...given: Given) => unknown) =>
  (...given: Given) => {
    try {
      fn(...given)
    } catch (error) {
      console.debug('[waymark] internal', error)
    }
  }

type Later = { fetchLater?(url: string, init: RequestInit & { activateAfter: number }): object }

/** Empty when it has to be read: that can force a layout. */
let viewport = ''

/** What the document itself has of that name: a form or an image of the page hides it by its `name`. */
export const ofDocument = <Name extends 'hidden' | 'referrer' | 'URL' | 'currentScript'>(
  name: Name,
): Document[Name] => Reflect.get(Document.prototype, name, document) as Document[Name]

/** Undefined where a page has taken it away: then only the browser ends a request that hangs. */
export const createAbort = () => maybe(() => new AbortController())

/** A sandboxed page may not even ask. */
const hasWorker = () => !!maybe(() => navigator.serviceWorker?.controller)

/** The real browser. Where there is no page (a server, a worker) it can be made, and says so. */
export const createBrowser = (): Browser => {
  let timeZone: string | undefined
  // The youngest of what the library needs tells a browser that is too old: as on a server, nothing is done there.
  const hasPage = typeof document !== 'undefined' && typeof addEventListener !== 'undefined' && 'at' in []
  // Without these nothing can be kept: MooTools 1.2.0 has another `JSON`.
  const isSound = maybe(() => JSON.stringify(new Set([1]).has(1))) === 'true'
  if (hasPage && !isSound)
    console.warn('[waymark] foreign-built-ins: Set, JSON (see docs/errors.md#foreign-built-ins)')
  return {
    isPage: hasPage && isSound,
    // Not by `Date.now`: Datejs has it give a date.
    now: () => +new Date(),
    random: Math.random,
    after(ms, fn) {
      // Above 2^31 - 1 a timer fires at once; 23 days are for ever.
      const timer = setTimeout(quietly(fn), Math.min(ms, 2e9))
      return () => clearTimeout(timer)
    },
    soon: (fn) => queueMicrotask(quietly(fn)),
    on(handlers) {
      // Those of the document are heard on their way to it. A page may have an `AbortController` that makes no signals.
      const each = (change: typeof addEventListener) => {
        for (const [event, fn] of Object.entries(handlers)) change(event, fn, true)
      }
      each(addEventListener)
      return () => each(removeEventListener)
    },
    hidden: () => ofDocument('hidden'),
    closing: () => globalThis.closed,
    online: () => navigator.onLine !== false,
    hasWorker,
    keepsAlive: () => 'keepalive' in Request.prototype && /\[native/.test(String(fetch)),
    timeZone: () => (timeZone ??= maybe(() => Intl.DateTimeFormat().resolvedOptions().timeZone)),
    page() {
      if (!viewport) {
        viewport = innerWidth + 'x' + innerHeight
        addEventListener('resize', () => (viewport = ''), { once: true })
      }
      // Ten times as fast as `location.href`, and the same.
      return { url: ofDocument('URL'), referrer: ofDocument('referrer'), viewport }
    },
    fetch: (url, init) => fetch(url, init),
    prepareBeacon(url, { body }) {
      const blob = new Blob([body as string], { type: 'application/json' })
      return (attempt) =>
        maybe(() => {
          attempt.begun = true
          return navigator.sendBeacon(url, blob)
        }) === true
    },
    prepareFetch(url, init, by) {
      const { fetchLater } = globalThis as Later
      const defer = !by && hasWorker() && fetchLater
      return (attempt) =>
        // The page's own `fetch` has thrown or gives no promise, or there is too much to defer.
        !!maybe(() => {
          attempt.isDeferred = !!defer
          attempt.begun = true
          if (defer) defer(url, { ...init, activateAfter: 0 })
          else
            (by ?? fetch)(url, init).catch(() => {
              // The page is gone, or the network is.
            })
          return true
        })
    },
    defer(url, init, activateAfter) {
      const abort = createAbort()
      // What could not be taken back is not deferred.
      maybe(() => (globalThis as Later).fetchLater!(url, { ...init, activateAfter, signal: abort!.signal }))
      return () => abort?.abort()
    },
    fullUrl(url) {
      // Not by the base address, which a `<base>` may have put elsewhere. A page without an address of its own (`srcdoc`)
      // has the base of its parent.
      const base = globalThis.location?.origin
      return maybe(() => new URL(url, base === 'null' ? document.baseURI : base).href)
    },
    ownOrigin: () => globalThis.origin,
    openDatabase: (name) => openDatabase(() => createStore(name, 'waymark')),
    hasDatabase: async (name) =>
      (await indexedDB.databases?.())?.some((database) => database.name === name) ?? true,
    refuses: () => !!(navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl,
    // IndexedDB answers too late for a page that goes at once. A page may have no localStorage, and WebKit has none in a
    // window that closes.
    writeNote: (name, text) => maybe(() => localStorage[text ? 'setItem' : 'removeItem'](name, text)),
    readNote: (name) => maybe(() => localStorage.getItem(name)) ?? '',
    // There may be none, or not for this page.
    channel: (name, hear) =>
      maybe(() => {
        const channel = new BroadcastChannel(name)
        channel.onmessage = quietly(({ data }) => hear(data as never))
        return channel
      }),
    warn: (text) => console.warn(text),
    taken: ((globalThis as unknown as Record<symbol, string[]>)[Symbol.for('waymark')] ??= []),
  }
}
