import type { Browser } from './browser/browser'
import type { Database } from './browser/openDatabase'
import { createDelivery } from './delivery/createDelivery'
import { createTransport } from './delivery/createTransport'
import { createLanes } from './queue/createLanes'
import { createQueue } from './queue/createQueue'
import { createRecords } from './queue/createRecords'
import type { Tally } from './queue/createTally'
import type { Payload } from './queue/row'
import type { Settings, Shared } from './identity/createSettings'
import type { Complain, Emit } from './signals'
import type { Config, DropReason, Kind, Stats } from './types'

/** What tabs of one queue say to each other: who is there, I am, this has changed. */
export type TabMessage = { ask: true } | { here: string } | { change: Settings }

/** Wires queue and delivery together: what is put is stored, sent, and handed over when the page goes. */
export function createOutbox(
  browser: Browser,
  apiKey: string,
  config: Config,
  database: Database | undefined,
  settings: Pick<Shared, 'values' | 'set' | 'take'>,
  tally: Tally,
  emit: Emit,
  complain: Complain,
  tell: (message: TabMessage) => void,
) {
  /** `wake` will run, or need not: the page leaves. */
  let isWaking = false

  const records = database && createRecords(database)
  const queue = createQueue(browser, records, config, tally, emit)
  const delivery = createDelivery(
    browser,
    queue,
    createTransport(browser, apiKey, config),
    config,
    complain,
    settings,
    async () => lanes?.more(),
  )
  const lanes =
    records &&
    createLanes(
      browser,
      records,
      config.queue,
      tally,
      tell,
      () => (delivery.isAway() ? '' : queue.lane()),
      (claimed) => {
        queue.adopt(claimed)
        void delivery.drain()
      },
    )

  const dropAll = (reason: DropReason = 'no-consent') =>
    queue.finish(queue.all(), { status: 'dropped', reason })

  const store = () => queue.store(settings.take())

  const wake = () => {
    isWaking = false
    store()
    delivery.wake()
  }

  /** All that one task does is one transaction, in its microtask; a page that has left has none to come. */
  const schedule = () => {
    if (isWaking) return
    if (delivery.isAway()) return wake()
    isWaking = true
    browser.soon(wake)
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
    isAway: delivery.isAway,

    /** The page goes. `finishCalls` puts what it still holds, so that it can be handed over with the rest. */
    leave(finishCalls: () => unknown) {
      // First of all: where this handler is cut short, the next one must know that the page has left.
      delivery.stop()
      isWaking = true
      finishCalls()
      database?.abortReads()
      delivery.leave()
      // What could not be handed over and is not yet stored: WebKit drops it here, the others keep it.
      store()
      isWaking = false
      lanes?.leave()
    },

    /** The page is back: with a new lane, because another page may have found the old one. */
    enter() {
      queue.leave()
      delivery.enter()
    },

    /** Sends at once, also what was waiting for a better time. Never rejects. */
    drain: delivery.drain,
    hide: delivery.hide,

    suspectDisk: queue.suspect,

    /** The database was slow, but came: what memory holds goes there. */
    recoverDisk() {
      queue.recover()
      store()
      void lanes?.scan()
    },

    dropAll,

    stats: (): Pick<Stats, 'store' | 'queued' | 'bytes' | 'oldestAt' | 'state'> => ({
      store: queue.works() ? 'indexeddb' : 'memory',
      ...queue.size(),
      state: delivery.state(),
    }),

    /** The instance ends: a later page finds what is on disk, the rest is lost. */
    stop() {
      delivery.stop()
      store()
      lanes?.leave()
      queue.leave()
      dropAll('shut-down')
    },
  }
}
