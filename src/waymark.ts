import type { Browser } from './browser/browser'
import { createBrowser } from './browser/createBrowser'
import { createCapture, type Target } from './capture/createCapture'
import { readConfig } from './config'
import { createTally } from './queue/createTally'
import { createSignals, type Complain } from './signals'
import { start, type Core } from './start'
import type { Flushed, InitConfig, Waymark } from './types'

/** Calls kept before `init`; the oldest go first. */
const mostEarly = 1000

const nothing: Flushed = { sent: 0, left: 0, dropped: 0 }

/**
 * Makes an instance. It does nothing before `init`; where there is no page (on a server) it does nothing at all.
 *
 * @example
 * const shop = createWaymark().init('pk_1', { endpoint: 'https://api.example.com' })
 * shop.track('Signed Up', { plan: 'pro' })
 */
export const createWaymark = (): Waymark => createWaymarkIn(createBrowser())

/** The same, in a browser of the caller's: this is how tests hand in their own. */
export function createWaymarkIn(browser: Browser): Waymark {
  const { on, emit } = createSignals()
  const tally = createTally(emit)
  let core: Core | undefined
  let startedAs = ''
  let isShut = !browser.isPage
  let isDebug = false
  const early: ((target: Target) => void)[] = []
  let started: () => void
  const whenStarted = new Promise<void>((resolve) => (started = resolve))

  const complain: Complain = (code, message, always = isDebug) => {
    emit('error', { code, message })
    if (always) browser.warn(`[waymark] ${message} (${code})`)
  }

  const whenReady = (fn: (target: Target) => void) => {
    if (isShut) return false
    if (core) core.whenReady(fn)
    else if (early.push(fn) > mostEarly) early.shift()
    return true
  }

  const capture = createCapture({ browser, complain, tally, whenReady })
  const flush = async (timeoutMs?: number) => core?.flush(timeoutMs) ?? nothing

  const waymark: Waymark = {
    ...capture,
    on,

    init(apiKey, given: InitConfig = {}) {
      isDebug = !!given.debug
      const config = readConfig(given, complain)
      const name = `${apiKey} ${config.environment}`
      if (isShut) return waymark
      if (core) {
        if (name !== startedAs) {
          complain('already-initialised', 'init: another key or environment needs createWaymark()', true)
        }
      } else if (typeof apiKey !== 'string' || !apiKey) {
        complain('missing-api-key', 'init needs an API key', true)
      } else if (!config.endpoint || !browser.originOf(config.endpoint)) {
        complain('missing-endpoint', 'init needs "endpoint", the URL of the service', true)
      } else {
        startedAs = name
        core = start(browser, apiKey, config, tally, emit, complain)
        early.splice(0).forEach(core.whenReady)
        started()
      }
      return waymark
    },

    page: (properties, options) => capture.track('$pageview', properties, options),

    reset(options) {
      whenReady(({ reset }) => reset(options?.deviceId))
    },

    flush: (options) => flush(options?.timeoutMs),

    ready: () => (isShut ? Promise.resolve() : whenStarted.then(() => core?.ready)),

    async shutdown() {
      const flushed = await flush()
      isShut = true
      core?.stop()
      return flushed
    },

    stats: () => {
      const { sent, handedOff, dropped } = tally
      const now = core?.stats() ?? { store: 'memory', queued: early.length, bytes: 0, state: 'idle' }
      return { ...now, sent, handedOff, dropped: { ...dropped } }
    },

    get ids() {
      return core?.identity.ids() ?? { deviceId: '', anonymousId: '', distinctId: '' }
    },
  }
  return waymark
}
