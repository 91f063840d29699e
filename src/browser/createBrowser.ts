import type { Browser, PageEvent } from './browser'
import { readCookie, writeCookie } from './cookie'
import { openDatabase } from './openDatabase'

/** Nothing that waymark does later may reach the host page as an error. */
const quietly = (fn: () => void) => () => {
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
      const timer = setTimeout(quietly(fn), ms)
      return () => clearTimeout(timer)
    },
    soon: (fn) => queueMicrotask(quietly(fn)),
    on(event, fn) {
      const [target, type] = source(event)
      const heard = quietly(() => {
        if (type !== 'visibilitychange' || document.visibilityState === event) fn()
      })
      target.addEventListener(type, heard)
      return () => target.removeEventListener(type, heard)
    },
    hidden: () => document.visibilityState === 'hidden',
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
        try {
          attempt.begun = true
          return navigator.sendBeacon(url, blob)
        } catch {
          return false
        }
      }
    },
    prepareFetch:
      (url, init, by = fetch) =>
      (attempt) => {
        attempt.begun = true
        by(url, init).catch(() => {})
        return true
      },
    originOf(url) {
      try {
        // The page's own may be opaque: `null` in a sandbox, whatever its address.
        return url ? new URL(url, location.href).origin : (self.origin ?? location.origin)
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
    readCookie,
    writeCookie,
    channel(name, hear) {
      if (typeof BroadcastChannel === 'undefined') return { tell() {}, close() {} }
      const channel = new BroadcastChannel(name)
      channel.onmessage = (event) => quietly(() => hear(event.data as never))()
      return { tell: (message) => channel.postMessage(message), close: () => channel.close() }
    },
    warn: (text) => console.warn(text),
  }
}

function source(event: PageEvent): [EventTarget, string] {
  if (event === 'hidden' || event === 'visible') return [document, 'visibilitychange']
  return [event === 'freeze' || event === 'resume' ? document : window, event]
}
