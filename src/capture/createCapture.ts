import { nanoid } from 'nanoid'
import type { Browser, Page } from '../browser/browser'
import { readUserId } from '../identity/createIdentity'
import type { Complain } from '../signals'
import type { Config, Ids, Kind, Outcome, Properties, TrackOptions, Tracked } from '../types'
import { wire } from '../wire'
import { createTracked } from './createTracked'
import { fitProperties, isObject, isTooLong, toJson } from './fitProperties'

/** What a call needs of the started instance. */
export interface Target {
  config: Config
  ids(): Ids
  cleanUrl(href: string): string
  login(userId: string): void
  reset(renewDevice?: boolean): void
  put(kind: Kind, id: string, body: string, settle: (outcome: Outcome) => void): void
}

interface Parts {
  browser: Browser
  complain: Complain
  /** Runs `fn` when the ids are known: now, as a rule. False when nothing is taken any more. */
  whenReady(fn: (target: Target) => void): boolean
}

const brief = (name: string) => (name.length > 40 ? `${name.slice(0, 40)}…` : name)

/** Makes payloads of calls. Time, page and id are those of the call, and so is what is refused. */
export function createCapture({ browser, complain, whenReady }: Parts) {
  const refuse = (call: string, errorCode: string, message: string): Tracked => {
    complain(errorCode, `${call}: ${message}`)
    const [tracked, settle] = createTracked('')
    settle({ status: 'dropped', reason: 'invalid', errorCode })
    return tracked
  }

  const take = (make: (target: Target, id: string) => [Kind, string], id = nanoid()): Tracked => {
    const [tracked, settle] = createTracked(id)
    const taken = whenReady((target) => {
      const [kind, body] = make(target, id)
      target.put(kind, id, body, settle)
    })
    if (!taken) settle({ status: 'dropped', reason: 'shut-down' })
    return tracked
  }

  const time = (options?: TrackOptions): string => {
    const given = options?.timestamp
    const date = new Date(given ?? browser.now())
    if (!isNaN(+date)) return date.toISOString()
    complain('invalid-timestamp', `${toJson(given)} is no time; the time of the call is used.`)
    return new Date(browser.now()).toISOString()
  }

  const fit = (call: string, given: unknown, target: Properties) => {
    if (isObject(given)) return fitProperties(target, given)
    if (given !== undefined) complain('invalid-properties', `${call}: not an object; it is sent without.`)
    return undefined
  }

  /** A getter or a proxy of the caller's may throw anywhere. */
  const safely =
    <A extends unknown[]>(call: string, make: (...args: A) => Tracked) =>
    (...args: A): Tracked => {
      try {
        return make(...args)
      } catch (error) {
        return refuse(call, 'unreadable', String(error))
      }
    }

  return {
    track: safely('track', (event: string, properties?: Properties, options?: TrackOptions) => {
      const call = `track(${typeof event === 'string' ? brief(event) : typeof event})`
      if (typeof event !== 'string' || !event)
        return refuse(call, 'invalid-event-name', 'an event needs a name.')
      if (isTooLong(event)) return refuse(call, 'event-name-too-long', 'the name exceeds 400 characters.')
      const own: Properties = {}
      const long = fit(call, properties, own)
      if (long)
        return refuse(call, 'property-name-too-long', `the name "${brief(long)}" exceeds 400 characters.`)
      const timestamp = time(options)
      const page: Page = { ...browser.page() }

      return take(({ config, ids, cleanUrl }, id) => {
        const all: Properties = {
          $lib: 'waymark',
          $lib_version: __VERSION__,
          $release: config.release || undefined,
          $url: cleanUrl(page.url),
          $referer: cleanUrl(page.referrer) || undefined,
          $viewport: page.viewport,
          ...own,
        }
        if (config.insertId) all[config.insertId] ??= id
        return ['track', wire.track(config.environment, event, timestamp, ids(), all)]
      }, options?.insertId)
    }),

    identify: safely('identify', (userId: string, traits?: Properties, options?: TrackOptions) => {
      const user = readUserId(userId)
      if (!user) return refuse('identify', 'invalid-user-id', `${toJson(userId)} cannot be the id of a user.`)
      const own: Properties = {}
      const long = fit('identify', traits, own)
      if (long)
        return refuse('identify', 'trait-name-too-long', `the name "${brief(long)}" exceeds 400 characters.`)
      const timestamp = time(options)

      return take(({ config, ids, login }) => {
        login(user)
        return ['identify', wire.identify(config.environment, timestamp, ids(), own)]
      })
    }),

    alias: safely('alias', (newUserId: string) => {
      const user = readUserId(newUserId)
      if (!user) return refuse('alias', 'invalid-user-id', `${toJson(newUserId)} cannot be the id of a user.`)
      return take(({ config, ids }) => ['alias', wire.alias(config.environment, ids().distinctId, user)])
    }),
  }
}
