import { createBrowser, within, type Browser } from './browser'
import { alias, call, change, copy, identify, track, updateTraits } from './capture'
import { readConfig } from './config'
import { choose } from './consent'
import { flushKnown } from './delivery'
import { save, works } from './disk'
import { readUserId } from './ids'
import { canWriteSettings, createInstance, isAnonymous, type Instance } from './instance'
import { follow, shut } from './page'
import { startPlugins, stopPlugins, usePlugin } from './plugins'
import { countHeld, dropAll, giveUp } from './queue'
import { complain, on } from './signals'
import { closeTabs } from './tabs'
import type { Consent, EventMap, Flushed, Waymark } from './types'
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
export const createWaymark = <Events extends object = EventMap>(): Waymark<Events> =>
  createWaymarkIn(createBrowser())

/** A database that hangs does not hold `shutdown`. */
const savedWithinMs = 10_000

type Methods = Omit<Waymark, 'ids'>

const setConsent = (w: Instance, state: Consent | 'dismissed') => {
  w.chosen = state
  if (w.storeName) choose(w, state)
}

const flush = async (w: Instance, { timeoutMs = 30_000 } = {}): Promise<Flushed> => {
  const { accepted, lost } = w
  // Without ids there are none to wait for.
  const isReady = isAnonymous(w) ? w.reading : w.consent === 'granted' && w.readiness
  if (w.storeName && isReady)
    await within(
      w.browser,
      timeoutMs,
      isReady.then(() => flushKnown(w)),
    )
  return { sent: w.accepted - accepted, left: w.queuedCount + countHeld(w), dropped: w.lost - lost }
}

/** What the public object can do: each takes the instance first. */
export const methods = {
  track,
  page: (w, properties, options) => track(w, '$pageview', properties, options),
  identify,
  updateTraits,
  alias,
  register: (w, properties) => change(w, 'register', () => copy(w, properties)),
  registerOnce: (w, properties) => change(w, 'registerOnce', () => copy(w, properties)),
  unregister: (w, ...names) => change(w, 'unregister', () => names),
  reset: (w, options) => change(w, 'reset', () => options?.deviceId),
  configure: (w, patch) =>
    void call(w, undefined, () => () => {
      Object.assign(w.config, readConfig(patch, w.config))
    }),
  on,
  use: usePlugin,

  init(w, apiKey, given) {
    const { handle } = w
    const config = readConfig(given)
    const endpoint = config.endpoint && w.browser.fullUrl(config.endpoint)
    const name = 'waymark ' + config.environment + ' ' + apiKey
    const isOver = w.pageState === 'shut'
    if (w.storeName) {
      if (isOver || name !== w.storeName)
        complain(w, isOver ? 'shut-down' : 'already-initialised', name, true)
    } else if (isOver) return handle
    else if (typeof apiKey !== 'string' || !apiKey) complain(w, 'missing-api-key', apiKey || 'none', true)
    else if (!endpoint) complain(w, 'missing-endpoint', config.endpoint, true)
    else {
      const cleanUrl = createUrlFilter(config.url)
      w.config = { ...config, endpoint }
      w.storeName = name
      w.apiKey = apiKey
      w.filterUrl = cleanUrl
      w.consent = config.respectGpc && w.browser.refuses() ? 'denied' : config.consent
      w.bootUser = readUserId(config.bootstrap.userId)
      if (config.persistence === 'indexeddb') {
        w.database = w.browser.openDatabase(name)
        w.brokenUntil = 0
      }
      w.unfollow = follow(w)
      if (w.chosen) choose(w, w.chosen)
      startPlugins(
        w,
        { ...handle, cleanUrl, copy: (properties) => copy(w, properties), ids: () => readIds(w) },
        config.plugins,
      )
    }
    return handle
  },

  setConsent,
  getConsent: (w) => w.consent,
  optIn: (w) => setConsent(w, 'granted'),
  optOut: (w) => setConsent(w, 'denied'),

  flush,
  ready: (w) => w.readiness,

  async shutdown(w) {
    const flushed = await flush(w)
    stopPlugins(w)
    save(w)
    // What is on the disk stays there, if it is.
    if (w.saving) await within(w.browser, savedWithinMs, w.saving)
    shut(w)
    w.onReady()
    w.stopTimer()
    w.stopScan()
    giveUp(w, '')
    dropAll(w, 'shut-down')
    closeTabs(w)
    w.database?.close()
    return flushed
  },

  stats: (w) => ({
    store: canWriteSettings(w) && works(w) ? 'indexeddb' : 'memory',
    queued: w.queuedCount + countHeld(w),
    bytes: w.queuedBytes,
    oldestAt: w.records[0] && Math.floor(w.records[0].key[1] / 1000),
    sent: w.accepted,
    handedOff: w.handedOff,
    dropped: { ...w.dropCounts },
    state: w.attempts[0]
      ? 'sending'
      : w.isPaused
        ? 'paused'
        : w.failures || w.settings.down
          ? 'waiting'
          : 'idle',
  }),
} satisfies {
  [Name in keyof Methods]: (w: Instance, ...given: Parameters<Methods[Name]>) => ReturnType<Methods[Name]>
}

type Functions = Record<string, (w: Instance, ...given: never[]) => unknown>

/** The functions without their first parameter. The build has none, and leaves this out (`scripts/build/flatten.mjs`). */
export const bindAll = (getInstance: () => Instance, functions: Functions) =>
  Object.fromEntries(
    Object.entries(functions).map(([name, fn]) => [
      name,
      (...given: never[]) => {
        const w = getInstance()
        return fn(w, ...given)
      },
    ]),
  )

/** Makes an instance in a browser of the caller's: this is how tests hand in their own. */
export const createWaymarkIn = (browser: Browser): Waymark => {
  const handle = {
    ...bindAll(() => w, methods),
    get ids() {
      return readIds(w)
    },
  } as Waymark
  const w = createInstance(browser, handle)
  // Without a page there is nothing to wait for.
  if (w.pageState === 'shut') w.onReady()
  return handle
}
