import type { Browser } from './browser'
import { readCookie, writeCookie } from './cookie'
import { openDatabase } from './openDatabase'

/** Nothing that waymark does later may reach the host page as an error. */
const quietly = (fn: () => unknown) => () => {
  try {
    fn()
  } catch {}
}

/** The real browser. Where there is no page (a server, a worker) it can be made, and says so. */
export function createBrowser(): Browser {
  let viewport = ''
  let referrer = ''

  return {
    isPage: typeof document !== 'undefined' && typeof addEventListener !== 'undefined',
    now: () => Date.now(),
    random: () => Math.random(),
    after(ms, fn) {
      // Above 2^31 - 1 a timer fires at once; 23 days are for ever.
      const timer = setTimeout(quietly(fn), Math.min(ms, 2e9))
      return () => clearTimeout(timer)
    },
    soon: (fn) => queueMicrotask(quietly(fn)),
    on(handlers) {
      const stop = new AbortController()
      for (const [event, fn] of Object.entries(handlers)) {
        addEventListener(
          event === 'hidden' ? 'visibilitychange' : event,
          quietly(() => (event !== 'hidden' || document.hidden) && fn()),
          // Those of the document are heard on their way to it.
          { capture: true, signal: stop.signal },
        )
      }
      return () => stop.abort()
    },
    hidden: () => document.hidden,
    online: () => navigator.onLine !== false,
    page() {
      if (!this.isPage) return { url: '', referrer: '', viewport: '' }
      if (!viewport) {
        // Reading it can force a layout, so it is kept until it changes.
        viewport = innerWidth + 'x' + innerHeight
        addEventListener('resize', () => (viewport = ''), { once: true })
        referrer = document.referrer
      }
      return { url: location.href, referrer, viewport }
    },
    fetch: (url, init) => fetch(url, init),
    prepareBeacon(url, body) {
      const blob = new Blob([body], { type: 'application/json' })
      return (attempt) => {
        attempt.begun = true
        return navigator.sendBeacon?.(url, blob)
      }
    },
    prepareFetch:
      (url, init, by = fetch) =>
      (attempt) => {
        try {
          attempt.begun = true
          by(url, init).catch(() => {})
          return true
        } catch {
          // One of the page's own, that has thrown or gives no promise.
          return false
        }
      },
    originOf(url) {
      try {
        // The page's own may be opaque: `null` in a sandbox, whatever its address.
        return url ? new URL(url, location.href).origin : self.origin
      } catch {
        return undefined
      }
    },
    openDatabase,
    hasDatabase: async (name) =>
      !indexedDB.databases || (await indexedDB.databases()).some((database) => database.name === name),
    refuses: (by) =>
      by === 'gpc'
        ? (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true
        : navigator.doNotTrack === '1',
    // IndexedDB answers too late for a page that goes at once.
    noteRefusal(name, isRefused) {
      quietly(() => localStorage[isRefused ? 'setItem' : 'removeItem'](name, 'denied'))()
    },
    isRefused(name) {
      try {
        return !!localStorage.getItem(name)
      } catch {
        return undefined
      }
    },
    readCookie,
    writeCookie,
    channel(name, hear) {
      try {
        const channel = new BroadcastChannel(name)
        channel.onmessage = (message) => quietly(() => hear(message.data as never))()
        return channel
      } catch {
        // There is none, or this page may not have one.
        return undefined
      }
    },
    warn: (text) => console.warn(text),
  }
}
