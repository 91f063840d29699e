import { createStore } from 'idb-keyval'
import { vi } from 'vitest'
import { createBrowser, type Browser } from '../../src/core/browser'
import { openDatabase as open, type Database } from '../../src/core/database'
import type { InitConfig, Waymark } from '../../src/core/types'
import { createWaymarkIn } from '../../src/core/waymark'
import { createDisk, quiet } from './createDisk'
import { createScheduler } from './createScheduler'
import { createService, type Service } from './createService'

export const openDatabase = (name: string) => open(() => createStore(name, 'waymark'))

/** A browser in whose database a test decides what becomes of each transaction. */
export const withTransact = (
  transact: (database: Database, ...asked: Parameters<Database['transact']>) => Promise<unknown>,
): Partial<Browser> => ({
  openDatabase(name) {
    const database = openDatabase(name)
    return { ...database, transact: (mode, work) => transact(database, mode, work) as never }
  },
})

/** What a browser tells a page; `hidden` and `visible` are two of `visibilitychange`. */
type Told = 'pagehide' | 'pageshow' | 'freeze' | 'resume' | 'online' | 'offline' | 'hidden' | 'visible'

/** One visitor's machine: a clock wound by hand, a disk, a service, and as many tabs as a test opens. */
export function createWorld(quirks = quiet) {
  const scheduler = createScheduler()
  const disk = createDisk(scheduler, quirks)
  /** What the clock on the wall is ahead of the time that timers count. */
  let clock = Date.UTC(2026, 0, 1, 12)
  const now = () => clock + scheduler.now()
  const channels = new Set<{ name: string; hear: (message: never) => unknown; owner: object }>()
  /** What `localStorage` holds. */
  const notes = new Map<string, string>()
  const service: Service = createService(now)
  vi.stubGlobal('indexedDB', disk.factory)
  vi.stubGlobal('IDBKeyRange', disk.range)

  /** Lets everything happen that needs no time. */
  const settle = () => scheduler.run()
  const advance = (ms: number) => scheduler.run(scheduler.now() + ms)

  const openTab = (url = 'https://shop.test/', changes: Partial<Browser> = {}) => {
    const listeners = new Map<string, Set<() => void>>()
    const warnings: string[] = []
    const tab = {
      url,
      warnings,
      isOnline: true,
      isGone: false,
      isResting: false,
      isHidden: false,
      /** It has called `close()`. */
      isClosing: false,
      /** A sandboxed page: its origin is `null`. */
      isOpaque: false,
      /** Global Privacy Control. */
      refuses: false,
      /** It has a keepalive `fetch`, which no other script has replaced. */
      keepsAlive: true,
      /** A service worker stands between the page and the network; the browser may know `fetchLater`. */
      hasWorker: false,
      canDefer: false,
      /** What the browser sends by itself. */
      deferred: new Set<() => void>(),
      /** What the browser tells a page, in this order. */
      fire(...events: Told[]) {
        for (const event of events) {
          const isSwitch = event === 'hidden' || event === 'visible'
          if (isSwitch) tab.isHidden = event === 'hidden'
          if (event === 'offline' || event === 'online') tab.isOnline = event === 'online'
          for (const fn of listeners.get(isSwitch ? 'visibilitychange' : event) ?? []) fn()
        }
      },
      /** A navigation or a close: `pagehide` comes first. */
      leave: () => tab.fire('pagehide', 'hidden'),
      /** The process dies: no event, no timer, no answer any more. The browser sends what was deferred. */
      crash() {
        disk.kill(tab)
        for (const send of tab.deferred) send()
      },
      /** Its timers stand still, and it hears nobody; what it had to do it does when it wakes. */
      sleep: () => void (tab.isResting = true),
      wake: () => scheduler.wake(tab),
      listeners: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
      browser: {} as Browser,
      create: (): Waymark => createWaymarkIn(tab.browser),
      init: (config: Partial<InitConfig> = {}): Waymark =>
        tab.create().init('pk_test', { endpoint: 'https://api.test', ...config }),
    }
    tab.browser = {
      isPage: true,
      now,
      random: () => 0.5,
      after: (ms, fn) => scheduler.add(fn, ms, tab),
      soon: (fn) => queueMicrotask(fn),
      on(handlers) {
        const entries = Object.entries(handlers)
        for (const [event, fn] of entries) {
          if (!listeners.has(event)) listeners.set(event, new Set())
          listeners.get(event)!.add(fn)
        }
        return () => {
          for (const [event, fn] of entries) listeners.get(event)!.delete(fn)
        }
      },
      online: () => tab.isOnline,
      hidden: () => tab.isHidden,
      closing: () => tab.isClosing,
      timeZone: () => 'Europe/Berlin',
      page: () => ({ url: tab.url, referrer: 'https://search.test/?q=secret', viewport: '800x600' }),
      fetch: (to, init) => service.fetch(to, init, tab),
      hasWorker: () => tab.hasWorker,
      keepsAlive: () => tab.keepsAlive,
      prepareBeacon: (to, init) => (attempt) => {
        attempt.begun = true
        return service.beacon(to, String(init.body))
      },
      prepareFetch(to, init, by) {
        const send = createBrowser().prepareFetch(to, init, by ?? tab.browser.fetch)
        return (attempt) => {
          const isTaken = send(attempt)
          attempt.isDeferred = !by && tab.hasWorker && tab.canDefer
          return isTaken
        }
      },
      defer(to, init, ms) {
        if (!tab.canDefer) return () => {}
        const stop = () => {
          tab.deferred.delete(send)
          forget()
        }
        const send = () => {
          stop()
          void service.fetch(to, init, tab)
        }
        tab.deferred.add(send)
        const forget = scheduler.add(send, ms)
        return stop
      },
      fullUrl: (to) => (URL.canParse(to, tab.url) ? new URL(to, tab.url).href : undefined),
      ownOrigin: () => (tab.isOpaque ? 'null' : new URL(tab.url).origin),
      openDatabase,
      hasDatabase(name) {
        const found = disk.actAs(tab, () => indexedDB.databases())
        return found.then((all) => all.some((database) => database.name === name))
      },
      refuses: () => tab.refuses,
      writeNote: (name, text) => void (text ? notes.set(name, text) : notes.delete(name)),
      readNote: (name) => notes.get(name) ?? '',
      channel(name, hear) {
        const ear = { name, hear, owner: tab }
        channels.add(ear)
        return {
          postMessage: (message) => {
            for (const other of channels) {
              if (other.name === name && other !== ear) {
                const heard = structuredClone(message) as never
                scheduler.add(() => void other.hear(heard), quirks.delay('tell'), other.owner)
              }
            }
          },
          close: () => void channels.delete(ear),
        }
      },
      warn: (text) => void warnings.push(text),
      taken: [],
      ...changes,
    }
    const { openDatabase: openOwn } = tab.browser
    tab.browser.openDatabase = (name) => {
      const database = openOwn(name)
      return {
        ...database,
        transact(mode, work) {
          return disk.actAs(tab, () => database.transact(mode, work))
        },
      }
    }
    return tab
  }

  /** A tab whose database answers nothing before `open`. */
  const openSlowTab = (changes: Partial<Browser> = {}) => {
    let answer = () => {}
    const opened = new Promise<void>((resolve) => (answer = resolve))
    const tab = openTab('https://shop.test/', {
      openDatabase(name) {
        const database = openDatabase(name)
        return {
          ...database,
          transact: (mode, work) => opened.then(() => database.transact(mode, work)),
        }
      },
      ...changes,
    })
    return Object.assign(tab, { open: () => answer() })
  }

  return {
    scheduler,
    disk,
    service,
    notes,
    openTab,
    openSlowTab,
    advance,
    settle,
    now,
    setClock: (to: number) => (clock += to - now()),
    timers: scheduler.waiting,
    channels: () => channels.size,
  }
}

export type World = ReturnType<typeof createWorld>
