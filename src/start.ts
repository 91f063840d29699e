import type { Browser } from './browser/browser'
import type { EarlyCall, Target } from './capture/createCapture'
import { createUrlFilter } from './capture/createUrlFilter'
import { createOutbox, type TabMessage } from './createOutbox'
import { assumedConsent, createConsent } from './identity/createConsent'
import { createIdentity } from './identity/createIdentity'
import { createRegister } from './identity/createRegister'
import { createSession } from './identity/createSession'
import { createSettings } from './identity/createSettings'
import type { Tally } from './queue/createTally'
import type { Complain, Emit } from './signals'
import type { Config, Consent } from './types'
import { within } from './within'

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
  /** Of the database and the channel: one for each key and environment. */
  name: string,
  apiKey: string,
  config: Config,
  tally: Tally,
  emit: Emit,
  complain: Complain,
  /** Calls that wait for the ids. */
  early: EarlyCall[],
  /** The ids are known. */
  ready: () => void,
) {
  const database = config.persistence === 'indexeddb' ? browser.openDatabase(name) : undefined
  let isReady = false

  let channel: ReturnType<Browser['channel']>
  const tell = (message: TabMessage) => channel?.postMessage(message)
  const hear = (message: TabMessage) => {
    if (!('change' in message)) return outbox.hear?.(message)
    settings.hear(message.change)
    if ('consent' in message.change) void consent.hear(message.change.consent)
  }
  /** A message that reaches a page in Chromium's page cache throws it out of there: hear none. */
  const closeChannel = () => {
    channel?.close()
    channel = undefined
  }

  const settings = createSettings(
    database,
    (change) => tell({ change }),
    ({ ids, session }, before) => {
      if (ids) emit('identity', identity.ids())
      if (session && session.id !== before.session?.id) emit('session', { id: session.id })
    },
    () => outbox.schedule(),
  )
  const cookieName = `waymark_${encodeURIComponent(apiKey).slice(-40)}`
  const identity = createIdentity(browser, settings, config, cookieName)
  const sessionId = createSession(browser, settings, config.session)
  const register = createRegister(settings, sessionId)
  const outbox = createOutbox(browser, apiKey, config, database, settings, tally, emit, complain, tell)

  const target: Target = {
    config,
    ids: identity.ids,
    sessionId,
    registered: register.all,
    cleanUrl: createUrlFilter(config.url),
    login: identity.login,
    put: outbox.put,
  }

  /** The ids are known, or have to do: what was called until now gets them. */
  const finishCalls = () => {
    if (!isReady) {
      isReady = true
      identity.assume()
      emit('identity', identity.ids())
    }
    // Each stays until it has run: an unload handler that is cut short in the midst of it leaves it to the next.
    for (let call; (call = early[0]); early.shift()) call[0](target)
  }
  /** Where the database has not answered yet, and nobody can wait for it. */
  const isRefused = () => !settings.values.ids && browser.isRefused(name)

  const open = () => {
    if (isRefused()) return hear({ change: { consent: 'denied' } })
    finishCalls()
    if (outbox.isAway()) return
    outbox.scan()
    ready()
  }

  const consent = createConsent(
    settings,
    assumedConsent(browser, config),
    async () => !!database && browser.hasDatabase(name),
    emit,
    (isChoice) => {
      const loaded = settings.load().then((stored) => {
        if (isChoice || stored.consent !== 'denied') return identity.settle(stored)
      })
      const recover = () => {
        if (!isReady) return
        if (settings.values.consent === 'denied') return void consent.hear('denied')
        outbox.recoverDisk()
        emit('identity', identity.ids())
      }
      return within(browser, openWithinMs, loaded, () => {
        outbox.suspectDisk()
        loaded.then(recover, () => {})
      })
    },
    open,
    () => (isReady = false),
    () => {
      for (const [, drop] of early.splice(0)) drop('no-consent')
      outbox.dropAll()
      identity.forget()
    },
  )

  /** The channel first: what another tab changes after the read is heard. */
  const look = (at: () => unknown) => {
    channel ??= browser.channel(name, hear)
    void at()
  }
  const leave = () => {
    // Early calls of a page that goes before its ids were read: better under fresh ids than not at all.
    outbox.leave(() => consent.state() === 'granted' && !isRefused() && finishCalls())
    closeChannel()
  }
  const enter = () => {
    if (!outbox.isAway()) return
    outbox.enter()
    isReady = false
    browser.after(openAfterReturnMs, () => !outbox.isAway() && look(consent.look))
  }

  // No `unload` or `beforeunload`: they cost the page cache.
  const unfollow = browser.on({
    pagehide: leave,
    freeze: leave,
    // After `pagehide`, the last chance; before it, a tab was switched.
    hidden: () => (outbox.isAway() ? leave() : isReady && outbox.hide()),
    pageshow: enter,
    resume: enter,
    online() {
      if (!isReady) return
      void outbox.drain()
      outbox.scan()
    },
  })

  // In the next microtask: opening a database takes a millisecond that `init` need not.
  browser.soon(() => look(consent.begin))

  return {
    name,
    ...target,
    isReady: () => isReady,
    consent: consent.state,
    refuses: consent.refuses,
    choose(state: Consent | 'dismissed') {
      if (database) browser.noteRefusal(name, state === 'denied')
      void consent.choose(state)
    },
    ...register,
    reset: identity.reset,
    flush: outbox.drain,
    stats: outbox.stats,
    stop() {
      unfollow()
      outbox.stop()
      closeChannel()
      database?.close()
    },
  }
}
