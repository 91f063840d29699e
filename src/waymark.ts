import { createBrowser, type Browser } from './browser'
import { createCalls } from './capture'
import { readConfig } from './config'
import { choose } from './consent'
import { enter, flushKnown } from './delivery'
import { save, works } from './disk'
import { readUserId } from './ids'
import { createInstance, type Instance } from './instance'
import { follow } from './page'
import { startPlugins, stopPlugins, usePlugin } from './plugins'
import { all, finish, giveUp } from './queue'
import { complain, on } from './signals'
import { closeTabs } from './tabs'
import type { EventMap, Stop, Waymark } from './types'
import { createUrlFilter } from './urls'
import { readIds } from './visitor'

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
  enter(w)
  const ready = new Promise<void>((resolve) => (w.onReady = resolve))
  let stop: Stop | undefined
  let chosen: Parameters<Waymark['setConsent']>[0] | undefined

  const setConsent: Waymark['setConsent'] = (state) => {
    chosen = state
    if (w.name) choose(w, state)
  }

  const waymark: Waymark = {
    ...createCalls(w),
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
        const cleanUrl = createUrlFilter(config.url)
        Object.assign(w, {
          config,
          name,
          apiKey,
          cleanUrl,
          consent: config.respectGpc && browser.refuses() ? 'denied' : config.consent,
          bootUser: readUserId(config.bootstrap.userId),
        } satisfies Partial<Instance>)
        if (config.persistence === 'indexeddb') {
          w.database = browser.openDatabase(name)
          w.brokenUntil = 0
        }
        stop = follow(w)
        if (chosen) choose(w, chosen)
        startPlugins(w, { ...waymark, cleanUrl, ids: () => readIds(w) }, config.plugins)
      }
      return waymark
    },

    setConsent,
    getConsent: () => w.consent,
    optIn: () => setConsent('granted'),
    optOut: () => setConsent('denied'),

    async flush({ timeoutMs = 30_000 } = {}) {
      const { accepted, lost } = w
      if (w.name && w.consent === 'granted')
        await new Promise<void>((resolve) => {
          const stopTimer = browser.after(timeoutMs, resolve)
          void ready
            .then(() => flushKnown(w))
            .then(resolve)
            .then(stopTimer)
        })
      return { sent: w.accepted - accepted, left: waymark.stats().queued, dropped: w.lost - lost }
    },
    ready: () => (w.state === 'shut' ? Promise.resolve() : ready),

    async shutdown() {
      const flushed = await waymark.flush()
      stopPlugins(w)
      save(w)
      w.state = 'shut'
      stop?.()
      w.stopTimer()
      w.stopScan()
      giveUp(w, '')
      for (const { drop } of w.waiting.splice(0)) drop('shut-down')
      finish(w, all(w), { status: 'dropped', reason: 'shut-down' })
      closeTabs(w)
      w.database?.close()
      return flushed
    },

    use: (plugin) => usePlugin(w, plugin),

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
