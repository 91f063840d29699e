import type { Browser } from './browser/browser'
import { createBrowser } from './browser/createBrowser'
import { createCapture, type EarlyCall } from './capture/createCapture'
import { fitProperties } from './capture/fitProperties'
import { readConfig } from './config'
import { createPlugins } from './createPlugins'
import { createTally } from './queue/createTally'
import { createSignals, type Complain } from './signals'
import { start, type Core } from './start'
import type { EventMap, Flushed, Waymark } from './types'
import { within } from './within'

/** Calls kept before the ids are known; the oldest go first. */
const mostEarly = 1000

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
  const { on, emit } = createSignals()
  const tally = createTally(emit)
  const early: EarlyCall[] = []
  let core: Core | undefined
  let isShut = !browser.isPage
  let chosen: Parameters<Waymark['setConsent']>[0] | undefined
  let resolve: () => void
  const ready = new Promise<void>((done) => (resolve = done))

  const complain: Complain = (code, message, always = core?.config.debug) => {
    emit('error', { code, message })
    if (always) browser.warn(`[waymark] ${message} (${code})`)
  }
  const plugins = createPlugins(complain)

  const isReady = () => core?.isReady()

  /** Runs a call when the ids are known: now, as a rule. */
  const whenReady = (...call: EarlyCall) => {
    if (isShut) call[1]('shut-down')
    else if (isReady()) call[0](core!)
    else if (core?.refuses()) call[1]('no-consent')
    else if (early.push(call) > mostEarly) early.shift()![1]('too-many')
  }

  /** What changes the state of the instance keeps its place among the calls; `read` copies what it is given. */
  const inOrder =
    <Name extends 'register' | 'registerOnce' | 'unregister' | 'reset'>(
      name: Name,
      read = (given: unknown) => given,
    ) =>
    (...[given, ...more]: Parameters<Waymark[Name]>) => {
      try {
        const own = read(given)
        whenReady(
          () => (core![name] as (...args: unknown[]) => void)(own, ...more),
          () => {},
        )
      } catch (error) {
        // Of a getter or a proxy of the caller's: what waits is a copy, and does not throw.
        complain('unreadable', `${name} refused: ${String(error)}`)
      }
    }

  const readProperties = (given: unknown) => fitProperties(given, 'property', true, complain, complain)

  const capture = createCapture(browser, complain, tally, plugins.filters, whenReady, isReady)

  const flush = async (timeoutMs = 30_000): Promise<Flushed> => {
    const { accepted, lost } = tally
    if (core?.consent() === 'granted')
      await within(
        browser,
        timeoutMs,
        ready.then<unknown>(() => core!.isReady() && core!.flush()),
      )
    return { sent: tally.accepted - accepted, left: waymark.stats().queued, dropped: tally.lost - lost }
  }
  const choose: Waymark['setConsent'] = (state) => {
    chosen = state
    core?.choose(state)
  }

  const waymark: Waymark = {
    ...capture,
    on,

    init(apiKey, given) {
      if (isShut) return waymark
      const config = readConfig(given, complain)
      if (typeof apiKey !== 'string' || !apiKey) {
        complain('missing-api-key', 'init needs an API key', true)
        return waymark
      }
      const name = `waymark ${config.environment} ${apiKey}`
      if (core) {
        if (name !== core.name)
          complain('already-initialised', 'init: another key or environment needs createWaymark()', true)
      } else if (!config.endpoint || !browser.originOf(config.endpoint)) {
        complain('missing-endpoint', 'init needs "endpoint", the URL of the service', true)
      } else {
        core = start(browser, name, apiKey, config, tally, emit, complain, early, resolve)
        if (chosen) choose(chosen)
        for (const call of early.splice(0)) whenReady(...call)
        plugins.start(waymark, core)
      }
      return waymark
    },

    page: (properties, options) => capture.track('$pageview', properties, options),
    register: inOrder('register', readProperties),
    registerOnce: inOrder('registerOnce', readProperties),
    unregister: inOrder('unregister'),
    reset: inOrder('reset', (given) => ({ deviceId: (given as { deviceId?: boolean } | null)?.deviceId })),

    setConsent: choose,
    getConsent: () => core?.consent() ?? 'pending',
    optIn: () => choose('granted'),
    optOut: () => choose('denied'),

    flush: (options) => flush(options?.timeoutMs),
    ready: () => (isShut ? Promise.resolve() : ready),

    async shutdown() {
      const flushed = await flush()
      isShut = true
      plugins.stop()
      core?.stop()
      for (const [, drop] of early.splice(0)) drop('shut-down')
      return flushed
    },

    use: plugins.use,

    configure(patch) {
      const config = core?.config
      if (config) Object.assign(config, readConfig(patch, complain, config))
    },

    stats: () => {
      const now = core?.stats() ?? { store: 'memory', queued: 0, bytes: 0, state: 'idle' }
      return {
        ...now,
        queued: now.queued + early.length,
        sent: tally.accepted,
        handedOff: tally['handed-off'],
        dropped: { ...tally.dropped },
      }
    },

    get ids() {
      return core?.ids() ?? { deviceId: '', anonymousId: '', distinctId: '', sessionId: '' }
    },
  }

  return waymark
}
