import { createBrowser, within, type Browser } from './browser'
import { alias, change, copy, identify, track, updateTraits } from './capture'
import { readConfig } from './config'
import { choose } from './consent'
import { enter, flushKnown } from './delivery'
import { save, works } from './disk'
import { readUserId } from './ids'
import { createInstance, type Instance } from './instance'
import { follow, shut } from './page'
import { startPlugins, stopPlugins, usePlugin } from './plugins'
import { dropAll, giveUp } from './queue'
import { complain, on } from './signals'
import { closeTabs } from './tabs'
import type { Consent, EventMap, Flushed, Waymark } from './types'
import { createUrlFilter } from './urls'
import { act, readIds } from './visitor'

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

type Methods = Omit<Waymark, 'ids'>

const setConsent = (w: Instance, state: Consent | 'dismissed') => {
  w.chosen = state
  if (w.name) choose(w, state)
}

const flush = async (w: Instance, { timeoutMs = 30_000 } = {}): Promise<Flushed> => {
  const { accepted, lost } = w
  if (w.name && w.consent === 'granted')
    await within(
      w.browser,
      timeoutMs,
      w.readiness.then(() => flushKnown(w)),
    )
  return { sent: w.accepted - accepted, left: w.queued + w.waiting.length, dropped: w.lost - lost }
}

/** What the public object can do: each takes the instance first. */
const methods = {
  track,
  page: (w, properties, options) => track(w, '$pageview', properties, options),
  identify,
  updateTraits,
  alias,
  register: (w, properties) =>
    change(
      w,
      () => copy(w, properties),
      (own) => act(w, 'register', own),
    ),
  registerOnce: (w, properties) =>
    change(
      w,
      () => copy(w, properties),
      (own) => act(w, 'registerOnce', own),
    ),
  unregister: (w, ...names) =>
    change(
      w,
      () => names,
      (own) => act(w, 'unregister', own),
    ),
  reset: (w, options) =>
    change(
      w,
      () => options?.deviceId,
      (deviceId) => act(w, 'reset', deviceId),
    ),
  configure: (w, patch) =>
    change(
      w,
      () => patch,
      (own) => Object.assign(w.config, readConfig(own, w.config)),
    ),
  on,
  use: usePlugin,

  init(w, apiKey, given) {
    const { browser, face } = w
    const config = readConfig(given)
    const endpoint = config.endpoint && browser.fullUrl(config.endpoint)
    const name = `waymark ${config.environment} ${apiKey}`
    if (w.state === 'shut') return face
    if (typeof apiKey !== 'string' || !apiKey) complain(w, 'missing-api-key', apiKey, true)
    else if (w.name) {
      if (name !== w.name) complain(w, 'already-initialised', name, true)
    } else if (!endpoint) complain(w, 'missing-endpoint', config.endpoint, true)
    else {
      const cleanUrl = createUrlFilter(config.url)
      Object.assign(w, {
        config: { ...config, endpoint },
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
      w.unfollow = follow(w)
      if (w.chosen) choose(w, w.chosen)
      startPlugins(w, { ...face, cleanUrl, ids: () => readIds(w) }, config.plugins)
    }
    return face
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
    store: w.isWritable && works(w) ? 'indexeddb' : 'memory',
    queued: w.queued + w.waiting.length,
    bytes: w.bytes,
    oldestAt: w.records[0] && Math.floor(w.records[0].key[1] / 1000),
    sent: w.accepted,
    handedOff: w.handedOff,
    dropped: { ...w.dropped },
    state: w.inFlight[0]
      ? 'sending'
      : w.paused
        ? 'paused'
        : w.failures || w.settings.down
          ? 'waiting'
          : 'idle',
  }),
} satisfies {
  [Name in keyof Methods]: (w: Instance, ...given: Parameters<Methods[Name]>) => ReturnType<Methods[Name]>
}

/** The same, in a browser of the caller's: this is how tests hand in their own. */
export const createWaymarkIn = (browser: Browser) => open(createInstance(browser))

const open = (w: Instance): Waymark => {
  enter(w)
  w.readiness = new Promise<void>((resolve) => (w.onReady = resolve))
  // There is no page, and nothing to wait for.
  if (w.state === 'shut') w.onReady()
  const functions: Record<string, (w: Instance, ...given: never[]) => unknown> = methods
  const bound = Object.entries(functions).map(([name, fn]) => [name, (...given: never[]) => fn(w, ...given)])
  return (w.face = {
    ...Object.fromEntries(bound),
    get ids() {
      return readIds(w)
    },
  } as Waymark)
}
