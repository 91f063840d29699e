import { createBrowser, type Browser } from './browser'
import { copy, createCalls, type Call } from './capture'
import { readConfig } from './config'
import { choose, look, refuses } from './consent'
import { enter, flushKnown } from './delivery'
import { save, works } from './disk'
import { readUserId } from './ids'
import { createInstance, isAway } from './instance'
import { follow } from './page'
import { startPlugins, stopPlugins, usePlugin } from './plugins'
import { dropAll, giveUp } from './queue'
import { complain, on } from './signals'
import { isInSession } from './session'
import { closeTabs } from './tabs'
import type { EventMap, Waymark } from './types'
import { createUrlFilter } from './urls'
import { act, readIds, type Act } from './visitor'

/** Calls kept before the visitor is known; the oldest go first. */
const mostWaiting = 1000

/**
 * Makes an instance. It does nothing before `init`; where there is no page (on a server) it does nothing at all.
 *
 * @example
 * type Events = { 'Signed Up': { plan: 'free' | 'pro' }; 'Signed Out': {} }
 * const shop = createWaymark<Events>().init('pk_1', { endpoint: 'https://api.example.com' })
 * shop.track('Signed Up', { plan: 'pro' })
 */
export const createWaymark = <Events extends object = EventMap>() =>
  createWaymarkIn(createBrowser()) as unknown as Waymark<Events>

/** The same, in a browser of the caller's: this is how tests hand in their own. */
export function createWaymarkIn(browser: Browser): Waymark {
  const w = createInstance(browser)
  const ready = new Promise<void>((resolve) => (w.onReady = resolve))
  let stop = () => {}
  let chosen: Parameters<Waymark['setConsent']>[0] | undefined

  const isOpen = (at?: number) => {
    if (w.isKnown && at && !w.waiting[0] && !isAway(w) && !isInSession(w, at)) {
      // The session is over. Tabs agree on the next one in the transaction that reads it.
      w.isKnown = false
      look(w)
    }
    return w.isKnown
  }
  /** Runs a call when the visitor is known: now, as a rule. */
  const whenKnown = (call: Call) => {
    if (w.state === 'shut') call.drop('shut-down')
    else if (refuses(w)) call.drop('no-consent')
    else if (isOpen(call.at)) call.run()
    else if (w.waiting.push(call) > mostWaiting) w.waiting.shift()!.drop('too-many')
  }
  /** What changes the state of the instance keeps its place among the calls; `read` copies what it is given. */
  const inOrder = <Own>(read: () => Own, run: (own: Own) => void) => {
    const attempt = (part: () => void) => {
      try {
        part()
      } catch (error) {
        // Of a getter or a proxy of the caller's.
        complain(w, 'unreadable', error)
      }
    }
    attempt(() => {
      const own = read()
      whenKnown({ run: () => attempt(() => run(own)), drop() {} })
    })
  }
  const change =
    (name: Act[0], own = (given: unknown) => given) =>
    (given?: unknown) =>
      inOrder(
        () => own(given),
        (copied) => act(w, name, copied),
      )
  const read = (given: unknown) => copy(w, given)

  const setConsent: Waymark['setConsent'] = (state) => {
    chosen = state
    if (w.name) choose(w, state)
  }

  const waymark: Waymark = {
    ...createCalls(w, whenKnown),
    on: (name, fn) => on(w, name, fn),

    init(apiKey, given) {
      if (w.state === 'shut') return waymark
      const config = readConfig(given)
      const name = `waymark ${config.environment} ${apiKey}`
      if (typeof apiKey !== 'string' || !apiKey) complain(w, 'missing-api-key', apiKey, true)
      else if (w.name) {
        if (name !== w.name) complain(w, 'already-initialised', name, true)
      } else if (!config.endpoint || !browser.originOf(config.endpoint))
        complain(w, 'missing-endpoint', config.endpoint, true)
      else {
        Object.assign(w, { config, name, apiKey })
        w.consent = config.respectGpc && browser.refuses() ? 'denied' : config.consent
        w.bootUser = readUserId(config.bootstrap.userId)
        w.cleanUrl = createUrlFilter(config.url)
        if (config.persistence === 'indexeddb') {
          w.database = browser.openDatabase(name)
          w.brokenUntil = 0
        }
        enter(w)
        stop = follow(w)
        if (chosen) choose(w, chosen)
        config.plugins.forEach((plugin) => usePlugin(w, plugin))
        w.host = { ...waymark, cleanUrl: w.cleanUrl, ids: () => readIds(w) }
        startPlugins(w)
      }
      return waymark
    },

    page: (properties, options) => waymark.track('$pageview', properties, options),
    register: change('register', read),
    registerOnce: change('registerOnce', read),
    unregister: (...names) => change('unregister')(names),
    reset: change('reset', (options) => (options as { deviceId?: boolean } | undefined)?.deviceId),

    setConsent,
    getConsent: () => w.consent,
    optIn: () => setConsent('granted'),
    optOut: () => setConsent('denied'),

    async flush({ timeoutMs = 30_000 } = {}) {
      const { accepted, lost } = w
      if (w.name && w.consent === 'granted')
        await new Promise<void>((resolve) => {
          const end = () => {
            stopTimer()
            resolve()
          }
          const stopTimer = browser.after(timeoutMs, end)
          void ready.then(() => flushKnown(w)).then(end)
        })
      return { sent: w.accepted - accepted, left: waymark.stats().queued, dropped: w.lost - lost }
    },
    ready: () => (w.state === 'shut' ? Promise.resolve() : ready),

    async shutdown() {
      const flushed = await waymark.flush()
      stopPlugins(w)
      save(w)
      w.state = 'shut'
      stop()
      w.stopTimer()
      w.stopScan()
      giveUp(w, '')
      dropAll(w, 'shut-down')
      closeTabs(w)
      w.database?.close()
      return flushed
    },

    use: (plugin) => usePlugin(w, plugin),

    configure: (patch) =>
      inOrder(
        () => patch,
        () => Object.assign(w.config, readConfig(patch, w.config)),
      ),

    stats: () => ({
      store: w.isWritable && works(w) ? 'indexeddb' : 'memory',
      queued: w.queued + w.waiting.length,
      bytes: w.bytes,
      oldestAt: w.rows[0] && Math.floor(w.rows[0].key[1] / 1000),
      sent: w.accepted,
      handedOff: w.handedOff,
      dropped: { ...w.dropped },
      state: w.inFlight[0] ? 'sending' : w.paused ? 'paused' : w.failures ? 'waiting' : 'idle',
    }),

    get ids() {
      return readIds(w)
    },
  }

  return waymark
}
