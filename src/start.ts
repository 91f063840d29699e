import { nanoid } from 'nanoid'
import type { Browser } from './browser/browser'
import type { EarlyCall, Target } from './capture/createCapture'
import { createUrlFilter } from './capture/createUrlFilter'
import { createTabs } from './createTabs'
import { createDelivery } from './delivery/createDelivery'
import { createTransport } from './delivery/createTransport'
import { flush, within } from './delivery/flush'
import { assumedConsent, createConsent } from './identity/createConsent'
import { followPage } from './followPage'
import { createIdentity } from './identity/createIdentity'
import { createRegister } from './identity/createRegister'
import { createSession } from './identity/createSession'
import { createSettings, type Settings } from './identity/createSettings'
import { createLanes } from './queue/createLanes'
import { createQueue } from './queue/createQueue'
import { createRecords } from './queue/createRecords'
import type { Tally } from './queue/createTally'
import type { Complain, Emit } from './signals'
import type { Config, Stats } from './types'
import { readId } from './wire'

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
  let isAway = false
  let isReady = false
  let isWaking = false
  let scannedAt = 0
  const early: EarlyCall[] = []

  const tabs = createTabs(browser, name, (message) => {
    if ('change' in message) settings.hear(message.change)
    else lanes?.hear(message)
  })
  const changed = (change: Settings) => {
    if (change.ids) emit('identity', identity.ids())
    if (change.session) emit('session', { id: change.session.id })
    if (change.consent) void consent.hear(change.consent)
  }
  const settings = createSettings(database, (change) => tabs.tell({ change }), changed)
  const identity = createIdentity(
    browser,
    settings,
    config,
    `waymark_${encodeURIComponent(apiKey).slice(-40)}`,
  )
  const sessionId = createSession(browser, settings, config.session, () => `session-${nanoid()}`)
  const register = createRegister(settings, sessionId)
  const readIdOf = (body: string) => readId(body, config.insertId)
  const queue = createQueue({ browser, records, config, readId: readIdOf, tally, emit })

  const delivery = createDelivery({
    browser,
    queue,
    transport: createTransport(browser, apiKey, config),
    config,
    complain,
    health: {
      isGood: () => !settings.get('down'),
      set: (good) => good === !!settings.get('down') && settings.set({ down: good ? undefined : true }),
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
      tell: tabs.tell,
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
    sessionId,
    registered: register.all,
    cleanUrl: createUrlFilter(config.url),
    login: identity.login,
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
    identity.assume()
    isReady = true
    emit('identity', identity.ids())
    for (const [fn] of early.splice(0)) fn(target)
    if (isAway) return
    tabs.enter()
    void scan()
    started()
  }

  const consent = createConsent({
    settings,
    initial: assumedConsent(browser, config),
    isStored: async () => !!database && browser.hasDatabase(name),
    tell: (state) => emit('consent', { state }),
    load: () => within(browser, openWithinMs, settings.load().then(identity.settle), queue.disk.suspect),
    open,
    stop: () => void (isReady = false),
    wipe() {
      for (const [, drop] of early.splice(0)) drop('no-consent')
      queue.finish(queue.all(), { status: 'dropped', reason: 'no-consent' })
      register.clear()
      identity.forget()
    },
  })

  const leave = () => {
    // Early calls of a page that goes before its ids were read: better under fresh ids than not at all.
    isAway = true
    if (consent.state() === 'granted') open()
    database?.abortReads()
    delivery.leave()
    lanes?.leave()
    tabs.leave()
  }

  const enter = () => {
    if (!isAway) return
    isAway = false
    queue.leave()
    queue.enter()
    delivery.enter()
    void consent.wake()
  }

  const unfollow = followPage(browser, {
    leave,
    hide: () => (isAway ? delivery.leave() : delivery.retry()),
    enter,
    online: () => void (delivery.retry(), scan()),
  })

  let started: () => void
  const ready = new Promise<void>((resolve) => (started = resolve))
  // In the next microtask: opening a database takes a millisecond that `init` need not.
  browser.soon(() => void consent.begin())

  return {
    ready,
    ids: identity.ids,
    consent,
    whenReady(...call: EarlyCall) {
      if (isReady) call[0](target)
      else if (consent.state() === 'denied') call[1]('no-consent')
      else early.push(call)
    },
    register,
    cleanUrl: target.cleanUrl,
    reset(renewDevice?: boolean) {
      identity.reset(renewDevice)
      register.clear()
    },
    flush: async (timeoutMs?: number) => {
      if (consent.state() === 'granted') await ready
      return flush(browser, queue, tally, isReady ? delivery.drain : async () => {}, timeoutMs)
    },
    stats() {
      const store: Stats['store'] = queue.disk.works() ? 'indexeddb' : 'memory'
      const { queued, ...size } = queue.size()
      return { store, ...size, queued: queued + early.length, state: delivery.state() }
    },
    stop() {
      unfollow()
      delivery.stop()
      lanes?.leave()
      tabs.leave()
      database?.close()
    },
  }
}
