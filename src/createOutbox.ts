import type { Browser } from './browser/browser'
import type { Database } from './browser/openDatabase'
import type { Target } from './capture/createCapture'
import type { TabMessage } from './createTabs'
import { createDelivery } from './delivery/createDelivery'
import { createTransport } from './delivery/createTransport'
import { flush } from './delivery/flush'
import { createLanes } from './queue/createLanes'
import { createQueue } from './queue/createQueue'
import { createRecords } from './queue/createRecords'
import type { Tally } from './queue/createTally'
import type { Complain, Emit } from './signals'
import type { Config, Stats } from './types'
import { readId } from './wire'

/** A page that has sent everything looks for what others left, but not more often than this. */
const scanEveryMs = 60_000

interface Parts {
  browser: Browser
  apiKey: string
  config: Config
  database: Database | undefined
  tally: Tally
  emit: Emit
  complain: Complain
  tell(message: TabMessage): void
  /** Settings that have changed and are not stored. */
  takeSettings(): object
  /** Whether the last request did well. */
  health: { isGood(): boolean; set(good: boolean): void }
}

/** Wires queue and delivery together: what is put is stored, sent, and handed over when the page goes. */
export function createOutbox(parts: Parts) {
  const { browser, apiKey, config, database, tally, emit, complain, tell, takeSettings, health } = parts
  const records = database && createRecords(database)
  const readIdOf = (body: string) => readId(body, config.insertId)
  const queue = createQueue({ browser, records, config, readId: readIdOf, tally, emit })
  const transport = createTransport(browser, apiKey, config)
  let isAway = false
  let isLeaving = false
  let isWaking = false
  let scannedAt = 0

  const scan = () => {
    scannedAt = browser.now()
    return lanes?.scan()
  }

  const adoptMore = async () => {
    if (browser.now() - scannedAt > scanEveryMs) void scan()
    return !!(await lanes?.claim())
  }

  const delivery = createDelivery({ browser, queue, transport, config, complain, health, adoptMore })

  const lanes =
    records &&
    createLanes({
      browser,
      records,
      tell,
      limits: config.queue,
      tally,
      mine: () => (isAway ? '' : queue.lane()),
      adopt(claimed) {
        queue.adopt(claimed)
        void delivery.drain()
      },
    })

  const wake = () => {
    isWaking = false
    queue.store(takeSettings())
    delivery.wake()
  }

  /** All that one task does is one transaction, in its microtask; a page that has left has none to come. */
  const schedule = () => {
    if (isLeaving) return
    if (isAway) wake()
    else if (!isWaking) {
      isWaking = true
      browser.soon(wake)
    }
  }

  const put: Target['put'] = (kind, tracked, body) => {
    queue.put(kind, tracked, body)
    schedule()
  }

  return {
    put,
    schedule,
    scan,
    hear: lanes?.hear,
    isAway: () => isAway,

    /** The page goes. `finishCalls` puts what it still holds, so that it can be handed over with the rest. */
    leave(finishCalls: () => unknown) {
      isAway = isLeaving = true
      finishCalls()
      database?.abortReads()
      delivery.leave()
      // What could not be handed over and is not yet stored: WebKit drops it here, the others keep it.
      queue.store(takeSettings())
      isLeaving = false
      lanes?.leave()
    },

    /** The page is back: with a new lane, because another page may have found the old one. */
    enter() {
      isAway = isLeaving = false
      queue.leave()
      queue.enter()
      delivery.enter()
    },

    /** Tries at once what was waiting for a better time. */
    retry: delivery.retry,
    hide: delivery.hide,

    suspectDisk: queue.disk.suspect,

    /** The database was slow, but came: what memory holds goes there. False when nothing was amiss. */
    recoverDisk() {
      if (queue.disk.works()) return false
      queue.disk.recover()
      queue.store(takeSettings())
      void scan()
      return true
    },

    dropAll: () => queue.finish(queue.all(), { status: 'dropped', reason: 'no-consent' }),

    flush: (timeoutMs?: number) => flush(browser, queue, tally, delivery.drain, timeoutMs),

    stats() {
      const store: Stats['store'] = queue.disk.works() ? 'indexeddb' : 'memory'
      return { store, ...queue.size(), state: delivery.state() }
    },

    stop() {
      delivery.stop()
      lanes?.leave()
    },
  }
}
