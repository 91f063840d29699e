import type { Browser } from './browser/browser'
import type { Database } from './browser/openDatabase'
import type { TabMessage } from './createTabs'
import { createDelivery } from './delivery/createDelivery'
import { createTransport } from './delivery/createTransport'
import { flush } from './delivery/flush'
import { createLanes } from './queue/createLanes'
import { createQueue } from './queue/createQueue'
import { createRecords } from './queue/createRecords'
import type { Tally } from './queue/createTally'
import type { Payload } from './queue/row'
import type { Complain, Emit } from './signals'
import type { Config, Kind, Stats } from './types'
import { readId } from './wire'

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
  const adoptMore = async () => !!(await lanes?.more())
  const delivery = createDelivery({ browser, queue, transport, config, complain, health, adoptMore })
  let isAway = false
  let isLeaving = false
  let isWaking = false

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

  const store = () => queue.store(takeSettings())

  const wake = () => {
    isWaking = false
    store()
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

  return {
    put(kind: Kind, payload: Payload) {
      queue.put(kind, payload)
      schedule()
    },
    schedule,
    /** Looks for what other pages left. */
    scan: () => void lanes?.scan(),
    hear: lanes?.hear,
    isAway: () => isAway,

    /** The page goes. `finishCalls` puts what it still holds, so that it can be handed over with the rest. */
    leave(finishCalls: () => unknown) {
      isAway = isLeaving = true
      finishCalls()
      database?.abortReads()
      delivery.leave()
      // What could not be handed over and is not yet stored: WebKit drops it here, the others keep it.
      store()
      isLeaving = false
      lanes?.leave()
    },

    /** The page is back: with a new lane, because another page may have found the old one. */
    enter() {
      isAway = false
      queue.leave()
      queue.enter()
      delivery.enter()
    },

    /** Sends at once, also what was waiting for a better time. */
    drain: delivery.drain,
    hide: delivery.hide,

    suspectDisk: queue.suspect,

    /** The database was slow, but came: what memory holds goes there. False when nothing was amiss. */
    recoverDisk() {
      if (queue.works()) return false
      queue.recover()
      store()
      void lanes?.scan()
      return true
    },

    dropAll: () => queue.finish(queue.all(), { status: 'dropped', reason: 'no-consent' }),

    flush: (timeoutMs?: number) => flush(browser, queue, tally, delivery.drain, timeoutMs),

    stats() {
      const store: Stats['store'] = queue.works() ? 'indexeddb' : 'memory'
      return { store, ...queue.size(), state: delivery.state() }
    },

    stop() {
      delivery.stop()
      lanes?.leave()
    },
  }
}
