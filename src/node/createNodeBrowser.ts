import type { Browser } from '../core/browser'

/** No error of later work may reach the host. */
const quietly = (fn: () => void) => () => {
  try {
    fn()
  } catch (error) {
    console.debug('[waymark] internal', error)
  }
}

/**
 * The door to the platform in a server: there is no page, and its timers keep no process alive. What only a page asks is
 * never asked here.
 */
export const createNodeBrowser = (): Browser => {
  const none = () => undefined
  return {
    isPage: true,
    now: Date.now,
    random: Math.random,
    after(ms, fn) {
      const timer = setTimeout(quietly(fn), Math.min(ms, 2e9))
      // An edge's timer is a number.
      ;(timer as { unref?(): void }).unref?.()
      return () => clearTimeout(timer)
    },
    soon: (fn) => queueMicrotask(quietly(fn)),
    on: () => () => {},
    online: () => true,
    hidden: () => false,
    closing: none,
    hasWorker: () => false,
    keepsAlive: () => true,
    page: () => ({ url: '', referrer: '', viewport: '' }),
    timeZone: none,
    fetch: (url, init) => fetch(url, init),
    prepareBeacon: () => () => false,
    prepareFetch: () => () => false,
    defer: () => () => {},
    fullUrl: (url) => (URL.canParse(url) ? url : undefined),
    ownOrigin: () => '',
    openDatabase: none as never,
    hasDatabase: async () => false,
    refuses: () => false,
    writeNote: none,
    readNote: () => '',
    channel: none,
    warn: (text) => console.warn(text),
    taken: [],
  }
}
