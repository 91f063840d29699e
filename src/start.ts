import { newId } from './browser/newId'
import type { Browser } from './browser/browser'
import type { EarlyCall, Target } from './capture/createCapture'
import { createUrlFilter } from './capture/createUrlFilter'
import { createOutbox } from './createOutbox'
import { createTabs } from './createTabs'
import { within } from './delivery/flush'
import { followPage } from './followPage'
import { assumedConsent, createConsent } from './identity/createConsent'
import { createIdentity } from './identity/createIdentity'
import { createRegister } from './identity/createRegister'
import { createSession } from './identity/createSession'
import { createSettings, type Settings } from './identity/createSettings'
import type { Tally } from './queue/createTally'
import type { Complain, Emit } from './signals'
import type { Config } from './types'

/** How long opening IndexedDB may take before the page goes on in memory. */
const openWithinMs = 1000

/**
 * A page that is back leaves the database alone for a moment: a transaction that waits for the last deletes of the
 * page just left throws that one out of Chromium's page cache, and its deletes with it.
 */
const openAfterReturnMs = 300

export type Core = ReturnType<typeof start>

/** Wires the rooms of one instance together and starts it. */
export function start(
  browser: Browser,
  apiKey: string,
  config: Config,
  tally: Tally,
  emit: Emit,
  complain: Complain,
  /** Calls that wait for the ids. */
  early: EarlyCall[],
) {
  const name = `waymark ${config.environment} ${apiKey}`
  const cookieName = `waymark_${encodeURIComponent(apiKey).slice(-40)}`
  const database = config.persistence === 'indexeddb' ? browser.openDatabase(name) : undefined
  let isReady = false

  const tabs = createTabs(browser, name, (message) => {
    if (!('change' in message)) return outbox.hear?.(message)
    settings.hear(message.change)
    if (message.change.consent) void consent.hear(message.change.consent)
  })
  const changed = (change: Settings) => {
    if (change.ids) emit('identity', identity.ids())
    if (change.session) emit('session', { id: change.session.id })
  }
  const settings = createSettings(
    database,
    (change) => tabs.tell({ change }),
    changed,
    () => outbox.schedule(),
  )
  const identity = createIdentity(browser, settings, config, cookieName)
  const sessionId = createSession(browser, settings, config.session, () => `session-${newId()}`)
  const register = createRegister(settings, sessionId)
  const health = {
    isGood: () => !settings.get('down'),
    set(good: boolean) {
      if (good !== health.isGood()) settings.set({ down: good ? undefined : true })
    },
  }
  const outbox = createOutbox({
    browser,
    apiKey,
    config,
    database,
    tally,
    emit,
    complain,
    tell: tabs.tell,
    takeSettings: settings.take,
    health,
  })

  const target: Target = {
    config,
    ids: identity.ids,
    sessionId,
    registered: register.all,
    cleanUrl: createUrlFilter(config.url),
    login: identity.login,
    put: outbox.put,
  }

  /** One by one, so that an unload handler that is cut short leaves the others to the next. */
  const runEarly = () => {
    for (let call; (call = early.shift());) call[0](target)
  }

  /** The ids are known, or have to do: what was called until now gets them. */
  const open = () => {
    if (!isReady) {
      isReady = true
      identity.assume()
      emit('identity', identity.ids())
    }
    runEarly()
    if (outbox.isAway()) return
    tabs.enter()
    outbox.scan()
    started()
  }

  const consent = createConsent({
    settings,
    initial: assumedConsent(browser, config),
    isStored: async () => !!database && browser.hasDatabase(name),
    tell: (state) => emit('consent', { state }),
    load() {
      const loaded = settings.load().then(identity.settle)
      const recover = () => isReady && outbox.recoverDisk() && emit('identity', identity.ids())
      loaded.then(recover, () => {})
      return within(browser, openWithinMs, loaded, outbox.suspectDisk)
    },
    open,
    stop: () => void (isReady = false),
    wipe() {
      for (const [, drop] of early.splice(0)) drop('no-consent')
      outbox.dropAll()
      register.clear()
      identity.forget()
    },
  })

  const leave = () => {
    // Early calls of a page that goes before its ids were read: better under fresh ids than not at all.
    outbox.leave(() => consent.state() === 'granted' && open())
    tabs.leave()
  }

  const unfollow = followPage(browser, {
    leave,
    hide: () => (outbox.isAway() ? leave() : isReady && outbox.hide()),
    enter() {
      if (!outbox.isAway()) return
      outbox.enter()
      isReady = false
      browser.after(openAfterReturnMs, () => !outbox.isAway() && void consent.wake())
    },
    online() {
      if (!isReady) return
      void outbox.drain()
      outbox.scan()
    },
  })

  let started: () => void
  const ready = new Promise<void>((resolve) => (started = resolve))
  // In the next microtask: opening a database takes a millisecond that `init` need not.
  browser.soon(() => void consent.begin())

  return {
    ready,
    isReady: () => isReady,
    target,
    ids: identity.ids,
    consent,
    register,
    reset(renewDevice?: boolean) {
      identity.reset(renewDevice)
      register.clear()
    },
    flush: async (timeoutMs?: number) => {
      if (consent.state() === 'granted') await ready
      return isReady ? outbox.flush(timeoutMs) : { sent: 0, left: early.length, dropped: 0 }
    },
    stats: outbox.stats,
    stop() {
      unfollow()
      outbox.stop()
      tabs.leave()
      database?.close()
    },
  }
}
