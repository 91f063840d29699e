import { nanoid } from 'nanoid'
import type { Browser } from './browser/browser'
import type { Target } from './capture/createCapture'
import { createUrlFilter } from './capture/createUrlFilter'
import { createDelivery } from './delivery/createDelivery'
import { createTransport } from './delivery/createTransport'
import { flush, within } from './delivery/flush'
import { createIdentity } from './identity/createIdentity'
import { createLanes } from './queue/createLanes'
import { createQueue } from './queue/createQueue'
import { createRecords } from './queue/createRecords'
import type { Tally } from './queue/createTally'
import type { Complain, Emit } from './signals'
import type { Config, Stats } from './types'

/** How long opening IndexedDB may take before the page goes on in memory. */
const openWithinMs = 1000

/** A page that has sent everything looks for what others left, but not more often than this. */
const scanEveryMs = 60_000

export type Core = ReturnType<typeof start>

/** Wires the rooms of one instance together and starts it. */
export function start(
  browser: Browser,
  apiKey: string,
  config: Config,
  tally: Tally,
  emit: Emit,
  complain: Complain,
) {
  const name = `waymark ${config.environment} ${apiKey}`
  const database = config.persistence === 'indexeddb' ? browser.openDatabase(name) : undefined
  const records = database && createRecords(database)
  const identity = createIdentity(database, (ids) => emit('identity', ids))
  const queue = createQueue({ browser, records, config, newLane: nanoid, tally, emit })
  let isAway = false
  let isHealthy = true
  let isReady = false
  let isWaking = false
  let scannedAt = 0
  const early: ((target: Target) => void)[] = []

  const delivery = createDelivery({
    browser,
    queue,
    transport: createTransport(browser, apiKey, config),
    config,
    complain,
    health: {
      isGood: () => isHealthy,
      set(good) {
        if (good === isHealthy) return
        isHealthy = good
        database?.write((store) => void (good ? store.delete('down') : store.put(1, 'down'))).catch(() => {})
      },
    },
    adoptMore: async () => {
      if (browser.now() - scannedAt > scanEveryMs) void scan()
      return !!(await lanes?.claim())
    },
  })

  const lanes =
    records &&
    createLanes({
      browser,
      records,
      name,
      limits: config.queue,
      tally,
      mine: () => (isAway ? '' : queue.lane()),
      adopt(claimed) {
        queue.adopt(claimed)
        void delivery.drain()
      },
    })

  const scan = () => {
    scannedAt = browser.now()
    return lanes?.scan()
  }

  const wake = () => {
    isWaking = false
    queue.store()
    delivery.wake()
  }

  const target: Target = {
    config,
    ids: identity.ids,
    cleanUrl: createUrlFilter(config.url.keepParams),
    login: identity.login,
    reset: identity.reset,
    put(kind, id, body, settle) {
      queue.put(kind, id, body).settle = settle
      // All that one task tracks is one record, written in its microtask; a page that leaves has none to come.
      if (isAway) wake()
      else if (!isWaking) {
        isWaking = true
        browser.soon(wake)
      }
    },
  }

  /** The ids are known, or have to do: what was called until now gets them. */
  const open = () => {
    if (isReady) return
    isReady = true
    identity.assume()
    for (const fn of early.splice(0)) fn(target)
  }

  const leave = () => {
    // Early calls of a page that goes before its ids were read: better under fresh ids than not at all.
    open()
    isAway = true
    database?.abortReads()
    delivery.leave()
    lanes?.leave()
  }

  const enter = () => {
    if (!isAway) return
    isAway = false
    queue.leave()
    queue.enter()
    delivery.enter()
    lanes?.enter()
    void scan()
  }

  const listening = [
    browser.on('pagehide', leave),
    browser.on('freeze', leave),
    // After `pagehide`, this goes on where its handler was cut short; before it, a tab was switched.
    browser.on('hidden', () => (isAway ? delivery.leave() : delivery.retry())),
    browser.on('pageshow', enter),
    browser.on('resume', enter),
    browser.on('online', () => {
      delivery.retry()
      void scan()
    }),
  ]

  const load = async () => {
    isHealthy = !(await database?.read((store) => store.get('down')))
    await identity.load()
  }
  const ready = within(browser, openWithinMs, load(), queue.disk.suspect).then(() => {
    open()
    void scan()
  })

  return {
    ready,
    whenReady: (fn: (target: Target) => void) => void (isReady ? fn(target) : early.push(fn)),
    identity,
    flush: (timeoutMs?: number) => ready.then(() => flush(browser, queue, tally, delivery.drain, timeoutMs)),
    stats() {
      const store: Stats['store'] = queue.disk.works() ? 'indexeddb' : 'memory'
      return { store, ...queue.size(), state: delivery.state() }
    },
    stop() {
      for (const off of listening) off()
      delivery.stop()
      lanes?.leave()
      database?.close()
    },
  }
}
